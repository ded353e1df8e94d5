package frame

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestCutOut takes 7 bytes out of the middle of each buffer. The frames after them
// are found again within 64 frames, all but the frames beside the cut are read as
// before, and every source has the break.
func TestCutOut(t *testing.T) {
	eachCapture(t, func(t *testing.T, c *framedCapture, b []byte) {
		for _, cut := range []int{len(b) / 2, len(b)/2 + 9, len(b) / 3, len(b)/2 + 5000} {
			if cut+windowBytes > len(b) {
				continue
			}
			damaged := slices.Delete(slices.Clone(b), cut, cut+7)
			layout := detect(t, damaged, c.options())
			got := census(t, damaged, layout)
			if got.Realigned.N != 1 {
				t.Errorf("cut at %d: realigned at %v", cut, got.Realigned)
				continue
			}
			at := int(got.Realigned.First[0])
			if at < cut-frameSize || at > cut+windowBytes {
				t.Errorf("cut at %d, realigned at %d", cut, at)
			}
			t.Logf("cut at %d: realigned %d bytes after it", cut, at-cut)
			for id := range c.bytes {
				whole := readAll(t, b, Layout{}, id, chunkBytes)
				part := readAll(t, damaged, layout, id, 100)
				from := offsetIndex(part, at)
				var breaks []int
				if from > 0 && from < len(part.data) { // otherwise no byte precedes or follows the break
					breaks = []int{from}
				}
				if !slices.Equal(part.breaks, breaks) {
					t.Errorf("cut at %d: ID %#02x breaks before %v, want %v", cut, id, part.breaks, breaks)
				}
				sameRead(t, id, slice(whole, 0, cut-2*frameSize, 0), slice(part, 0, cut-2*frameSize, 0))
				// The current ID is unknown up to the next ID byte: give it 1 KiB.
				after := at + windowBytes
				sameRead(t, id, slice(whole, after+7, len(b), 0), slice(part, after, len(b), 7))
			}
		}
	})
}

// offsetIndex returns the index of the first byte of r from offset on.
func offsetIndex(r read, offset int) int {
	i, _ := slices.BinarySearch(r.offsets, int64(offset))
	return i
}

// slice returns what of r has offsets from from to to, and moves it.
func slice(r read, from, to, move int) read {
	i, j := offsetIndex(r, from), offsetIndex(r, to)
	out := read{data: r.data[i:j], offsets: slices.Clone(r.offsets[i:j])}
	for k := range out.offsets {
		out.offsets[k] += int64(move)
	}
	return out
}

// sameRead checks that both have the same bytes at the same offsets.
func sameRead(t testing.TB, id uint8, a, b read) {
	t.Helper()
	if !bytes.Equal(a.data, b.data) || !slices.Equal(a.offsets, b.offsets) {
		t.Errorf("ID %#02x: %d bytes differ from %d", id, len(b.data), len(a.data))
	}
}

// TestDamage flips, cuts out, puts in and overwrites bytes. Whatever comes out,
// every byte is accounted for, and readers see what the census saw.
func TestDamage(t *testing.T) {
	eachCapture(t, func(t *testing.T, c *framedCapture, b []byte) {
		for seed := range uint64(12) {
			t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
				damaged := damage(rand.New(rand.NewPCG(seed, 0)), slices.Clone(b))
				layout := detect(t, damaged, c.options())
				checkStreams(t, damaged, layout)
			})
		}
	})
}

// damage does one to eight things to b.
func damage(random *rand.Rand, b []byte) []byte {
	for range 1 + random.IntN(8) {
		at := random.IntN(len(b))
		n := 1 + random.IntN(min(600, len(b)-at))
		switch random.IntN(6) {
		case 0:
			b = slices.Delete(b, at, at+n)
		case 1:
			b = slices.Insert(b, at, noise(random, n)...)
		case 2:
			copy(b[at:], noise(random, n))
		case 3:
			b = slices.Insert(b, at, bytes.Repeat([]byte(fsync), 1+random.IntN(9))...)
		case 4:
			b[at] ^= 1 << random.IntN(8)
		case 5:
			b = b[:len(b)-random.IntN(min(n, 50))]
		}
	}
	return b
}

func noise(random *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return b
}

// checkStreams checks that readers of every ID find what the census counts,
// whatever their chunks, and that they report no capture offset twice.
func checkStreams(t testing.TB, b []byte, layout Layout) {
	t.Helper()
	c := census(t, b, layout)
	taken := make([]bool, len(b))
	for id := range uint8(lostByte >> 1) {
		want := c.Streams[id] + c.ReservedIDs[id]
		switch id {
		case NullID: // frames of zeros at the end are no data
			continue
		case FlushID:
			want = c.Overhead.Flush
		case TriggerID:
			want = c.Overhead.Trigger
		}
		if want == 0 && id%16 != 0 { // some are enough
			continue
		}
		got := readAll(t, b, layout, id, 33)
		if int64(len(got.data)) != want {
			t.Errorf("ID %#02x: %d bytes read, %d counted", id, len(got.data), want)
		}
		if IsSource(id) && int64(len(got.breaks)) > c.Breaks.N {
			t.Errorf("ID %#02x: %d breaks, %d counted", id, len(got.breaks), c.Breaks.N)
		}
		for i, o := range got.offsets {
			if taken[o] {
				t.Fatalf("ID %#02x: offset %d reported twice", id, o)
			}
			taken[o] = true
			if v := b[o]; v != got.data[i] && v|1 != got.data[i] {
				t.Fatalf("ID %#02x: byte %#02x, but %#02x at offset %d", id, got.data[i], v, o)
			}
		}
	}
}
