package dataset

import "testing"

// Code blocks that are not in order are refused, not expanded to something.
func TestReadCodeRefuses(t *testing.T) {
	for _, tt := range []struct {
		name      string
		numbers   []uint32
		positions []uint16
		ok        bool
	}{
		{"in order", []uint32{0, 0, 1, 2, 2}, []uint16{0, 1, 0, 0, 1}, true},
		{"position missing", []uint32{0, 0}, []uint16{0, 2}, false},
		{"block missing", []uint32{0, 2}, []uint16{0, 0}, false},
		{"not from 0", []uint32{1}, []uint16{0}, false},
		{"not from position 0", []uint32{0}, []uint16{1}, false},
		{"block again", []uint32{0, 1, 0}, []uint16{0, 0, 1}, false},
		{"largest", []uint32{0xffffffff}, []uint16{0xffff}, false},
	} {
		c := &code{}
		if err := c.place(tt.numbers, tt.positions); (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
