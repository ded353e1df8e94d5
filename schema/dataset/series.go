package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	"github.com/tracelake/tracelake/schema"
)

// A Series is the parts of one table and source. [Writer.Series] returns it.
type Series struct {
	Table  *schema.Table
	source uint8
	out    *Writer

	part   int // number of the part at hand
	groups int // row groups in it
	rows   int64
	path   string // in the dataset
	file   *os.File
	sum    *summed     // what was written to file
	writer schema.File // nil: no part is open
}

// Write appends a row group, made by [Writer.NewEncoder] for the table. Whoever
// calls it is the only one to write to the dataset meanwhile. All row groups but
// the last have [schema.Table.RowGroupRows] rows.
func (s *Series) Write(c schema.Chunks) error {
	if s.writer == nil {
		if err := s.create(); err != nil {
			return err
		}
	}
	if err := s.writer.WriteRowGroup(c); err != nil {
		return fmt.Errorf("write %s: %w", s.path, err)
	}
	s.groups++
	s.rows += c.Rows()
	if s.groups == schema.PartRowGroups {
		return s.close()
	}
	return nil
}

// create begins the next part.
func (s *Series) create() error {
	s.path = s.Table.Part(s.source, s.part, s.out.opt.Format)
	f, err := s.out.staging.create(s.path)
	if err != nil {
		return err
	}
	sum := &summed{w: f, hash: sha256.New()}
	w, err := s.out.begin(sum, s.Table)
	if err != nil {
		f.Close()
		return fmt.Errorf("write %s: %w", s.path, err)
	}
	s.file, s.sum, s.writer = f, sum, w
	return nil
}

// begin begins the file of a part of a table.
func (w *Writer) begin(f io.Writer, t *schema.Table) (schema.File, error) {
	if w.opt.Meta == nil {
		return w.encoding.create(f, t, nil)
	}
	meta, err := w.opt.Meta()
	if err != nil {
		return nil, err
	}
	return w.encoding.create(f, t, meta)
}

// close completes the part at hand, if there is one.
func (s *Series) close() error {
	if s.writer == nil {
		return nil
	}
	if err := errors.Join(s.writer.Close(), s.out.staging.closeFile(s.file)); err != nil {
		return fmt.Errorf("write %s: %w", s.path, err)
	}
	s.out.addPart(s.Table, schema.PartFile{Path: s.path, Rows: s.rows, Bytes: s.sum.bytes, SHA256: hex.EncodeToString(s.sum.hash.Sum(nil))})
	s.part, s.groups, s.rows, s.file, s.sum, s.writer = s.part+1, 0, 0, nil, nil, nil
	return nil
}

// A summed is a file that is hashed while it is written.
type summed struct {
	w     io.Writer
	hash  hash.Hash
	bytes int64
}

// Write implements [io.Writer].
func (s *summed) Write(b []byte) (int, error) {
	n, err := s.w.Write(b)
	s.hash.Write(b[:n])
	s.bytes += int64(n)
	return n, err
}

// abandon closes the file of a part that will not be completed.
func (s *Series) abandon() {
	if s.file != nil {
		s.file.Close()
		s.file, s.writer = nil, nil
	}
}
