package isa_test

import (
	"maps"
	"testing"

	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

func TestThumbEE(t *testing.T) {
	tests := []struct {
		h1   uint16
		asm  string
		kind schema.Kind
		flow isa.Flow
		link bool
	}{
		{0xC000, "hbp #0,#0", schema.KindIndirect, isa.Indirect, false},
		{0xC0FF, "hbp #7,#31", schema.KindIndirect, isa.Indirect, false},
		{0xC100, "UNDEFINED", schema.KindOther, isa.None, false},
		{0xC200, "hb #0", schema.KindIndirect, isa.Indirect, false},
		{0xC380, "hbl #128", schema.KindIndirectCall, isa.Indirect, true},
		{0xC400, "hblp #0,#0", schema.KindIndirectCall, isa.Indirect, true},
		{0xC7FF, "hblp #31,#31", schema.KindIndirectCall, isa.Indirect, true},
		{0xC800, "ldr r0,[r0,#-0]", schema.KindOther, isa.None, false},
		{0xCA00, "chka r0,r0", schema.KindOther, isa.None, false},
		{0xCC00, "ldr r0,[r10,#0]", schema.KindOther, isa.None, false},
		{0xCFFF, "str r7,[r9,#252]", schema.KindOther, isa.None, false},
		{0x4770, "bx lr", schema.KindReturn, isa.Indirect, false},
		{0xBD10, "pop {r4,pc}", schema.KindReturn, isa.Indirect, false},
	}
	for _, tt := range tests {
		got := isa.PFT.T32(tt.h1, 0, 0x8000, true)
		if got.Opcode != uint32(tt.h1) || got.Size != 2 || got.Kind != tt.kind || got.Flow != tt.flow || got.Link() != tt.link {
			t.Errorf("%04x %s: got %+v, want kind %v, flow %v, link %v", tt.h1, tt.asm, got, tt.kind, tt.flow, tt.link)
		}
	}
}

// TestThumbEEStays holds that direct branches stay in ThumbEE state, but for
// those that change it.
func TestThumbEEStays(t *testing.T) {
	tests := []struct {
		h1, h2 uint16
		target schema.Address
		in     schema.ISA
	}{
		{0xD0FE, 0, 0x8000, schema.T32EE},
		{0xE7FE, 0, 0x8000, schema.T32EE},
		{0xB100, 0, 0x8004, schema.T32EE},
		{0xF43F, 0xAFFE, 0x8000, schema.T32EE},
		{0xF7FF, 0xBFFE, 0x8000, schema.T32EE},
		{0xF7FF, 0xFFFE, 0x8000, schema.T32EE},
		{0xF3BF, 0x8F1F, 0x8004, schema.T32EE}, // ENTERX has no effect
		{0xF3BF, 0x8F0F, 0x8004, schema.T32},   // LEAVEX
	}
	for _, tt := range tests {
		got := isa.PFT.T32(tt.h1, tt.h2, 0x8000, true)
		if got.Flow != isa.Direct || got.Target != tt.target || got.TargetISA != tt.in {
			t.Errorf("%04x %04x: got %v %08x %v, want direct %08x %v", tt.h1, tt.h2, got.Flow, got.Target, got.TargetISA, tt.target, tt.in)
		}
	}
}

func TestThumbEETotals(t *testing.T) {
	want := maps.Clone(narrowTotals)
	want[schema.KindIndirect] += 256 + 256      // HBP, HB
	want[schema.KindIndirectCall] += 256 + 1024 // HBL, HBLP
	compareTotals(t, countNarrow(true), want)
}
