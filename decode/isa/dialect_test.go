package isa_test

import (
	"testing"

	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// dialectEncodings are what dialects read in their own way, and what is beside it. A
// first halfword of 0 says A32.
var dialectEncodings = []struct {
	dialect isa.Dialect
	h1      uint16
	w       uint32 // A32, or h2
	asm     string
	kind    schema.Kind
	flow    isa.Flow
}{
	// What waits, is a P0 instruction of ETMv4 and no waypoint of PFT.
	{isa.PFT, 0, 0xE320F003, "wfi", schema.KindOther, isa.None},
	{isa.ETMv4, 0, 0xE320F003, "wfi", schema.KindOther, isa.Wait},
	{isa.ETMv4, 0, 0x0320F002, "wfeeq", schema.KindOther, isa.Wait},
	{isa.ETMv4, 0, 0xE320F001, "yield", schema.KindOther, isa.None},
	{isa.ETMv4, 0, 0xE320F004, "sev", schema.KindOther, isa.None},
	{isa.ETMv4, 0, 0xF320F003, "unallocated, wfi with cond 15", schema.KindOther, isa.None},
	{isa.PFT, 0xBF30, 0, "wfi", schema.KindOther, isa.None},
	{isa.ETMv4, 0xBF30, 0, "wfi", schema.KindOther, isa.Wait},
	{isa.ETMv4M, 0xBF20, 0, "wfe", schema.KindOther, isa.Wait},
	{isa.ETMv4, 0xBF40, 0, "sev", schema.KindOther, isa.None},
	{isa.ETMv4, 0xBF31, 0, "it cc", schema.KindOther, isa.None},
	{isa.PFT, 0xF3AF, 0x8003, "wfi.w", schema.KindOther, isa.None},
	{isa.ETMv4, 0xF3AF, 0x8003, "wfi.w", schema.KindOther, isa.Wait},
	{isa.ETMv4M, 0xF3AF, 0x8002, "wfe.w", schema.KindOther, isa.Wait},
	{isa.ETMv4, 0xF3AF, 0x8001, "yield.w", schema.KindOther, isa.None},

	// Barriers and exception returns are those of PFT.
	{isa.ETMv4, 0, 0xF57FF06F, "isb", schema.KindBarrier, isa.Barrier},
	{isa.ETMv4, 0, 0xF57FF04F, "dsb", schema.KindBarrier, isa.DataBarrier},
	{isa.ETMv4, 0, 0xEE070F95, "mcr CP15ISB", schema.KindBarrier, isa.Barrier},
	{isa.ETMv4, 0, 0xE160006E, "eret", schema.KindExceptionReturn, isa.Indirect},
	{isa.ETMv4, 0, 0xE1000070, "hlt", schema.KindOther, isa.None},
	{isa.ETMv4, 0xF3BF, 0x8F6F, "isb", schema.KindBarrier, isa.Barrier},
	{isa.ETMv4, 0xF3BF, 0x8F5F, "dmb", schema.KindBarrier, isa.DataBarrier},
	{isa.ETMv4, 0xF3DE, 0x8F00, "eret", schema.KindExceptionReturn, isa.Indirect},
	{isa.ETMv4, 0xEE07, 0x0F95, "mcr CP15ISB", schema.KindBarrier, isa.Barrier},
	{isa.ETMv4, 0xF7E0, 0x8000, "hvc", schema.KindHVC, isa.None},
	{isa.ETMv4M, 0xF3BF, 0x8F6F, "isb", schema.KindBarrier, isa.Barrier},
	{isa.ETMv4M, 0xF3BF, 0x8F4F, "dsb", schema.KindBarrier, isa.DataBarrier},

	// There is no ThumbEE.
	{isa.ETMv4, 0xF3BF, 0x8F1F, "enterx", schema.KindOther, isa.None},
	{isa.ETMv4, 0xF3BF, 0x8F0F, "leavex", schema.KindOther, isa.None},
	{isa.ETMv4M, 0xF3BF, 0x8F1F, "enterx", schema.KindOther, isa.None},
	{isa.ETMv4, 0xC200, 0, "stmia r2!,{}, HB in ThumbEE", schema.KindOther, isa.None},

	// Loops of v8.1-M.
	{isa.ETMv4M, 0xF00F, 0xC001, "le lr", schema.KindBranch, isa.Direct},
	{isa.ETMv4M, 0xF02F, 0xC001, "le", schema.KindBranch, isa.Direct},
	{isa.ETMv4M, 0xF01F, 0xC001, "letp lr", schema.KindBranch, isa.Direct},
	{isa.ETMv4M, 0xF040, 0xC001, "wls lr,r0", schema.KindBranch, isa.Direct},
	{isa.ETMv4M, 0xF04E, 0xCFFF, "wls lr,lr", schema.KindBranch, isa.Direct},
	{isa.ETMv4M, 0xF001, 0xC001, "wlstp.8 lr,r1", schema.KindBranch, isa.Direct},
	{isa.ETMv4M, 0xF03E, 0xC801, "wlstp.64 lr,lr", schema.KindBranch, isa.Direct},
	{isa.ETMv4, 0xF00F, 0xC001, "le lr, UNDEFINED", schema.KindOther, isa.None},
	{isa.ETMv4, 0xF040, 0xC001, "wls lr,r0, UNDEFINED", schema.KindOther, isa.None},
	{isa.ETMv4M, 0xF03F, 0xC001, "wlstp.64 of the PC: UNPREDICTABLE", schema.KindOther, isa.None},
	{isa.ETMv4M, 0xF04F, 0xC001, "wls of the PC: UNPREDICTABLE", schema.KindOther, isa.None},
	{isa.ETMv4M, 0xF040, 0xE001, "dls lr,r0", schema.KindOther, isa.None},
	{isa.ETMv4M, 0xF021, 0xE001, "dlstp.32 lr,r1", schema.KindOther, isa.None},
	{isa.ETMv4M, 0xF00F, 0xE001, "lctp", schema.KindOther, isa.None},
	{isa.ETMv4M, 0xF00F, 0xC000, "unallocated beside LE", schema.KindOther, isa.None},
	{isa.ETMv4M, 0xF142, 0xC001, "bf", schema.KindOther, isa.None},
	{isa.ETMv4M, 0xF0F1, 0xE001, "bflx", schema.KindOther, isa.None},

	// Returns and calls of M profile.
	{isa.ETMv4M, 0xFB5D, 0x1F1E, "bxaut r1,sp,lr", schema.KindReturn, isa.Indirect},
	{isa.ETMv4, 0xFB5D, 0x1F1E, "bxaut, UNDEFINED", schema.KindOther, isa.None},
	{isa.ETMv4M, 0xFB50, 0x1F0E, "autg r1,r0,lr", schema.KindOther, isa.None},
	{isa.ETMv4M, 0x4774, 0, "bxns lr", schema.KindReturn, isa.Indirect},
	{isa.ETMv4M, 0x471C, 0, "bxns r3", schema.KindIndirect, isa.Indirect},
	{isa.ETMv4M, 0x47A4, 0, "blxns r4", schema.KindIndirectCall, isa.Indirect},
	{isa.ETMv4M, 0xF000, 0xF800, "bl", schema.KindCall, isa.Direct},
	{isa.ETMv4M, 0xBD10, 0, "pop {r4,pc}", schema.KindReturn, isa.Indirect},
	{isa.ETMv4M, 0xE8BD, 0x8110, "pop.w {r4,r8,pc}", schema.KindReturn, isa.Indirect},
	{isa.ETMv4M, 0xE891, 0x8001, "ldm r1,{r0,pc}", schema.KindIndirect, isa.Indirect},
	{isa.ETMv4M, 0xE89F, 0x8001, "clrm {r0,apsr}", schema.KindOther, isa.None},
	{isa.ETMv4, 0xE89F, 0x8001, "ldm pc,{r0,pc}: UNPREDICTABLE", schema.KindIndirect, isa.Indirect},
	{isa.ETMv4M, 0xE8DF, 0xF000, "tbb [pc,r0]", schema.KindIndirect, isa.Indirect},
	{isa.ETMv4M, 0xF8D0, 0xF000, "ldr.w pc,[r0]", schema.KindIndirect, isa.Indirect},
	{isa.ETMv4M, 0xE97F, 0xE97F, "sg", schema.KindOther, isa.None},
	{isa.ETMv4M, 0xE841, 0xF000, "tt r0,r1", schema.KindOther, isa.None},
	{isa.ETMv4M, 0xEC9F, 0x0A01, "vscclrm {s0,vpr}", schema.KindOther, isa.None},
	{isa.ETMv4M, 0xEC20, 0x0A00, "vlstm r0", schema.KindOther, isa.None},
	{isa.ETMv4M, 0xEC30, 0x0A00, "vlldm r0", schema.KindOther, isa.None},
	{isa.ETMv4M, 0xF3AF, 0x800D, "pacbti r12,lr,sp", schema.KindOther, isa.None},
	{isa.ETMv4M, 0xF3AF, 0x800F, "bti", schema.KindOther, isa.None},

	// What M profile does not have.
	{isa.ETMv4M, 0xF000, 0xE800, "blx", schema.KindOther, isa.None},
	{isa.ETMv4M, 0xF3C0, 0x8F00, "bxj r0", schema.KindOther, isa.None},
	{isa.ETMv4M, 0xF3DE, 0x8F00, "eret", schema.KindOther, isa.None},
	{isa.ETMv4M, 0xF3DE, 0x8F04, "subs pc,lr,#4", schema.KindOther, isa.None},
	{isa.ETMv4M, 0xE810, 0xC000, "rfedb r0", schema.KindOther, isa.None},
	{isa.ETMv4M, 0xE9BD, 0xC000, "rfeia sp!", schema.KindOther, isa.None},
	{isa.ETMv4M, 0xF7E0, 0x8000, "hvc", schema.KindOther, isa.None},
	{isa.ETMv4M, 0xF7F0, 0x8000, "smc", schema.KindOther, isa.None},
	{isa.ETMv4M, 0xEE07, 0x0F95, "mcr CP15ISB", schema.KindOther, isa.None},
	{isa.ETMv4M, 0xEE07, 0x0F9A, "mcr CP15DSB", schema.KindOther, isa.None},
}

func TestDialects(t *testing.T) {
	for _, tt := range dialectEncodings {
		got := tt.dialect.A32(tt.w, 0x8000)
		if tt.h1 != 0 {
			got = tt.dialect.T32(tt.h1, uint16(tt.w), 0x8000, true)
		}
		link := tt.kind == schema.KindCall || tt.kind == schema.KindIndirectCall
		if got.Kind != tt.kind || got.Flow != tt.flow || got.Link() != link {
			t.Errorf("dialect %d, %04x %04x %s: got %+v, want kind %v, flow %v",
				tt.dialect, tt.h1, tt.w, tt.asm, got, tt.kind, tt.flow)
		}
	}
}

// TestLoopTargets holds that LE goes back and WLS forward, by up to 4094 bytes.
func TestLoopTargets(t *testing.T) {
	tests := []struct {
		h1, h2          uint16
		address, target schema.Address
	}{
		{0xF00F, 0xC001, 0x8000, 0x8004},
		{0xF00F, 0xC003, 0x8000, 0x8000}, // h2[1]: 4 bytes
		{0xF00F, 0xC801, 0x8002, 0x8004}, // h2[11]: 2 bytes
		{0xF02F, 0xCFFF, 0x8000, 0x7006},
		{0xF01F, 0xC401, 0x8000, 0x7804}, // h2[10]: 2048 bytes
		{0xF00F, 0xC009, 0, 0xFFFFFFF4},
		{0xF040, 0xC001, 0x8000, 0x8004},
		{0xF04E, 0xC803, 0x8002, 0x800C},
		{0xF000, 0xCFFF, 0x8000, 0x9002},
		{0xF03E, 0xC401, 0x8000, 0x8804},
		{0xF040, 0xC003, 0xFFFFFFFC, 4},
	}
	for _, tt := range tests {
		got := isa.ETMv4M.T32(tt.h1, tt.h2, tt.address, false)
		if got.Flow != isa.Direct || got.Target != tt.target || got.TargetISA != schema.T32 || !got.Conditional(schema.T32) {
			t.Errorf("%04x %04x at %x: got %+v, want a conditional direct one to %x", tt.h1, tt.h2, tt.address, got, tt.target)
		}
	}
}

// TestConditional holds which instructions say by themselves that they can fail or have
// two ways. Those of A64 are with TestA64.
func TestConditional(t *testing.T) {
	tests := []struct {
		in   schema.ISA
		i    isa.Instruction
		asm  string
		want bool
	}{
		{schema.A32, isa.PFT.A32(0x0A000001, 0), "beq", true},
		{schema.A32, isa.PFT.A32(0xEA000001, 0), "b", false},
		{schema.A32, isa.PFT.A32(0x11A00000, 0), "movne r0,r0", true},
		{schema.A32, isa.PFT.A32(0xFA000001, 0), "blx", false},
		{schema.A32, isa.ETMv4.A32(0x0320F003, 0), "wfieq", true},
		{schema.A32, isa.ETMv4.A32(0xE320F003, 0), "wfi", false},
		{schema.T32, isa.PFT.T32(0xD0FE, 0, 0, false), "beq", true},
		{schema.T32, isa.PFT.T32(0xDE00, 0, 0, false), "udf", false},
		{schema.T32, isa.PFT.T32(0xE7FE, 0, 0, false), "b", false},
		{schema.T32, isa.PFT.T32(0xB100, 0, 0, false), "cbz", true},
		{schema.T32, isa.ETMv4M.T32(0xBBFF, 0, 0, false), "cbnz", true},
		{schema.T32, isa.PFT.T32(0xF000, 0x8000, 0, false), "beq.w", true},
		{schema.T32, isa.ETMv4.T32(0xF340, 0x8000, 0, false), "ble.w", true},
		{schema.T32, isa.PFT.T32(0xF3AF, 0x8000, 0, false), "nop.w", false},
		{schema.T32EE, isa.PFT.T32(0xF3BF, 0x8F0F, 0, true), "leavex", false},
		{schema.T32, isa.PFT.T32(0xF000, 0x9000, 0, false), "b.w", false},
		{schema.T32, isa.PFT.T32(0xF000, 0xF800, 0, false), "bl", false},
		{schema.T32, isa.ETMv4M.T32(0xFB5D, 0x1F1E, 0, false), "bxaut", false},
	}
	for _, tt := range tests {
		if got := tt.i.Conditional(tt.in); got != tt.want {
			t.Errorf("%08x %s: conditional %v, want %v", tt.i.Opcode, tt.asm, got, tt.want)
		}
	}
}
