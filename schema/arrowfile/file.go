package arrowfile

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/tracelake/tracelake/schema"
)

// A File is an Arrow file that is being written.
type File struct {
	table *schema.Table
	ipc   *ipc.FileWriter
}

var _ schema.File = (*File)(nil)

// Create begins a file of t. Its metadata is that of every file of the table
// ([schema.Table.Meta]), then meta.
func Create(w io.Writer, t *schema.Table, meta []schema.Meta, c Codec) (*File, error) {
	var keys, values []string
	for _, m := range append(t.Meta(), meta...) {
		keys, values = append(keys, m.Key), append(values, m.Value)
	}
	md := arrow.NewMetadata(keys, values)
	options := append(c.options(), ipc.WithSchema(arrow.NewSchema(fields(t), &md)))
	fw, err := ipc.NewFileWriter(&position{w: w}, options...)
	if err != nil {
		return nil, err
	}
	return &File{table: t, ipc: fw}, nil
}

// WriteRowGroup adds a row group, made by a [RowGroup] of the same table. Its
// memory is given back.
func (f *File) WriteRowGroup(c schema.Chunks) error {
	chunks := c.(*Chunks)
	if chunks.table != f.table {
		panic(fmt.Sprintf("arrowfile: row group of %s for a file of %s", chunks.table.Name, f.table.Name))
	}
	for i, r := range chunks.records {
		if err := f.ipc.Write(r); err != nil {
			return err
		}
		r.Release()
		chunks.records[i] = nil
	}
	chunks.lent.giveBack()
	return nil
}

// Close writes the footer. It does not close the underlying writer.
func (f *File) Close() error { return f.ipc.Close() }

// position is a writer that knows its offset: the IPC writer seeks only to learn
// it.
type position struct {
	w io.Writer
	n int64
}

func (p *position) Write(b []byte) (int, error) {
	n, err := p.w.Write(b)
	p.n += int64(n)
	return n, err
}

func (p *position) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekCurrent {
		return 0, errors.New("arrowfile: an arrow file is written from front to back")
	}
	return p.n, nil
}
