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

// Encode makes the row group of a job, and returns what writes it. It reads it if it is encoded already, or
// counts its rows if it is kept. It stops between two batches once ctx is done.
func (c *Coders) Encode(ctx context.Context, j Job) (write func() error, err error) {
	switch {
	case j.End:
		return j.Series.End, nil
	case j.group == nil: // it is there already, and nothing made it again
		chunks, err := j.Encoded()
		return writes(j.Series, chunks), err
	}
	encodes := !j.Kept && j.Encoded == nil
	if !encodes {
		if rows, ok := j.group.drop(); ok {
			return j.unencoded(rows)
		}
	}
	pool := c.pool(j.Series.Table)
	coder := pool.Get().(*coder)
	defer pool.Put(coder)
	coder.encoder.Reset()
	coder.batch.Reset()
	rows := int64(0)
	err = j.Fill(coder.batch, func() (err error) {
		if err := ctx.Err(); err != nil || coder.batch.Rows() == 0 {
			return err
		}
		if rows += int64(coder.batch.Rows()); encodes {
			err = coder.encoder.Append(coder.batch)
		}
		coder.batch.Reset()
		return err
	})
	if err != nil {
		return nil, err
	}
	if !encodes {
		return j.unencoded(rows)
	}
	chunks, err := coder.encoder.Finish()
	return writes(j.Series, chunks), err
}

// writes returns what writes a row group. It does not hold the rows, which may take more memory than the chunks.
func writes(s *dataset.Series, chunks schema.Chunks) func() error {
	return func() error { return s.Write(chunks) }
}

// unencoded returns what writes the row group of a job that is not encoded: it has so many rows.
func (j *Job) unencoded(rows int64) (write func() error, err error) {
	if j.Encoded == nil {
		s := j.Series
		return func() error { return s.Keep(rows) }, nil
	}
	chunks, err := j.Encoded()
	if err == nil && chunks.Rows() != rows {
		err = fmt.Errorf("%s: a row group of %d rows, where %d were decoded", j.Series.Table.Name, chunks.Rows(), rows)
	}
	return writes(j.Series, chunks), err
}
