package window

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// An Index is the table `segments` of a dataset that was made of the whole capture.
type Index struct {
	*dataset.Dataset
	// Hash is the SHA-256, in hex, of its manifest.
	Hash string
}

// OpenIndex opens the index in dir, which the caller closes. It fails with a
// [*dataset.Error] if there is none.
func OpenIndex(dir string) (*Index, error) {
	d, err := dataset.Open(dir)
	if err != nil {
		return nil, err
	}
	x := &Index{Dataset: d}
	if err := x.check(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return x, nil
}

// check fails if the dataset is of no use as an index.
func (x *Index) check() error {
	text, err := os.ReadFile(filepath.Join(x.Dir, schema.ManifestFile))
	if err != nil {
		return fmt.Errorf("read index: %w", err)
	}
	sum := sha256.Sum256(text)
	x.Hash = hex.EncodeToString(sum[:])
	if x.Manifest.Window != nil {
		return x.wrong("is a window itself", "give a dataset of the whole capture")
	}
	if !x.Has(&schema.Segments) {
		return x.wrong("has no table segments", "give a dataset that export made")
	}
	return nil
}

func (x *Index) wrong(problem, remedy string) error {
	return &dataset.Error{File: x.Dir, Problem: problem, Remedy: remedy}
}

// Source returns what the index says of a source, nil if it does not have it.
func (x *Index) Source(id uint8) *schema.SourceTotals {
	sources := x.Manifest.Sources
	i := slices.IndexFunc(sources, func(s schema.SourceTotals) bool { return s.Source == id })
	if i < 0 {
		return nil
	}
	return &sources[i]
}

// rows reads the segments of a source, in order.
type rows struct {
	reader *dataset.Reader
	x      *Index
	batch  *schema.Batch
	at     int   // in batch
	n      int32 // rows read
	stream int64 // the least stream offset that the next may have
}

func (x *Index) rows(source uint8) *rows {
	return &rows{x: x, reader: x.Open(&schema.Segments, source)}
}

// next returns the next segment, nil after the last. It fails with a [*dataset.Error] if the row is
// not the one that has to come.
func (r *rows) next() (*Segment, error) {
	for r.batch == nil || r.at == r.batch.Rows() {
		var err error
		r.batch, err = r.reader.Next()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		r.at = 0
	}
	s := SegmentOf(r.batch, r.at)
	switch {
	case !s.Known:
		return nil, r.x.wrong("does not say where decoding can begin: an earlier program made it", "export the whole capture again, --level none is fastest")
	case s.Segment != schema.Of(r.n) || s.StreamOffset < r.stream || s.Bytes <= 0 || s.DecodeFrom < 0 || s.DecodeFrom > r.n:
		return nil, r.x.wrong(fmt.Sprintf("has segments out of order, at row %d of source %s", r.n, schema.SourceText(s.Source)), "export the whole capture again")
	}
	r.at++
	r.n++
	r.stream = s.StreamOffset + s.Bytes
	return &s, nil
}

func (r *rows) close() error { return r.reader.Close() }

// segment returns one segment of a source.
func (x *Index) segment(source uint8, n int32) (*Segment, error) {
	r := x.rows(source)
	s, err := r.next()
	for err == nil && s != nil && s.Segment.V < n {
		s, err = r.next()
	}
	if err == nil && s == nil {
		err = x.wrong(fmt.Sprintf("has no segment %d of source %s", n, schema.SourceText(source)), "export the whole capture again")
	}
	return s, errors.Join(err, r.close())
}
