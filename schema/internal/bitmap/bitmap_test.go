package bitmap

import (
	"bytes"
	"testing"
)

func TestAppend(t *testing.T) {
	for _, c := range []struct {
		src  []uint8
		want []byte
	}{
		{nil, nil},
		{[]uint8{1}, []byte{0x01}},
		{[]uint8{0, 1, 1}, []byte{0x06}},
		{[]uint8{1, 0, 0, 0, 0, 0, 0, 1}, []byte{0x81}},
		{[]uint8{1, 1, 1, 1, 1, 1, 1, 1, 0, 1}, []byte{0xff, 0x02}},
		{[]uint8{0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1}, []byte{0xaa, 0x55, 0x01}},
	} {
		if got := Append([]byte{0x77}, c.src); !bytes.Equal(got[1:], c.want) || got[0] != 0x77 {
			t.Errorf("Append(%v) = % x, want 77 % x", c.src, got, c.want)
		}
	}
}

// Numbers of 2 and 4 bits lie one after the other, the first in the lowest bits.
func TestAppendSmall(t *testing.T) {
	src := []uint8{1, 2, 3, 0, 2, 1, 0, 3, 3, 1, 2, 0, 1, 0, 0, 2, 3, 2}
	for n := range len(src) + 1 {
		for _, c := range []struct {
			bits int
			got  []byte
		}{{2, AppendPairs([]byte{0x77}, src[:n])}, {4, AppendNibbles([]byte{0x77}, src[:n])}} {
			want := make([]byte, (n*c.bits+7)/8)
			for i, x := range src[:n] {
				want[i*c.bits/8] |= x << (i * c.bits % 8)
			}
			if !bytes.Equal(c.got, append([]byte{0x77}, want...)) {
				t.Errorf("%d numbers of %d bits: % x, want 77 % x", n, c.bits, c.got, want)
			}
		}
	}
}
