package frame

import (
	"math"
	"testing"
)

// TestFarApart: bytes too far apart for one piece go in two, with the right
// offsets; those that just fit go in one.
func TestFarApart(t *testing.T) {
	frame := unhex(t, frameA) // source 0x10 from byte 1 on
	for _, test := range []struct {
		far  int64 // offset of the second frame
		fits bool
	}{
		{math.MaxUint32 - frameSize, true},
		{math.MaxUint32 + 2, false},
		{1 << 40, false},
	} {
		r := NewReader(nil, 1<<41, Layout{}, 0x10)
		r.s = extent{kind: frames, n: frameSize, data: frame}
		if !r.fill() || r.n != 13 {
			t.Fatalf("%d bytes of the first frame", r.n)
		}
		r.s = extent{kind: frames, n: frameSize, data: frame, offset: test.far}
		if got := r.fill(); got != test.fits {
			t.Errorf("frame at %d goes in: %v", test.far, got)
		}
		if !test.fits { // Next gives the piece away here
			if r.n != 13 {
				t.Errorf("piece of %d bytes", r.n)
			}
			r.n = 0
			if !r.fill() {
				t.Errorf("frame at %d does not go into a new piece", test.far)
			}
		}
		if got := r.base + int64(r.delta[r.n-1]); got != test.far+13 {
			t.Errorf("last byte at %d, want %d", got, test.far+13)
		}
	}
}
