package frame

import (
	"testing"

	"github.com/tracelake/tracelake/decode"
)

// TestFarApart: the bytes of a piece have the right offsets, however far apart.
func TestFarApart(t *testing.T) {
	frame := unhex(t, frameA) // source 0x10 from byte 1 on
	const far = 1 << 40
	r := NewReader(nil, 1<<41, Layout{}, 0x10)
	var p decode.Piece
	r.data, r.limit, r.offsets = p.Room(64), 64, &p.Offsets
	for _, at := range []int64{0, far} {
		r.s = extent{kind: frames, n: frameSize, data: frame, offset: at}
		if !r.fill() {
			t.Fatalf("the frame at %d does not go in", at)
		}
		if got := int64(r.offsets.At(r.n - 1)); got != at+13 {
			t.Errorf("last byte at %d, want %d", got, at+13)
		}
	}
}
