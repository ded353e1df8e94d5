package isa_test

import (
	"testing"

	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// FuzzFlow holds what is true of every instruction, and where dialects differ.
func FuzzFlow(f *testing.F) {
	for _, e := range a64Encodings {
		f.Add(e.w, uint64(0xFFFFFF8008000000))
	}
	for _, e := range a32Encodings {
		f.Add(e.w, uint64(0x8000))
	}
	for _, e := range t32Encodings {
		f.Add(uint32(e.h1)<<16|uint32(e.h2), uint64(0xFFFFFFFE))
	}
	for _, e := range dialectEncodings {
		f.Add(uint32(e.h1)<<16|e.w, uint64(0x8002))
	}
	f.Fuzz(func(t *testing.T, w uint32, at uint64) {
		address := schema.Address(at)
		checkA64Form(t, isa.A64(w, address&^3))
		pft, etmv4 := isa.PFT.A32(w, address), isa.ETMv4.A32(w, address)
		checkForm(t, pft)
		checkDialect(t, pft, etmv4)
		h1, h2 := uint16(w>>16), uint16(w)
		pft, etmv4 = isa.PFT.T32(h1, h2, address, false), isa.ETMv4.T32(h1, h2, address, true)
		checkForm(t, pft)
		checkDialect(t, pft, etmv4)
		checkDialectM(t, etmv4, isa.ETMv4M.T32(h1, h2, address, true))
		if pft.Target != schema.Address(uint32(pft.Target)) {
			t.Errorf("%08x at %x: target %x is beyond 2³²", w, address, pft.Target)
		}
	})
}

// checkDialect compares an instruction as PFT and as ETMv4 takes it.
func checkDialect(t *testing.T, pft, etmv4 isa.Instruction) {
	t.Helper()
	switch {
	case etmv4.Flow == isa.Wait:
		etmv4.Flow = isa.None
	case pft.TargetISA == schema.T32EE || pft.Opcode&0xFFFFFFF0 == 0xF3BF8F00: // ENTERX, LEAVEX
		pft = isa.Instruction{Opcode: pft.Opcode, Size: 4}
	}
	if pft != etmv4 {
		t.Errorf("PFT takes %+v, ETMv4 %+v", pft, etmv4)
	}
}

// checkDialectM compares an instruction of A or R profile with that of M profile, which
// has loops and BXAUT of its own, and lacks others.
func checkDialectM(t *testing.T, a, m isa.Instruction) {
	t.Helper()
	own := m.Kind == schema.KindBranch && m.Conditional(schema.T32) || m.Kind == schema.KindReturn
	added, lacking := own && a.Flow == isa.None, m.Flow == isa.None
	if a != m && (m.Size != 4 || !added && !lacking) {
		t.Errorf("A and R profile have %+v, M profile %+v", a, m)
	}
}
