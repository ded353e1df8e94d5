package digest_test

import (
	"encoding/binary"
	"hash/fnv"
	"io"
	"testing"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/encode/pft"
	"github.com/tracelake/tracelake/bench/internal/benchtest"
	"github.com/tracelake/tracelake/bench/truth"
	"github.com/tracelake/tracelake/bench/truth/digest"
	codec "github.com/tracelake/tracelake/decode/pft"
	"github.com/tracelake/tracelake/schema"
)

// The hash of the timing, column by column: only waypoints have cycles, the sum
// continues, a timestamp holds from the next instruction on.
func TestTruthTiming(t *testing.T) {
	o := pft.Options{
		Config: codec.Config{Minor: 1, CycleAccurate: true, ContextIDBytes: 1}, Timestamps: true, TimestampBase: 128, CyclesPerTick: 1,
	}
	d := digest.New(o.Source)
	steps := benchtest.ParseSteps(t, "8000:0000a0e10ef0b0e1 9000:feffffea", "8000/cc=5/ctx=7 8004>9000/cc=6/ctx=7 9000>9000/cc=2/ctx=7")
	if err := encode.All(pft.New(io.Discard, d, o), steps); err != nil {
		t.Fatal(err)
	}
	got := d.Truth()
	const null = -1
	hash := fnv.New64a()
	for _, row := range [][4]int64{ // cycles, cycle, timestamp, context_id
		{null, null, 128, 7},
		{11, 11, 128, 7},
		{2, 13, 128 + 11, 7}, // after a timestamp that follows the exception return
	} {
		for _, v := range row {
			var b [9]byte
			if v != null {
				b[0] = 1
				binary.LittleEndian.PutUint64(b[1:], uint64(v))
			}
			hash.Write(b[:])
		}
	}
	if uint64(got.Timing) != hash.Sum64() {
		t.Errorf("hash %x, want %x", uint64(got.Timing), hash.Sum64())
	}
	if len(got.Contexts) != 1 || *got.Contexts[0].ContextID != 7 || got.Contexts[0].Seq != 0 {
		t.Errorf("contexts %+v, want 7 from 0 on", got.Contexts)
	}
	if last := got.Timestamps[len(got.Timestamps)-1]; last.Seq != 2 || last.Timestamp != 139 || *last.Cycle != 11 {
		t.Errorf("last timestamp %+v, want 139 at seq 2, cycle 11", last)
	}
	want := map[string][2]int64{"isync": {1, 0}, "timestamp": {2, 0}, "branch": {1, 11}, "atom": {1, 2}}
	for kind, w := range want {
		if counts := got.Counts[kind]; counts.Rows != w[0] || counts.Cycles != w[1] {
			t.Errorf("counts of kind %s %+v, want %v", kind, counts, w)
		}
	}
}

// The hashes have all bits of an address, the exception level and the transaction where the trace says
// them; addresses of 64 bits are written and read.
func TestTruthOfA64(t *testing.T) {
	of := func(row truth.Instruction) digest.Truth {
		d := digest.New(0)
		d.Instruction(&row)
		return *d.Truth()
	}
	const kernel = 0xffff800080001000
	a := of(truth.Instruction{Address: kernel})
	if b := of(truth.Instruction{Address: kernel & 0xffffffff}); a.Program == b.Program {
		t.Error("the program is that of an address of 32 bits")
	}
	seen := map[digest.Hash]bool{a.Timing: true}
	for _, row := range []truth.Instruction{
		{State: truth.State{ExceptionLevel: schema.Of[uint8](0)}},
		{State: truth.State{ExceptionLevel: schema.Of[uint8](1)}},
		{State: truth.State{ExceptionLevel: schema.Of[uint8](1)}, Transaction: schema.Of(false)},
		{State: truth.State{ExceptionLevel: schema.Of[uint8](1)}, Transaction: schema.Of(true)},
	} {
		if x := of(row).Timing; seen[x] {
			t.Errorf("%+v has the timing of another row", row)
		} else {
			seen[x] = true
		}
	}
	text, err := digest.Address(kernel).MarshalText()
	if err != nil || string(text) != "0xffff800080001000" {
		t.Errorf("%s, %v", text, err)
	}
	var back digest.Address
	if err := back.UnmarshalText(text); err != nil || back != kernel {
		t.Errorf("%x, %v", back, err)
	}
}
