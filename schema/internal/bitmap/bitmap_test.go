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
