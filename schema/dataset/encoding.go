package dataset

import (
	"cmp"
	"io"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/arrowfile"
	"github.com/tracelake/tracelake/schema/parquetfile"
)

// An encoding is a file format with its settings.
type encoding struct {
	newEncoder func(t *schema.Table) schema.Encoder
	create     func(w io.Writer, t *schema.Table, meta []schema.Meta) (schema.File, error)
}

// newEncoding returns the encoding for a format and a codec; "" is the default
// codec of the format.
func newEncoding(f schema.Format, codec string) (encoding, error) {
	if f == schema.Arrow {
		c, err := arrowfile.ParseCodec(cmp.Or(codec, arrowfile.None.String()))
		return encoding{
			newEncoder: func(t *schema.Table) schema.Encoder { return arrowfile.NewRowGroup(t) },
			create: func(w io.Writer, t *schema.Table, meta []schema.Meta) (schema.File, error) {
				return arrowfile.Create(w, t, meta, c)
			},
		}, err
	}
	c, err := parquetfile.ParseCodec(cmp.Or(codec, parquetfile.ZSTD1.String()))
	return encoding{
		newEncoder: func(t *schema.Table) schema.Encoder {
			if codec == "" && t == &schema.Blocks {
				// A row is of several instructions: smaller by a tenth, it costs little more.
				return parquetfile.NewRowGroup(t, parquetfile.ZSTD3)
			}
			return parquetfile.NewRowGroup(t, c)
		},
		create: func(w io.Writer, t *schema.Table, meta []schema.Meta) (schema.File, error) {
			return parquetfile.Create(w, t, meta)
		},
	}, err
}

// A partReader reads the rows of a part.
type partReader interface {
	schema.Reader
	Skip(column int, least int64) (left bool, err error)
}

// openPart begins to read a part.
func openPart(f schema.Format, r io.ReaderAt, size int64, t *schema.Table) (partReader, error) {
	if f == schema.Arrow {
		return arrowfile.Open(r, size, t)
	}
	return parquetfile.Open(r, size, t)
}
