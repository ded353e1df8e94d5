package frame

import (
	"bytes"
	"slices"
	"testing"
)

// TestRuns: each run begins with a frame, nothing continues from the one before, and the rest of a frame that
// a run ends in is incomplete.
func TestRuns(t *testing.T) {
	first := unhex(t, "21 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 00  10 11") // ID 0x10, and 2 bytes of a frame
	second := unhex(t, "02 12 21 14 16 16 18 18 1A 1A 1C 1C 1E 1E 20 00")       // 2 bytes before an ID of the run, then 0x10
	third := unhex(t, "21 21 22 23 24 25 26 27 28 29 2A 2B 2C 2D 2E 00")
	b := slices.Concat(first, second, third)
	layout := Layout{Runs: []int64{0, 18, 34}}
	c := census(t, b, layout)
	if o := c.Overhead; o.Incomplete != 2 || o.Unknown != 2 || o.ID != 3 || o.Aux != 3 || c.Breaks.N != 2 {
		t.Errorf("%+v, %d breaks", o, c.Breaks.N)
	}
	if layout.check(int64(len(b))) != nil || c.Steady(&layout) {
		t.Error("runs are never steady: a reader begins anew at each")
	}
	got := readAll(t, b, layout, 0x10, 64)
	want := unhex(t, "01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E  14 16 16 18 18 1A 1A 1C 1C 1E 1E 20  21 22 23 24 25 26 27 28 29 2A 2B "+
		"2C 2D 2E")
	if !bytes.Equal(got.data, want) || !slices.Equal(got.breaks, []int{14, 26}) || got.offsets[14] != 18+3 {
		t.Errorf("% x, breaks %v, offset %d", got.data, got.breaks, got.offsets[14])
	}
	for to, offset := range map[int64]int64{0: 0, 17: 16, 18: 18, 33: 18, 34: 34, 49: 34} {
		skipped := Layout{Runs: layout.Runs}
		if skipped.SkipTo(to); skipped.Offset != offset {
			t.Errorf("skip to %d: begins at %d, not at %d", to, skipped.Offset, offset)
		}
		if c := census(t, b, skipped); c.Overhead.Unaligned != offset {
			t.Errorf("from %d on: %+v", offset, c.Overhead)
		}
	}
}
