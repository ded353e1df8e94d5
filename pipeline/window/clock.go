package window

import (
	"fmt"
	"math"

	"github.com/tracelake/tracelake/schema"
)

// A clock is how the timestamps of a source run, as the index has them: one for each
// segment. A window by timestamp is whole up to where they fall.
type clock struct {
	falls   int64 // segments at whose end the timestamp is lower than at their begin
	leftOut int64 // segments after the window that have timestamps in it
	first   int32 // of those
}

// pass takes the next segment; next is the one after it, nil after the last.
func (c *clock) pass(s, next *Segment) {
	if next != nil && s.Timestamp.OK && next.Timestamp.OK && next.Timestamp.V < s.Timestamp.V {
		c.falls++
	}
}

// leave takes a segment that is after the window.
func (c *clock) leave(span *Span, s, next *Segment) {
	if !span.hasTimeOf(s, next) {
		return
	}
	if c.leftOut == 0 {
		c.first = s.Segment.V
	}
	c.leftOut++
}

// hasTimeOf reports whether a timestamp at the begin of a segment, at its end or between
// them is in the span.
func (s *Span) hasTimeOf(segment, next *Segment) bool {
	from, to := uint64(0), uint64(math.MaxUint64)
	if s.From.OK && s.From.V.Kind == ByTimestamp {
		from = uint64(s.From.V.N)
	}
	if s.To.OK && s.To.V.Kind == ByTimestamp {
		to = uint64(s.To.V.N)
	}
	in := func(t schema.Null[uint64]) bool { return t.OK && t.V >= from && t.V < to }
	begin := segment.Timestamp
	if in(begin) || next == nil {
		return in(begin)
	}
	end := next.Timestamp
	return in(end) || begin.OK && begin.V < from && end.OK && end.V >= to
}

// note says what a window by timestamp may lack, "" if nothing.
func (c *clock) note() string {
	switch {
	case c.falls == 0:
		return ""
	case c.leftOut == 0:
		return fmt.Sprintf("timestamps fall %s; no segment after the window has timestamps in it", times(c.falls))
	}
	return fmt.Sprintf("timestamps fall %s; after the window %s timestamps in it, left out: the first is segment %d (--from segment=%d)",
		times(c.falls), segmentsHave(c.leftOut), c.first, c.first)
}

func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func segmentsHave(n int64) string {
	if n == 1 {
		return "1 segment has"
	}
	return fmt.Sprintf("%d segments have", n)
}
