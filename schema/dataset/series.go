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

	kept    *schema.PartFile // the part at hand, if it is kept
	asked   int              // row groups that Kept was asked of
	keeping bool             // the last one was kept
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
	return s.count(c.Rows())
}

// count counts a row group, which may be the last one of its part.
func (s *Series) count(rows int64) error {
	s.groups++
	s.rows += rows
	if s.groups == s.out.opt.PartRowGroups {
		return s.close()
	}
	return nil
}

// Kept says whether the next row group is in a part that is kept of an export that was
// interrupted: then [Series.Keep] takes the place of Write. Of a resumable
// writer it is called once for each row group, in order, but not by the goroutine that
// writes if need be.
func (s *Series) Kept() bool {
	if s.out.resume == nil {
		return false
	}
	if s.asked%s.out.opt.PartRowGroups == 0 {
		s.keeping = s.out.resume.whole(s.Table.Part(s.source, s.asked/s.out.opt.PartRowGroups, s.out.opt.Format))
	}
	s.asked++
	return s.keeping
}

// Keep counts a row group of so many rows, which is in a kept part.
func (s *Series) Keep(rows int64) error {
	s.keep()
	return s.count(rows)
}

// keep begins the part at hand, which is kept.
func (s *Series) keep() {
	s.path = s.Table.Part(s.source, s.part, s.out.opt.Format)
	p := s.out.resume.kept.parts[s.path]
	s.kept = &p
}

// create begins the next part.
func (s *Series) create() error {
	if err := s.out.resume.check(); err != nil {
		return err
	}
	s.path = s.Table.Part(s.source, s.part, s.out.opt.Format)
	f, err := s.out.staging.Create(s.path)
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

// End completes the last part, after the last row group.
func (s *Series) End() error { return s.close() }

// close completes the part at hand, if there is one.
func (s *Series) close() error {
	if s.kept != nil {
		return s.closeKept()
	}
	if s.writer == nil {
		return nil
	}
	if err := errors.Join(s.writer.Close(), s.out.staging.CloseFile(s.file)); err != nil {
		return fmt.Errorf("write %s: %w", s.path, err)
	}
	p := schema.PartFile{Path: s.path, Rows: s.rows, Bytes: s.sum.bytes, SHA256: hex.EncodeToString(s.sum.hash.Sum(nil))}
	s.out.addPart(s.Table, p)
	s.part, s.groups, s.rows, s.file, s.sum, s.writer = s.part+1, 0, 0, nil, nil, nil
	return s.out.resume.add(p)
}

// closeKept adds the part at hand, which is kept, to the dataset.
func (s *Series) closeKept() error {
	p := *s.kept
	if p.Rows != s.rows {
		return s.out.resume.refuse(fmt.Sprintf("has a journal that says %d rows of %s, which has %d", p.Rows, p.Path, s.rows),
			nil)
	}
	s.out.addPart(s.Table, p)
	s.part, s.groups, s.rows, s.kept = s.part+1, 0, 0, nil
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
