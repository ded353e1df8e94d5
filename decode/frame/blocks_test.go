package frame

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// inBlocks takes a census block by block; false if it cannot.
func inBlocks(t *testing.T, b []byte, layout Layout) (*Census, bool) {
	t.Helper()
	blocks, ok, err := NewBlocks(bytes.NewReader(b), int64(len(b)), layout)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return nil, false
	}
	for i := range blocks.Len() {
		k, err := blocks.Count(i)
		if errors.Is(err, ErrOutOfStep) {
			return nil, false
		}
		if err != nil {
			t.Fatal(err)
		}
		blocks.Add(k)
	}
	return blocks.Census(), true
}

// Counted in blocks, a buffer has the census that Scan takes of it frame by frame,
// wherever frames begin, whatever follows them, and however they are damaged; and if
// Scan finds all in step, blocks do.
func TestBlocks(t *testing.T) {
	long := testFrames(3 * blockBytes / frameSize)
	random := rand.New(rand.NewPCG(3, 5))
	damaged := slices.Clone(long)
	for range 200 {
		damaged[random.IntN(len(damaged))] ^= 1 << random.IntN(8)
	}
	counted := 0
	for name, b := range map[string][]byte{
		"nothing": {}, "less than a frame": long[:9], "frames": long, "one block": long[:blockBytes],
		"one frame more": long[:blockBytes+frameSize],
		"cut off":        long[:len(long)-5], "padded with 00": slices.Concat(long, make([]byte, 1000)),
		"padded with FF": slices.Concat(long, bytes.Repeat([]byte{0xff}, 500)),
		"no ID":          make([]byte, 200), "sync frames": slices.Concat(long[:1600], []byte(syncFrame), long[1600:]),
		"damaged":     damaged,
		"a byte lost": slices.Concat(long[:70_000], long[70_001:]),
	} {
		for _, layout := range []Layout{{}, {IDs: goodIDs(nil, []uint8{0x10, 0x11})}, {Offset: 7}, {RingStart: 32},
			{Sync: true}} {
			if layout.check(int64(len(b))) != nil {
				continue
			}
			want := census(t, b, layout)
			got, ok := inBlocks(t, b, layout)
			switch {
			case !ok && want.Steady(&layout) && layout.IDs.Empty() && layout.RingStart == 0:
				t.Errorf("%s, %+v: not counted in blocks", name, layout)
			case ok && !reflect.DeepEqual(got, want):
				t.Errorf("%s, %+v:\n got %+v\nwant %+v", name, layout, got, want)
			case ok:
				counted++
			}
		}
	}
	if counted < 10 {
		t.Errorf("only %d were counted in blocks", counted)
	}
}

// A reader that is told that all frames of a buffer are in step reads them as one that
// looks.
func TestSteady(t *testing.T) {
	b := testFrames(5000)
	layout := detect(t, b, DetectOptions{Configured: []uint8{0x10, 0x11}})
	if c := census(t, b, layout); !c.Steady(&layout) {
		t.Fatalf("not steady: %+v", c)
	}
	steady := layout
	steady.Steady = true
	for _, id := range []uint8{0x10, 0x11, 0x12} {
		if got, want := readAll(t, b, steady, id, 4096), readAll(t, b, layout, id, 4096); !reflect.DeepEqual(got, want) {
			t.Errorf("source %#x reads otherwise", id)
		}
	}
	unsteady := slices.Concat(b[:1600], []byte(syncFrame), b[1600:])
	if census(t, unsteady, layout).Steady(&layout) {
		t.Error("a buffer with a sync frame is steady")
	}
}
