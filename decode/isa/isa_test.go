package isa_test

import (
	"slices"
	"testing"

	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// compareTotals compares how often each kind came; KindOther is the rest.
func compareTotals(t *testing.T, got, want map[schema.Kind]int) {
	t.Helper()
	for k := range schema.KindNames {
		kind := schema.Kind(k)
		if kind != schema.KindOther && got[kind] != want[kind] {
			t.Errorf("%v: %d encodings, want %d", kind, got[kind], want[kind])
		}
	}
}

// TestAllHalfwords holds what is true of every instruction, for all values of
// each half of it.
func TestAllHalfwords(t *testing.T) {
	for n := range uint32(1 << 16) {
		h := uint16(n)
		for _, thumbEE := range []bool{false, true} {
			checkForm(t, isa.PFT.T32(h, 0x8000, 0x1000, thumbEE))
			checkForm(t, isa.PFT.T32(h, 0xF95F, 0x1002, thumbEE))
			checkForm(t, isa.PFT.T32(0xF3BF, h, 0xFFFFFFFE, thumbEE))
			checkForm(t, isa.PFT.T32(0xF7FF, h, 0, thumbEE))
			checkForm(t, isa.PFT.T32(0xF85D, h, 0, thumbEE))
		}
		checkForm(t, isa.PFT.A32(n<<16, 0x1000))
		checkForm(t, isa.PFT.A32(n<<16|0xFF1E, 0xFFFFFFFC))
		checkForm(t, isa.PFT.A32(0xE1A00000|n, 0))
	}
}

func checkForm(t *testing.T, i isa.Instruction) {
	t.Helper()
	if i.Size != 2 && i.Size != 4 {
		t.Fatalf("%08x: size %d", i.Opcode, i.Size)
	}
	var flows []isa.Flow
	switch i.Kind {
	case schema.KindBranch, schema.KindCall:
		flows = []isa.Flow{isa.Direct}
	case schema.KindIndirect, schema.KindIndirectCall, schema.KindReturn, schema.KindExceptionReturn:
		flows = []isa.Flow{isa.Indirect}
	case schema.KindBarrier:
		flows = []isa.Flow{isa.Barrier, isa.DataBarrier}
	default:
		flows = []isa.Flow{isa.None}
	}
	if !slices.Contains(flows, i.Flow) {
		t.Fatalf("%08x: kind %v with flow %v", i.Opcode, i.Kind, i.Flow)
	}
}

func BenchmarkA32(b *testing.B) {
	var n int
	for b.Loop() {
		for _, e := range a32Encodings {
			isa.PFT.A32(e.w, 0x8000)
			n++
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Minstructions/s")
}

func BenchmarkT32(b *testing.B) {
	var n int
	for b.Loop() {
		for _, e := range t32Encodings {
			isa.PFT.T32(e.h1, e.h2, 0x8000, false)
			n++
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Minstructions/s")
}
