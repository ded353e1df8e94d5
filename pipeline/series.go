package pipeline

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/tracelake/tracelake/schema"
)

// A series is the parts of one table and source, written in order by one
// goroutine.
type series struct {
	out    *output
	table  *schema.Table
	source uint8

	part   int // number of the part at hand
	groups int // row groups in it
	rows   int64
	path   string // in the dataset
	file   *os.File
	writer schema.File // nil: no part is open
}

// write appends a row group to the part at hand.
func (s *series) write(c schema.Chunks) error {
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
func (s *series) create() error {
	s.path = s.table.Part(s.source, s.part, s.out.format)
	name := s.out.staged(s.path)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w, err := s.out.encoding.create(f, s.table, s.out.meta)
	if err != nil {
		f.Close()
		return fmt.Errorf("write %s: %w", s.path, err)
	}
	s.file, s.writer = f, w
	return nil
}

// close completes the part at hand, if there is one.
func (s *series) close() error {
	if s.writer == nil {
		return nil
	}
	err := s.writer.Close()
	part, hashErr := describe(s.file, s.path, s.rows)
	if err = errors.Join(err, hashErr, s.file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", s.path, err)
	}
	s.out.addPart(s.table, part)
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
func (s *series) abandon() {
	if s.file != nil {
		s.file.Close()
	}
}
