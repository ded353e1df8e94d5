package schema

import "math"

// A Count is a row of `cycle_counts` as decoders write it: what differs from row to
// row, relative to its [CountSpan]. A cycle-accurate packet of one byte makes one, so
// they are small.
type Count struct {
	Offset int64  // as Key.Offset
	Seq    int32  // to be added to that of the span
	Cycle  int32  // likewise
	Cycles uint32 // likewise
	Kind   CountKind
}

// A CountSpan is what holds for the counts from one row up to the next span.
type CountSpan struct {
	First      int   // index of its first count
	Seq        int64 // as Key.Seq: a multiple of CountReach
	Point            // its cycle likewise
	Cycles     Null[int64]
	OutOfEpoch bool // as in CycleCount
	Late       bool // as in CycleCount
}

// CountReach is how far the ordinals and the cycles of counts are from those of their
// span, when they are added: less than this. So spans depend on the counts alone.
const CountReach = 1 << 30

// reachStart returns the multiple of CountReach up to n.
func reachStart(n int64) int64 { return n &^ (CountReach - 1) }

// NewCountSpan returns a span for x and counts like it, from an index on.
func NewCountSpan(first int, x *CycleCount) CountSpan {
	s := CountSpan{First: first, Seq: reachStart(x.Seq), Point: x.Point, OutOfEpoch: x.OutOfEpoch, Late: x.Late,
		Cycles: x.Cycles}
	s.Cycle.V = reachStart(s.Cycle.V)
	if s.Cycles.OK && isUint32(s.Cycles.V) {
		s.Cycles.V = 0
	}
	return s
}

// Takes reports whether x may be a count of s.
func (s *CountSpan) Takes(x *CycleCount) bool {
	return !s.OutOfEpoch && !s.Late && s.Cycles == Of[int64](0) && s.Epoch == x.Epoch && s.Cycle.OK == x.Cycle.OK &&
		s.Seq == reachStart(x.Seq) && s.Cycle.V == reachStart(x.Cycle.V) &&
		!x.OutOfEpoch && !x.Late && x.Cycles.OK && isUint32(x.Cycles.V)
}

// Count returns x relative to s, which takes it or was made for it.
func (s *CountSpan) Count(x *CycleCount) Count {
	return Count{
		Offset: x.Offset, Seq: int32(x.Seq - s.Seq), Cycle: int32(x.Cycle.V - s.Cycle.V),
		Cycles: uint32(x.Cycles.V - s.Cycles.V), Kind: x.Kind,
	}
}

// Row returns the row that x is in s.
func (s *CountSpan) Row(x *Count) CycleCount {
	row := CycleCount{
		Key: Key{Seq: s.Seq + int64(x.Seq), Offset: x.Offset}, Point: s.Point, OutOfEpoch: s.OutOfEpoch, Cycles: s.Cycles,
		Kind: x.Kind, Late: s.Late,
	}
	row.Cycle.V += int64(x.Cycle)
	row.Cycles.V += int64(x.Cycles)
	return row
}

func isUint32(n int64) bool { return 0 <= n && n <= math.MaxUint32 }
