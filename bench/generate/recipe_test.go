package generate

import (
	"testing"

	"github.com/tracelake/tracelake/decode/image"
)

// A snapshot has some bytes after each region of a program, where these are free.
func TestPadded(t *testing.T) {
	regions := []image.Region{
		{Address: 0x100, Bytes: make([]byte, 8)},        // the next one follows
		{Address: 0x108, Bytes: make([]byte, 7)},        // one byte is free
		{Address: 0x110, Bytes: make([]byte, 6)},        // free
		{Address: 0xffff_fff0, Bytes: make([]byte, 15)}, // the end of memory
	}
	want := []int{8, 7, 8, 15}
	for i, r := range padded(regions) {
		if len(r.Bytes) != want[i] {
			t.Errorf("region at 0x%x: %d bytes, want %d", r.Address, len(r.Bytes), want[i])
		}
	}
	if len(regions[2].Bytes) != 6 {
		t.Error("the program has more bytes, too")
	}
}
