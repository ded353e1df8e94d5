package stitch

import "testing"

// Decoding begins before the run of dependent segments that a segment is in.
func TestDependents(t *testing.T) {
	var d dependents
	for _, segment := range []int32{2, 3, 4, 7, 9} {
		d = d.with(segment)
	}
	for _, tt := range []struct{ segment, want int32 }{{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 5}, {7, 6}, {8, 8}, {9, 8}, {10, 10}} {
		if got := d.before(tt.segment); got != tt.want {
			t.Errorf("segment %d is decoded from %d on, want %d", tt.segment, got, tt.want)
		}
	}
	if len(d) > 0 {
		t.Errorf("%v is kept", d)
	}
}
