package stitch

import (
	"cmp"
	"slices"
)

// A run is segments that follow each other, from first to last.
type run struct{ first, last int32 }

// dependents are segments at which decoding cannot begin (decode.SegmentStart), as far as
// one that comes may reach back to them: rising.
type dependents []run

// with returns d with a segment after all of it.
func (d dependents) with(segment int32) dependents {
	if n := len(d); n > 0 && d[n-1].last == segment-1 {
		d[n-1].last = segment
		return d
	}
	return append(d, run{segment, segment})
}

// before returns the last segment up to one at which decoding can begin, and drops what is
// before that: no later call asks for an earlier one.
func (d *dependents) before(segment int32) int32 {
	i, _ := slices.BinarySearchFunc(*d, segment, func(r run, segment int32) int { return cmp.Compare(r.last, segment) })
	if *d = (*d)[i:]; len(*d) > 0 && (*d)[0].first <= segment {
		return (*d)[0].first - 1
	}
	return segment
}
