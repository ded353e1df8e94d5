package pipeline

import (
	"context"
	"sync"

	"github.com/tracelake/tracelake/pipeline/rows"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// coders lends out encoders and batches: a few MB each, worth keeping.
type coders struct {
	dataset *dataset.Writer
	idle    sync.Map // *schema.Table → *sync.Pool of *coder
}

// A coder encodes row groups of one table.
type coder struct {
	encoder schema.Encoder
	batch   *schema.Batch
}

func (c *coders) pool(t *schema.Table) *sync.Pool {
	p, _ := c.idle.LoadOrStore(t, &sync.Pool{New: func() any {
		encoder := c.dataset.NewEncoder(t)
		return &coder{encoder, schema.NewBatchFor(t, encoder)}
	}})
	return p.(*sync.Pool)
}

// encoded is a row group on its way to its file.
type encoded struct {
	series *dataset.Series
	chunks schema.Chunks
}

// encode makes the row group of a job. It stops between two batches once ctx is
// done.
func (c *coders) encode(ctx context.Context, j rows.Job) (encoded, error) {
	pool := c.pool(j.Series.Table)
	coder := pool.Get().(*coder)
	defer pool.Put(coder)
	coder.encoder.Reset()
	coder.batch.Reset()
	err := j.Fill(coder.batch, func() error {
		if err := ctx.Err(); err != nil || coder.batch.Rows() == 0 {
			return err
		}
		err := coder.encoder.Append(coder.batch)
		coder.batch.Reset()
		return err
	})
	if err != nil {
		return encoded{}, err
	}
	chunks, err := coder.encoder.Finish()
	return encoded{j.Series, chunks}, err
}
