package parquetfile

import (
	"bytes"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/schema"
)

// Expected bytes worked out from Encodings.md, "RLE = 3": a run is its length
// times 2 as a varint, then the value in whole bytes; a bit-packed run is the
// number of its groups of 8, times 2, plus 1, then the values, first in the
// lowest bits.
func TestHybrid(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want []byte
	}{
		{"bits, packed", appendBits(nil, []uint8{1, 0, 1, 1, 0, 0, 0, 1}), []byte{0x03, 0x8d}},
		{"bits, group filled up", appendBits(nil, []uint8{1, 0, 1}), []byte{0x03, 0x05}},
		{"bits, run", appendBits(nil, slices.Repeat([]uint8{1}, 100)), []byte{0xc8, 0x01, 0x01}},
		{"bytes, runs", appendSmall(nil, append(slices.Repeat([]uint8{5}, 40), slices.Repeat([]uint8{6}, 40)...), 8), []byte{0x50, 5, 0x50, 6}},
		{"bytes, packed", appendSmall(nil, []uint8{1, 2, 3, 4, 5, 6, 7, 8, 9}, 8), []byte{0x05, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 0, 0, 0}},
		{"indexes of 2 bits", appendIndexes(nil, []uint8{1, 2, 3, 0, 1, 0, 2, 1, 3}, 3), []byte{2, 0x05, 0x39, 0x61, 0x03, 0x00}},
		{"indexes of 4 bits", appendIndexes(nil, []uint8{1, 2, 3, 9, 5, 6, 7, 8, 15}, 16), []byte{4, 0x05, 0x21, 0x93, 0x65, 0x87, 0x0f, 0, 0, 0}},
		{"indexes, run", appendIndexes(nil, slices.Repeat([]uint8{5}, 7), 17), []byte{8, 0x0e, 5}},
		{"words, packed", appendWords(nil, []byte{2, 1, 3, 0}), []byte{0x03, 2, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		{"words, run", appendWords(nil, bytes.Repeat([]byte{2, 1}, 7)), []byte{0x0e, 2, 1}},
		{"levels, no NULL", appendLevels(nil, nil, page{values: 5}), []byte{2, 0, 0, 0, 0x0a, 1}},
		{"levels, all NULL", appendLevels(nil, nil, page{values: 3, nulls: 3}), []byte{2, 0, 0, 0, 0x06, 0}},
		{"levels, some", appendLevels(nil, &schema.Vector{Valid: []uint8{0, 1, 0}}, page{values: 3, nulls: 2}), []byte{2, 0, 0, 0, 0x03, 0x02}},
	} {
		if !bytes.Equal(c.got, c.want) {
			t.Errorf("%s: % x, want % x", c.name, c.got, c.want)
		}
	}
}

// Runs are found, or not, wherever the values change.
func TestIsRuns(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []uint8
		want   bool
	}{
		{"none", nil, true},
		{"one", []uint8{7}, true},
		{"constant", make([]uint8, 5000), true},
		{"alternating", slices.Repeat([]uint8{0, 1}, 2500), false},
		{"change every 16", slices.Repeat(append(make([]uint8, 16), slices.Repeat([]uint8{1}, 16)...), 100), true},
		{"change every 15", slices.Repeat(append(make([]uint8, 15), slices.Repeat([]uint8{1}, 15)...), 100), false},
		{"changes at the end", append(make([]uint8, 1024), slices.Repeat([]uint8{0, 1}, 512)...), false},
		{"change where it looks up", append(make([]uint8, 1025), slices.Repeat([]uint8{1}, 1025)...), true},
	} {
		if got := isRuns(c.values, 1); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
