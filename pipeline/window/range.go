package window

import (
	"github.com/tracelake/tracelake/pipeline/stitch"
)

// A Range is the segments of one source that a window has.
type Range struct {
	First, Last int32
	// Begin is the segment that decoding begins with: Left, or one before it. Where it is
	// segment 0, decoding begins with the stream.
	Begin, Left Segment
}

// FromStart reports that decoding begins with the stream.
func (r *Range) FromStart() bool { return r.Begin.Segment.V == 0 }

// Prepare makes a stitcher begin where the range does, and emit its rows alone. It fails
// if what the rows say cannot be.
func (r *Range) Prepare(st *stitch.Stitcher) error {
	st.Only(r.First, r.Last)
	switch {
	case r.FromStart():
		return nil
	case r.Begin.Segment == r.Left.Segment:
		return st.Resume(r.Left.Place)
	}
	return st.Resume(r.Begin.Place, r.Left.Place)
}
