package rows

import (
	"context"
	"fmt"
	"sync"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Coders lends out encoders and batches: a few MB each, worth keeping.
type Coders struct {
	Dataset *dataset.Writer
	idle    sync.Map // *schema.Table → *sync.Pool of *coder
}

// A coder encodes row groups of one table.
type coder struct {
	encoder schema.Encoder
	batch   *schema.Batch
}

func (c *Coders) pool(t *schema.Table) *sync.Pool {
	p, _ := c.idle.LoadOrStore(t, &sync.Pool{New: func() any {
		encoder := c.Dataset.NewEncoder(t)
		return &coder{encoder, schema.NewBatchFor(t, encoder)}
	}})
	return p.(*sync.Pool)
}

// Encoded is a row group on its way to its file.
type Encoded struct {
	series *dataset.Series
	chunks schema.Chunks // nil: the row group is in a part that is kept
	rows   int64         // of that
	end    bool          // there is no row group: the series has had its last
}

// Write writes the row group.
func (r Encoded) Write() error {
	switch {
	case r.end:
		return r.series.End()
	case r.chunks == nil:
		return r.series.Keep(r.rows)
	}
	return r.series.Write(r.chunks)
}

// Encode makes the row group of a job; it reads it if it is encoded already, or counts its
// rows if it is kept. It stops between two batches once ctx is done.
func (c *Coders) Encode(ctx context.Context, j Job) (Encoded, error) {
	if j.End {
		return Encoded{series: j.Series, end: true}, nil
	}
	if j.Copy() {
		chunks, err := j.Encoded()
		return Encoded{series: j.Series, chunks: chunks}, err
	}
	if j.Kept || j.Encoded != nil {
		if rows, ok := j.Drop(); ok {
			return unencoded(j, rows)
		}
	}
	pool := c.pool(j.Series.Table)
	coder := pool.Get().(*coder)
	defer pool.Put(coder)
	coder.encoder.Reset()
	coder.batch.Reset()
	rows := int64(0)
	err := j.Fill(coder.batch, func() (err error) {
		if err := ctx.Err(); err != nil || coder.batch.Rows() == 0 {
			return err
		}
		if rows += int64(coder.batch.Rows()); !j.Kept && j.Encoded == nil {
			err = coder.encoder.Append(coder.batch)
		}
		coder.batch.Reset()
		return err
	})
	if err != nil {
		return Encoded{}, err
	}
	if j.Kept || j.Encoded != nil {
		return unencoded(j, rows)
	}
	chunks, err := coder.encoder.Finish()
	return Encoded{series: j.Series, chunks: chunks}, err
}

// unencoded returns the row group of a job that is not encoded: it has so many rows.
func unencoded(j Job, rows int64) (Encoded, error) {
	if j.Encoded == nil {
		return Encoded{series: j.Series, rows: rows}, nil
	}
	chunks, err := j.Encoded()
	if err == nil && chunks.Rows() != rows {
		err = fmt.Errorf("%s: a row group of %d rows, where %d were decoded", j.Series.Table.Name, chunks.Rows(), rows)
	}
	return Encoded{series: j.Series, chunks: chunks}, err
}
