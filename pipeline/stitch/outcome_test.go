package stitch

import "testing"

// A restart next to the first or the last instruction is at an end of the stream; of those before the last two places
// none is.
func TestRestartsAtEnds(t *testing.T) {
	const instructions = 100
	for _, tt := range []struct {
		at   []int64
		want int64
	}{
		{nil, 0},
		{[]int64{0, 1, 1, 2}, 3},
		{[]int64{50, 98}, 0},
		{[]int64{50, 99, 99, 100}, 3},
		{[]int64{0, 50, 51, 52, 100}, 2},
	} {
		var r restarts
		for _, at := range tt.at {
			r.add(at)
		}
		if got := r.atEnds(instructions); got != tt.want {
			t.Errorf("%v: %d at the ends, want %d", tt.at, got, tt.want)
		}
	}
	var r restarts
	r.add(1) // of a stream of one instruction it is at both ends, and counts once
	if got := r.atEnds(1); got != 1 {
		t.Errorf("%d at the ends of one instruction, want 1", got)
	}
}
