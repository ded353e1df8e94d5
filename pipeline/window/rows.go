package window

import (
	"errors"
	"fmt"
	"io"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// rows reads the segments of a source, in order.
type rows struct {
	reader *dataset.Reader
	index  *Index
	source uint8
	batch  *schema.Batch // nil after the last
	at     int           // in batch

	// Of the next: its ordinal, and the least stream offset it may have.
	ordinal int32
	stream  int64
}

// leastBack is how far before a value its row group is looked for at first.
const leastBack = 1 << 16

// rowsTo returns rows from one on that is good to begin with, or from the first one on, and
// reads little of what is before. Where column, whose values do not fall, is n, the last good
// one is not far.
func (x *Index) rowsTo(source uint8, column schema.IndexU64, n int64, good func(*Segment) bool) (*rows, error) {
	for back := int64(0); ; back = max(2*back, leastBack) {
		least := max(0, n-back)
		reader, err := x.OpenAt(&schema.Segments, source, column, least)
		if err != nil {
			return nil, err
		}
		r := &rows{reader: reader, index: x, source: source}
		if err = r.more(); err != nil {
			return nil, errors.Join(err, r.close())
		}
		if first := r.peek(); least == 0 || first != nil && good(first) {
			return r, r.begin(first, least == 0)
		}
		if err := r.close(); err != nil {
			return nil, err
		}
	}
}

// begin begins at a row: that of segment 0 if all rows are read.
func (r *rows) begin(first *Segment, whole bool) error {
	if first == nil || whole {
		return nil
	}
	if first.Segment.V < 0 || first.StreamOffset < 0 {
		return errors.Join(r.disorder(), r.close())
	}
	r.ordinal, r.stream = first.Segment.V, first.StreamOffset
	return nil
}

// peek returns the first segment read, nil if there is none.
func (r *rows) peek() *Segment {
	if r.batch == nil || r.batch.Rows() == 0 {
		return nil
	}
	s := SegmentOf(r.batch, 0)
	return &s
}

// more reads the next rows.
func (r *rows) more() (err error) {
	r.at = 0
	if r.batch, err = r.reader.Next(); errors.Is(err, io.EOF) {
		r.batch, err = nil, nil
	}
	return err
}

// next returns the next segment, nil after the last. It fails with a [*dataset.Error] if the
// row is not the one that has to come.
func (r *rows) next() (*Segment, error) {
	for r.batch == nil || r.at == r.batch.Rows() {
		if err := r.more(); err != nil || r.batch == nil {
			return nil, err
		}
	}
	s := SegmentOf(r.batch, r.at)
	switch {
	case !s.Known:
		return nil, r.index.wrong("does not say where decoding can begin: an earlier program made it",
			"export the whole capture again; --level none is fastest")
	case s.Segment != schema.Of(r.ordinal) || s.StreamOffset < r.stream || s.Bytes <= 0 ||
		s.StreamOffset+s.Bytes < s.StreamOffset,
		s.DecodeFrom < 0 || s.DecodeFrom > r.ordinal, s.Seq < 0 || s.Instructions < 0 || s.ByteOffset < 0:
		return nil, r.disorder()
	}
	r.at++
	r.ordinal++
	r.stream = s.StreamOffset + s.Bytes
	return &s, nil
}

// disorder is the error that the next row cannot come there.
func (r *rows) disorder() error {
	return r.index.wrong(fmt.Sprintf("has a row of segment %d of source %s that cannot be", r.ordinal,
		schema.SourceText(r.source)), "export the whole capture again")
}

func (r *rows) close() error { return r.reader.Close() }

// segment returns a segment of a source that is before another one.
func (x *Index) segment(source uint8, n int32, before *Segment) (*Segment, error) {
	r, err := x.rowsTo(source, schema.SegmentsStreamOffset, before.StreamOffset,
		func(s *Segment) bool { return s.Segment.V <= n })
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
		return x.rowsTo(source, schema.SegmentsStreamOffset, x.guess(source, from.N),
			func(s *Segment) bool { return int64(s.Segment.V) <= from.N })
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
