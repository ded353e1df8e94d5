package stitch

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// Only makes rows and outcome those of the segments from first to last alone. What is
// before the first cut belongs to segment 0. Only is called before Stitch.
func (s *Stitcher) Only(first, last int32) {
	w := window{true, first, last}
	s.window, s.sinks = w, w.sinks(s.sinks)
}

// Past reports that no row of the window can change any more, and none can come.
func (s *Stitcher) Past() bool {
	w, open := &s.window, s.open.Segment
	if !w.on || !open.OK || open.V <= w.last {
		return false
	}
	since := s.data.Since() // a value may come for a placeholder in the window
	return !since.OK || since.V > w.last
}

// At returns how many units of the stream come before what is stitched next.
func (s *Stitcher) At() int64 { return s.at }

// sinks returns sinks that pass rows of the window on: all but data accesses and code
// blocks, which are not of one segment at a time.
func (w *window) sinks(to Sinks) Sinks {
	to.Exceptions, to.Timestamps, to.Contexts = within(w, to.Exceptions), within(w, to.Timestamps), within(w, to.Contexts)
	to.Events, to.Losses = within(w, to.Events), within(w, to.Losses)
	to.Segments, to.Packets = within(w, to.Segments), within(w, to.Packets)
	if to.Counts != nil {
		to.Counts = countsWithin{w, to.Counts}
	}
	to.Runs = w.runs(to.Runs)
	return to
}

func within[T any](w *window, to Sink[T]) Sink[T] {
	if to == nil {
		return nil
	}
	return func(b Base, rows []T) error {
		if !w.has(b.Segment) {
			return nil
		}
		return to(b, rows)
	}
}

type countsWithin struct {
	w  *window
	to CountSink
}

// Add implements [CountSink].
func (s countsWithin) Add(b Base, counts decode.CountRows, sums []schema.CountSum) error {
	if !s.w.has(b.Segment) {
		return nil
	}
	return s.to.Add(b, counts, sums)
}

// Gap implements [CountSink].
func (s countsWithin) Gap(b Base, cycles int64) {
	if s.w.has(b.Segment) {
		s.to.Gap(b, cycles)
	}
}

func (w *window) runs(to RunSink) RunSink {
	if to == nil {
		return nil
	}
	var unit *decode.Result // of the last runs in the window
	return func(r Runs) error {
		if !w.has(r.Base.Segment) {
			return nil
		}
		r.Begins, unit = r.Unit != unit, r.Unit
		return to(r)
	}
}
