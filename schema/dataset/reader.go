package dataset

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"sort"

	"github.com/tracelake/tracelake/schema"
)

// Open begins to read the rows of a table and source, all parts of them, in
// order. Where there are none, it reads none. The reader has to be closed.
func (d *Dataset) Open(t *schema.Table, source uint8) *Reader {
	return &Reader{dataset: d, table: t, left: d.parts[t][source]}
}

// OpenAt begins to read the rows of a table and source about where a column comes to a value:
// what is before is left out in whole row groups, so some rows of less than that come first.
// Values of the column must not fall from row to row; NULL is after all of them. The reader
// has to be closed. It fails with an [*Error] if a part cannot be read.
func (d *Dataset) OpenAt(t *schema.Table, source uint8, column schema.IndexU64, least int64) (*Reader, error) {
	parts := d.parts[t][source]
	var failed error
	first := sort.Search(len(parts), func(i int) bool {
		r := &Reader{dataset: d, table: t}
		left, err := r.openAt(&parts[i], column, least)
		if err = errors.Join(err, r.Close()); err != nil && failed == nil {
			failed = err
		}
		return left || failed != nil
	})
	if failed != nil {
		return nil, failed
	}
	r := &Reader{dataset: d, table: t, left: parts[first:]}
	if first == len(parts) {
		return r, nil
	}
	if _, err := r.openAt(&parts[first], column, least); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	r.partial = true
	return r, nil
}

// openAt opens a part, and leaves out its first row groups. It says whether others are left.
func (r *Reader) openAt(part *schema.PartFile, column schema.IndexU64, least int64) (left bool, err error) {
	if err := r.open(part.Path); err != nil {
		return false, err
	}
	if left, err = r.reader.Skip(int(column), least); err != nil {
		return false, r.damaged(part.Path, err)
	}
	return left, nil
}

// Batches reads the rows of a table, of all sources in order. A batch holds until
// the next. After an error there are no more.
func (d *Dataset) Batches(t *schema.Table) iter.Seq2[*schema.Batch, error] {
	return func(yield func(*schema.Batch, error) bool) {
		for _, source := range d.Sources(t) {
			if !each(d.Open(t, source), yield) {
				return
			}
		}
	}
}

// BatchesOf reads the rows of a table and source, as Batches does.
func (d *Dataset) BatchesOf(t *schema.Table, source uint8) iter.Seq2[*schema.Batch, error] {
	return func(yield func(*schema.Batch, error) bool) { each(d.Open(t, source), yield) }
}

// A readCloser is a reader that has to be closed.
type readCloser interface {
	schema.Reader
	io.Closer
}

// each yields what r reads, and closes it. It says whether there may be more of other readers.
func each(r readCloser, yield func(*schema.Batch, error) bool) bool {
	defer r.Close()
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return true
		}
		if !yield(b, err) || err != nil {
			return false
		}
	}
}

// A Reader reads the rows of one table and source.
type Reader struct {
	dataset *Dataset
	table   *schema.Table
	left    []schema.PartFile // the part at hand, and those after it
	file    *os.File          // nil: no part is open
	reader  partReader
	rows    int64 // of the part at hand, so far
	partial bool  // some of its rows were left out
}

var _ schema.Reader = (*Reader)(nil)

// Next returns the rows that follow. A part that cannot be read, or has not the
// rows the manifest says, is an [*Error].
func (r *Reader) Next() (*schema.Batch, error) {
	for len(r.left) > 0 {
		part := &r.left[0]
		if r.file == nil {
			if err := r.open(part.Path); err != nil {
				return nil, err
			}
		}
		b, err := r.reader.Next()
		if err == nil {
			r.rows += int64(b.Rows())
			return b, nil
		}
		if !errors.Is(err, io.EOF) {
			return nil, r.damaged(part.Path, err)
		}
		if r.rows != part.Rows && !r.partial {
			return nil, r.damaged(part.Path, fmt.Errorf("has %d rows, the manifest says %d", r.rows, part.Rows))
		}
		if err := r.Close(); err != nil {
			return nil, err
		}
		r.left, r.partial = r.left[1:], false
	}
	return nil, io.EOF
}

func (r *Reader) open(path string) error {
	f, err := r.dataset.root.Open(path)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return err
	}
	r.file, r.rows = f, 0
	if r.reader, err = openPart(r.dataset.format, f, info.Size(), r.table); err != nil {
		return r.damaged(path, err)
	}
	return nil
}

func (r *Reader) damaged(path string, err error) error {
	return &Error{
		File: filepath.Join(r.dataset.Dir, path), Problem: "cannot be read: " + err.Error(),
		Remedy: r.dataset.remedy(), Damaged: true, Err: err,
	}
}

// Close closes the part at hand.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	f := r.file
	r.file, r.reader = nil, nil
	return f.Close()
}
