package window

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
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

// segment returns a segment of a source that is before another one.
func (x *Index) segment(source uint8, n int32, before *Segment) (*Segment, error) {
	r, err := x.rowsTo(source, schema.SegmentsStreamOffset, before.StreamOffset, func(s *Segment) bool { return s.Segment.V <= n })
	if err != nil {
		return nil, err
	}
	s, err := r.next()
	for err == nil && s != nil && s.Segment.V < n {
		s, err = r.next()
	}
	if err == nil && s == nil {
		err = r.disorder()
	}
	return s, errors.Join(err, r.close())
}

// rowsFrom returns rows from about where a span begins.
func (x *Index) rowsFrom(source uint8, span *Span, buffer Ring) (*rows, error) {
	from := span.From.V
	switch {
	case !span.From.OK || from.Kind == ByTimestamp || from.Kind == ByOffset && buffer.Start > 0: // not by what rises
		return x.rowsTo(source, schema.SegmentsStreamOffset, 0, nil)
	case from.Kind == BySegment: // segments are much alike
		return x.rowsTo(source, schema.SegmentsStreamOffset, x.guess(source, from.N), func(s *Segment) bool { return int64(s.Segment.V) <= from.N })
	case from.Kind == BySeq:
		return x.rowsTo(source, schema.SegmentsSeq, from.N, func(s *Segment) bool { return s.Seq <= from.N })
	}
	return x.rowsTo(source, schema.SegmentsByteOffset, from.N, func(s *Segment) bool { return s.ByteOffset <= from.N })
}

// guess returns about where in the stream of a source a segment begins.
func (x *Index) guess(source uint8, segment int64) int64 {
	t := x.Source(source)
	if t == nil || segment >= t.Segments || t.Bytes < 0 {
		return 0
	}
	return int64(float64(t.Bytes) / float64(t.Segments) * float64(segment))
}
