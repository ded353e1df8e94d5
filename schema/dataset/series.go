package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
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
	w, err := s.out.encoding.create(f, s.Table, s.out.opt.Meta)
	if err != nil {
		f.Close()
		return fmt.Errorf("write %s: %w", s.path, err)
	}
	s.file, s.writer = f, w
	return nil
}

// close completes the part at hand, if there is one.
func (s *Series) close() error {
	if s.writer == nil {
		return nil
	}
	err := s.writer.Close()
	part, hashErr := describe(s.file, s.path, s.rows)
	if err = errors.Join(err, hashErr, s.out.staging.closeFile(s.file)); err != nil {
		return fmt.Errorf("write %s: %w", s.path, err)
	}
	s.out.addPart(s.Table, part)
	s.part, s.groups, s.rows, s.file, s.writer = s.part+1, 0, 0, nil, nil
	return nil
}

// describe reads back a part that was written.
func describe(f *os.File, path string, rows int64) (schema.PartFile, error) {
	h := sha256.New()
	n, err := io.Copy(h, io.NewSectionReader(f, 0, 1<<62))
	return schema.PartFile{Path: path, Rows: rows, Bytes: n, SHA256: hex.EncodeToString(h.Sum(nil))}, err
}

// abandon closes the file of a part that will not be completed.
func (s *Series) abandon() {
	if s.file != nil {
		s.file.Close()
		s.file, s.writer = nil, nil
	}
}
