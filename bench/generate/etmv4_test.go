package generate

import (
	"bytes"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/program/codegen"
	"github.com/tracelake/tracelake/bench/truth"
	codec "github.com/tracelake/tracelake/decode/etmv4"
)

// Trace units send every kind of packet but those of data trace, which is not made, and cancel any number
// of P0 elements up to all that may be open.
func TestPacketsOfETMv4(t *testing.T) {
	kinds := map[codec.Kind]int{}
	depths := map[uint32]bool{}
	for _, r := range []Recipe{
		{Protocol: "etmv4", Minor: 6},
		{Protocol: "etmv4", Minor: 2, V7M: true},
		{Protocol: "etmv4", Minor: 0, ProfileR: true},
		{Protocol: "ete", Minor: 3},
	} {
		r.MaxSpec, r.QElements, r.Timestamps, r.CycleAccurate, r.Variation = 255, true, true, true, 0.05
		r.Exceptions, r.TraceOff, r.Overflow = 1000, 100, 100
		for r.Seed = range 8 {
			r.Instructions = 10_000
			for _, p := range packetsOf(t, &r) {
				if kinds[p.Kind]++; p.Kind == codec.Cancel {
					depths[p.Count.Value] = true
				}
			}
		}
	}
	for k := codec.ASync; k <= codec.Atoms; k++ {
		ofData := slices.Contains([]codec.Kind{codec.NumberedMarker, codec.UnnumberedMarker}, k)
		if kinds[k] > 0 == ofData {
			t.Errorf("%d packets of %s", kinds[k], k)
		}
	}
	if len(depths) < 200 {
		t.Errorf("cancels of %d numbers of P0 elements, want nearly all from 1 to 255", len(depths))
	}
}

// packetsOf returns the packets that a trace unit sends of a program made up.
func packetsOf(t *testing.T, r *Recipe) (packets []codec.Packet) {
	t.Helper()
	w, err := GeneratedWorkload(codegen.Options{
		Seed: r.Seed, Bytes: 10_000, Base: 0x8000, Arch: r.Arch(), Transactions: HasTransactions(r.Protocol),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.check(w); err != nil {
		t.Fatal(err)
	}
	var stream bytes.Buffer
	core := r.cores(w, recipeFirstSource)[0]
	if err := encode.All(core.Encoder(&stream, truth.NoRows(), 0), core.Steps); err != nil {
		t.Fatal(err)
	}
	o := r.etmv4Options(core.Source)
	var p codec.Packet
	for b := stream.Bytes(); len(b) > 0; b = b[p.Len:] {
		if err := o.Parse(&p, b); err != nil {
			t.Fatal(err)
		}
		packets = append(packets, p)
	}
	return packets
}
