package pipeline

import (
	"cmp"
	"context"
	"io"
	"sync"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/arrowfile"
	"github.com/tracelake/tracelake/schema/parquetfile"
)

// An encoding is a file format with its settings.
type encoding struct {
	format     schema.Format
	newEncoder func(t *schema.Table) schema.Encoder
	create     func(w io.WriteSeeker, t *schema.Table, meta []schema.Meta) (schema.File, error)
}

// newEncoding returns the encoding for a format and a codec; "" is the default
// codec of the format.
func newEncoding(f schema.Format, codec string) (encoding, error) {
	if f == schema.Arrow {
		c, err := arrowfile.ParseCodec(cmp.Or(codec, arrowfile.None.String()))
		return encoding{
			format:     f,
			newEncoder: func(t *schema.Table) schema.Encoder { return arrowfile.NewRowGroup(t) },
			create: func(w io.WriteSeeker, t *schema.Table, meta []schema.Meta) (schema.File, error) {
				return arrowfile.Create(w, t, meta, c)
			},
		}, err
	}
	c, err := parquetfile.ParseCodec(cmp.Or(codec, parquetfile.ZSTD1.String()))
	return encoding{
		format:     f,
		newEncoder: func(t *schema.Table) schema.Encoder { return parquetfile.NewRowGroup(t, c) },
		create: func(w io.WriteSeeker, t *schema.Table, meta []schema.Meta) (schema.File, error) {
			return parquetfile.Create(w, t, meta)
		},
	}, err
}

// coders lends out encoders and batches: a few MB each, worth keeping.
type coders struct {
	encoding encoding
	idle     sync.Map // *schema.Table → *sync.Pool of *coder
}

// A coder encodes row groups of one table.
type coder struct {
	encoder schema.Encoder
	batch   *schema.Batch
}

func (c *coders) pool(t *schema.Table) *sync.Pool {
	p, _ := c.idle.LoadOrStore(t, &sync.Pool{New: func() any {
		return &coder{encoder: c.encoding.newEncoder(t), batch: schema.NewBatch(t)}
	}})
	return p.(*sync.Pool)
}

// encoded is a row group on its way to its file.
type encoded struct {
	series *series
	chunks schema.Chunks
}

// encode makes the row group of a job. It stops between two batches once ctx is
// done.
func (c *coders) encode(ctx context.Context, j job) (encoded, error) {
	pool := c.pool(j.series.table)
	coder := pool.Get().(*coder)
	defer pool.Put(coder)
	coder.encoder.Reset()
	coder.batch.Reset()
	err := j.fill(coder.batch, func() error {
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
	return encoded{j.series, chunks}, err
}
