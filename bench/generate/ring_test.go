package generate

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/step"
)

// A ring has the last bytes, the oldest first, however they were written.
func TestRing(t *testing.T) {
	all := []byte("abcdefghijklmnopqrstuvwxyz")
	for size := 1; size <= len(all)+1; size++ {
		for piece := 1; piece <= len(all); piece++ {
			r := &ring{bytes: make([]byte, size)}
			for b := range slices.Chunk(all, piece) {
				if n, err := r.Write(b); n != len(b) || err != nil {
					t.Fatalf("%d bytes written, %v", n, err)
				}
			}
			lost := max(0, len(all)-size)
			if got := r.unrolled(); string(got) != string(all[lost:]) || r.lost() != int64(lost) {
				t.Errorf("ring of %d bytes, written in pieces of %d: %q, %d lost", size, piece, got, r.lost())
			}
		}
	}
}

// Whose bytes are in frames, by their IDs (docs/containers.md).
func TestStreamBytes(t *testing.T) {
	const a, b, null = 0x10<<1 | 1, 0x11<<1 | 1, 0<<1 | 1
	for _, tt := range []struct {
		name   string
		frames []byte
		want   map[uint8]int64
	}{
		{"no ID", make([]byte, 32), map[uint8]int64{}},
		{"from the ID on", []byte{0, 0, a, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0}, map[uint8]int64{0x10: 12}},
		{"byte 14, then the next frame", []byte{
			0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, a, 0,
			2, 2, b, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0,
		}, map[uint8]int64{0x10: 2, 0x11: 12}},
		{"delayed change", []byte{a, 1, b, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1 << 1}, map[uint8]int64{0x10: 2, 0x11: 11}},
		{"delayed change, the old one unknown", []byte{a, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1},
			map[uint8]int64{0x10: 13}},
		{"padding", []byte{a, 1, null, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, map[uint8]int64{0x10: 1}},
	} {
		if got := streamBytes(tt.frames); !maps.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// What is left in a ring that wrapped, of one source or several, decodes to the
// truth of it.
func TestWrapped(t *testing.T) {
	seen := tally{}
	for seed := range need.Size[uint64](4, 60) {
		for _, r := range []Recipe{
			{Protocol: "pft", Minor: 1, ReturnStack: true, Timestamps: true, VMID: true, Variation: 0.2},
			{Protocol: "pft", CycleAccurate: true, Timestamps: true, Variation: 0.02},
			{Protocol: "etmv3", Minor: 5, CycleAccurate: true, Timestamps: true, VMID: true, Data: DataBoth},
			{Protocol: "etmv3", Minor: 3, Framing: NoFrames, TwoAtoms: true},
			{Protocol: "etmv3", Minor: 1, Data: DataOnly},
			{Protocol: "etmv3", Minor: 5, V7M: true, Data: DataAddresses, CycleAccurate: true},
		} {
			t.Run(fmt.Sprintf("%s, minor %d, %d", r.Protocol, r.Minor, seed), func(t *testing.T) {
				r.Seed, r.Instructions, r.ContextIDBytes, r.Cores = seed, 20_000, 1, 3
				r.Exceptions, r.Switches, r.TraceOff, r.Overflow, r.Debug, r.Triggers = 2000, 500, 200, 200, 200, 200
				if r.Framing == NoFrames {
					r.Cores = 1
				}
				r.Ring = frameBytes * (50 + int(seed%7)*100)
				w := (&trial{recipe: r, workload: workloadKind{bytes: 10_000}}).program(t)
				c, err := r.Capture(w)
				if err != nil {
					t.Fatal(err)
				}
				roundTrip(t, c, seed, seen)
			})
		}
	}
	t.Logf("rows compared: %v", seen)
	if seen["instructions"] == 0 || seen["losses"] == 0 {
		t.Error("nothing compared")
	}
}

// What no ring is, and what of one is not known.
func TestRingRefused(t *testing.T) {
	for _, r := range []Recipe{
		{Ring: 1000},
		{Ring: -16},
		{Ring: mostRing + 16},
		{Ring: 1024, Framing: FramesOfPort},
		{Ring: 1024, Protocol: "etmv3", Variation: 0.1},
	} {
		if r.Protocol == "" {
			r.Protocol = "pft"
		}
		r.Instructions = 1
		if _, err := r.Capture(&Workload{}); err == nil {
			t.Errorf("%+v: no error", r)
		}
	}
	if _, err := (&Recipe{Ring: 1024, Protocol: "pft"}).Capture(&Workload{Recorded: step.Steps(nil)}); err != nil {
		t.Error(err) // nothing is recorded
	}
	nothing := func(func(step.Step, error) bool) {}
	if _, err := (&Recipe{Ring: 1024, Protocol: "pft"}).Capture(&Workload{Recorded: nothing}); err == nil {
		t.Error("a ring of a recording: no error")
	}
}
