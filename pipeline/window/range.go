package window

import (
	"errors"

	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// A Range is the segments of one source that a window has.
type Range struct {
	First, Last int32
	// Begin is the segment that decoding begins with: Left, or one before it. Where it is
	// segment 0, decoding begins with the stream.
	Begin, Left Segment
	Units       int64 // of the stream, that the segments have
	// After is the capture offset of the segment after the last; NULL: there is none.
	After schema.Null[int64]

	// Stack is the path of the node that the first instruction of Left is executed in, the root
	// first; nil: the index does not say.
	Stack []schema.Frame

	clock   clock
	checked []Segment // the first of them: see [check]
}

// FromStart reports that decoding begins with the stream.
func (r *Range) FromStart() bool { return r.Begin.Segment.V == 0 }

// Offsets returns the capture offsets of the range; to is below 0 at the end.
func (r *Range) Offsets() (from, to int64) {
	from, to = r.Left.ByteOffset, -1
	if r.First == 0 {
		from = 0
	}
	if r.After.OK {
		to = r.After.V
	}
	return from, to
}

// Prepare makes a stitcher begin where the range does, and emit its rows alone. It fails
// if what the rows say cannot be.
func (r *Range) Prepare(st *stitch.Stitcher) error {
	st.Only(r.First, r.Last)
	switch {
	case r.FromStart():
		return nil
	case r.Begin.Segment == r.Left.Segment:
		return st.Resume(r.Left.Checkpoint)
	}
	return st.Resume(r.Begin.Checkpoint, r.Left.Checkpoint)
}

// Range returns the segments of a source that have something of a span, nil if none has.
// Offsets are those in a buffer.
func (x *Index) Range(source uint8, span *Span, buffer Ring) (*Range, error) {
	rows, err := x.rowsFrom(source, span, buffer)
	if err != nil {
		return nil, err
	}
	f := finder{span: span, buffer: buffer}
	err = f.find(rows)
	if err = errors.Join(err, rows.close()); err != nil || f.found == nil {
		return nil, err
	}
	r := f.found
	if f.from == r.First {
		r.Begin = r.Left
		return r, nil
	}
	begin, err := x.segment(source, f.from, &r.Left)
	if err != nil {
		return nil, err
	}
	r.Begin = *begin
	return r, nil
}

// A finder finds the segments of a span.
type finder struct {
	span   *Span
	buffer Ring
	found  *Range
	from   int32 // segment that decoding has to begin with
	clock  clock
}

// find reads segments until it knows the last of the span; by timestamps, which may fall, all
// of them.
func (f *finder) find(rows *rows) error {
	s, err := rows.next()
	for s != nil && err == nil && !f.done() {
		var next *Segment
		if next, err = rows.next(); err != nil {
			return err
		}
		f.clock.pass(s, next)
		switch in := f.before(s); {
		case f.found == nil && in && f.reaches(s, next):
			f.found, f.from = &Range{First: s.Segment.V, Left: *s}, s.DecodeFrom
			f.add(s)
		case f.found == nil:
		case in && !f.found.After.OK:
			f.add(s)
		default:
			if !f.found.After.OK {
				f.found.After = schema.Of(s.ByteOffset)
			}
			f.clock.leave(f.span, s, next)
		}
		s = next
	}
	if f.found != nil {
		f.found.clock = f.clock
	}
	return err
}

// done reports that no later segment matters.
func (f *finder) done() bool {
	return f.found != nil && f.found.After.OK && f.span.To.V.Kind != ByTimestamp
}

// add adds the next segment to what was found.
func (f *finder) add(s *Segment) {
	r := f.found
	r.Last, f.from = s.Segment.V, min(f.from, s.DecodeFrom)
	r.Units += s.Bytes
	if len(r.checked) < maxChecked {
		r.checked = append(r.checked, *s)
	}
}

// reaches reports whether the span begins in a segment, or before it; next is the one after
// it, nil after the last.
func (f *finder) reaches(s, next *Segment) bool {
	from := f.span.From
	if !from.OK {
		return true
	}
	n := from.V.N
	switch from.V.Kind {
	case BySegment:
		return int64(s.Segment.V) >= n
	case BySeq:
		return next != nil && next.Seq > n || next == nil && s.Seq+s.Instructions > n
	case ByTimestamp:
		return next == nil || next.Timestamp.OK && int64(next.Timestamp.V) >= n
	}
	return n < f.buffer.Size && (next == nil || f.buffer.place(next.ByteOffset) > f.buffer.place(n))
}

// before reports whether a segment begins before the span ends.
func (f *finder) before(s *Segment) bool {
	to := f.span.To
	if !to.OK {
		return true
	}
	n := to.V.N
	switch to.V.Kind {
	case BySegment:
		return int64(s.Segment.V) < n
	case BySeq:
		return s.Seq < n
	case ByTimestamp:
		return !s.Timestamp.OK || int64(s.Timestamp.V) < n
	}
	return s.Segment.V == 0 || f.buffer.place(s.ByteOffset) < f.buffer.end(n) // what is before it is its
}

// maxChecked is how many segments of a window are compared with the index.
const maxChecked = 1024
