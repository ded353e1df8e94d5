package frame

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// An idCount is how many ID bytes some bytes have: of a configured source, and of
// reserved IDs, which no frames name.
type idCount struct{ good, bad int }

// window returns 64 frames, whose mixed bytes have the ID bytes even, and whose
// others have odd: what would be their mixed bytes at an odd offset. The bad ones
// come first.
func window(even, odd idCount) []byte {
	const good, bad, data = 0x10<<1 | 1, 0x70<<1 | 1, 0x42
	b := bytes.Repeat([]byte{data}, windowBytes)
	for parity, n := range []idCount{even, odd} {
		for i := range n.bad {
			b[parity+2*i] = bad
		}
		for i := range n.good {
			b[parity+2*(n.bad+i)] = good
		}
	}
	return b
}

// Frames are in step if 90 % of their ID bytes name a likely source, and not if it
// is less.
func TestMinShare(t *testing.T) {
	opt := DetectOptions{Configured: []uint8{0x10}}
	for _, tt := range []struct {
		ids idCount
		ok  bool
	}{
		{idCount{90, 10}, true},
		{idCount{9, 1}, true},
		{idCount{80, 9}, false}, // 89.9 %
		{idCount{8, 1}, false},
	} {
		frames := bytes.Repeat(window(tt.ids, idCount{bad: 100}), 4)
		port := slices.Concat([]byte(fsync), frames)
		for _, b := range [][]byte{frames, port} {
			layout, err := Detect(bytes.NewReader(b), int64(len(b)), opt)
			not, refused := errors.AsType[*NotFramesError](err)
			if refused == tt.ok || !tt.ok && (not.Share < 0.8 || not.Share >= 0.9) {
				t.Errorf("%+v, %d bytes: %v", tt.ids, len(b), err)
			}
			if tt.ok && layout.Sync != (len(b) == len(port)) {
				t.Errorf("%+v, %d bytes: sync %v", tt.ids, len(b), layout.Sync)
			}
		}
	}
}

// Frames are left for another alignment if fewer than 90 % of their ID bytes are
// good, two at least are bad, and there 90 % are, of eight at least.
func TestOutOfStep(t *testing.T) {
	layout := Layout{}
	layout.IDs.Add(0x10)
	for _, tt := range []struct {
		here, there idCount
		leave       bool
	}{
		{idCount{17, 2}, idCount{20, 0}, true}, // 89.5 %
		{idCount{18, 2}, idCount{20, 0}, false},
		{idCount{1, 1}, idCount{20, 0}, false},
		{idCount{1, 2}, idCount{9, 1}, true},
		{idCount{1, 2}, idCount{8, 1}, false}, // 88.9 %
		{idCount{1, 2}, idCount{8, 0}, true},
		{idCount{1, 2}, idCount{7, 0}, false},
	} {
		b := slices.Concat(window(idCount{20, 0}, idCount{}), window(tt.here, tt.there),
			bytes.Repeat(window(idCount{}, idCount{}), 4))
		got := census(t, b, layout).Realigned
		if left := got.N == 1; left != tt.leave || left && got.First[0] != windowBytes {
			t.Errorf("here %+v, there %+v: realigned at %v, want %v", tt.here, tt.there, got, tt.leave)
		}
	}
}

// The best offset is the first of equals. The next best is named if it has three
// quarters of its score.
func TestRank(t *testing.T) {
	for _, tt := range []struct {
		scores     []int // by offset
		best, next int
		near       bool
	}{
		{[]int{28, 10, 7, 4}, 0, 1, false},
		{[]int{7, 10, 8, 28}, 3, 1, false},
		{[]int{4, 8, 7, 6, 3}, 1, 2, true},
		{[]int{100, 75}, 0, 1, true},
		{[]int{100, 74}, 0, 1, false},
		{[]int{5, 5, 5}, 0, 1, true},
		{[]int{3, 5, 5}, 1, 2, true},
		{[]int{0, 0}, 0, 1, false}, // equal scores
		{[]int{0, 1}, 1, 0, false},
	} {
		offsets := make([]int, len(tt.scores))
		for i := range offsets {
			offsets[i] = i
		}
		r := rank(offsets, func(offset int) int { return tt.scores[offset] })
		rival, near := r.rival()
		if r.best.offset != tt.best || rival != tt.next || near != tt.near {
			t.Errorf("%v: best %d, next %d, near %v; want %d, %d, %v", tt.scores, r.best.offset, rival, near, tt.best, tt.next,
				tt.near)
		}
	}
}

// streams takes frames without an ID byte at once: as unpack does.
func TestStreams(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	var got [128][]byte
	for range 200 {
		b := make([]byte, frameSize*(1+r.IntN(20))+r.IntN(frameSize))
		for i := range b {
			if b[i] = byte(r.Uint32()); i&1 == 0 && r.IntN(8) > 0 {
				b[i] &^= 1
			}
		}
		var want [128][]byte
		var data [frameData]dataByte
		for f, cur := b, uint8(unknownID); len(f) >= frameSize; f = f[frameSize:] {
			if quiet(f[:frameSize], &lostBytes) == 0 {
				cur = unknownID
				continue
			}
			n := 0
			n, cur = unpack(f, cur, &data)
			for _, d := range data[:n] {
				if IsSource(d.id) {
					want[d.id] = append(want[d.id], d.b)
				}
			}
		}
		streams(b, &got)
		for id := range want {
			if !bytes.Equal(got[id], want[id]) {
				t.Fatalf("source %#x of % x: % x, want % x", id, b, got[id], want[id])
			}
		}
	}
}
