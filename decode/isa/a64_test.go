package isa_test

import (
	"slices"
	"testing"

	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// a64Encodings has for each A64 row what the row means and what just misses it.
var a64Encodings = []struct {
	w           uint32
	asm         string
	kind        schema.Kind
	flow        isa.Flow
	link        bool
	conditional bool
}{
	// Direct branches.
	{0x14000000, "b .", schema.KindBranch, isa.Direct, false, false},
	{0x17FFFFFF, "b .-4", schema.KindBranch, isa.Direct, false, false},
	{0x94000000, "bl .", schema.KindCall, isa.Direct, true, false},
	{0x54000000, "b.eq .", schema.KindBranch, isa.Direct, false, true},
	{0x5400000E, "b.al .", schema.KindBranch, isa.Direct, false, true},
	{0x5400000F, "b.nv .", schema.KindBranch, isa.Direct, false, true},
	{0x54000010, "bc.eq .", schema.KindBranch, isa.Direct, false, true},
	{0x34000000, "cbz w0,.", schema.KindBranch, isa.Direct, false, true},
	{0xB400001F, "cbz xzr,.", schema.KindBranch, isa.Direct, false, true},
	{0xB500001E, "cbnz x30,.", schema.KindBranch, isa.Direct, false, true},
	{0x36180000, "tbz w0,#3,.", schema.KindBranch, isa.Direct, false, true},
	{0xB6400000, "tbz x0,#40,.", schema.KindBranch, isa.Direct, false, true},
	{0x37F8001E, "tbnz w30,#31,.", schema.KindBranch, isa.Direct, false, true},
	{0x55000000, "unallocated beside B.EQ", schema.KindOther, isa.None, false, false},
	{0x38000000, "sturb w0,[x0], beside TBZ", schema.KindOther, isa.None, false, false},

	// Compare and branch: encoded by hand, as binutils 2.40 does not know them.
	{0x74010040, "cbgt w0,w1,.+8", schema.KindBranch, isa.Direct, false, true},
	{0xF4E10040, "cbne x0,x1,.+8", schema.KindBranch, isa.Direct, false, true},
	{0x74218040, "cbbge w0,w1,.+8", schema.KindBranch, isa.Direct, false, true},
	{0x74C1C040, "cbheq w0,w1,.+8", schema.KindBranch, isa.Direct, false, true},
	{0x75008040, "cbgt w0,#1,.+8", schema.KindBranch, isa.Direct, false, true},
	{0xF5600040, "cblo x0,#0,.+8", schema.KindBranch, isa.Direct, false, true},
	{0x74810040, "unallocated, CB of condition 4", schema.KindOther, isa.None, false, false},
	{0xF4A10040, "unallocated, CB of condition 5", schema.KindOther, isa.None, false, false},
	{0xF5800040, "unallocated, CB immediate of condition 4", schema.KindOther, isa.None, false, false},
	{0x74014040, "unallocated between CB and CBB", schema.KindOther, isa.None, false, false},
	{0xF4018040, "unallocated, CBB of X registers", schema.KindOther, isa.None, false, false},
	{0xF401C040, "unallocated, CBH of X registers", schema.KindOther, isa.None, false, false},
	{0x75004040, "unallocated, CB immediate with bit 14", schema.KindOther, isa.None, false, false},

	// Indirect branches.
	{0xD61F0000, "br x0", schema.KindIndirect, isa.Indirect, false, false},
	{0xD61F03C0, "br x30", schema.KindIndirect, isa.Indirect, false, false},
	{0xD61F0200, "br x16", schema.KindIndirect, isa.Indirect, false, false},
	{0xD63F0100, "blr x8", schema.KindIndirectCall, isa.Indirect, true, false},
	{0xD63F03C0, "blr x30", schema.KindIndirectCall, isa.Indirect, true, false},
	{0xD65F03C0, "ret", schema.KindReturn, isa.Indirect, false, false},
	{0xD65F0020, "ret x1", schema.KindReturn, isa.Indirect, false, false},
	{0xD61F083F, "braaz x1", schema.KindIndirect, isa.Indirect, false, false},
	{0xD61F0C3F, "brabz x1", schema.KindIndirect, isa.Indirect, false, false},
	{0xD63F083F, "blraaz x1", schema.KindIndirectCall, isa.Indirect, true, false},
	{0xD63F0C3F, "blrabz x1", schema.KindIndirectCall, isa.Indirect, true, false},
	{0xD71F0822, "braa x1,x2", schema.KindIndirect, isa.Indirect, false, false},
	{0xD71F0C3F, "brab x1,sp", schema.KindIndirect, isa.Indirect, false, false},
	{0xD73F0822, "blraa x1,x2", schema.KindIndirectCall, isa.Indirect, true, false},
	{0xD73F0C22, "blrab x1,x2", schema.KindIndirectCall, isa.Indirect, true, false},
	{0xD65F0BFF, "retaa", schema.KindReturn, isa.Indirect, false, false},
	{0xD65F0FFF, "retab", schema.KindReturn, isa.Indirect, false, false},
	{0x5500001F, "retaasppc .", schema.KindReturn, isa.Indirect, false, false},
	{0x551FFFFF, "retaasppc .-0x3fffc", schema.KindReturn, isa.Indirect, false, false},
	{0x5520003F, "retabsppc .-4", schema.KindReturn, isa.Indirect, false, false},
	{0xD65F0BE0, "retaasppcr x0", schema.KindReturn, isa.Indirect, false, false},
	{0xD65F0FFE, "retabsppcr x30", schema.KindReturn, isa.Indirect, false, false},
	{0xD69F03E0, "eret", schema.KindExceptionReturn, isa.Indirect, false, false},
	{0xD69F0BFF, "eretaa", schema.KindExceptionReturn, isa.Indirect, false, false},
	{0xD69F0FFF, "eretab", schema.KindExceptionReturn, isa.Indirect, false, false},
	{0xD6FF03E0, "texit", schema.KindExceptionReturn, isa.Indirect, false, false},
	{0xD6FF07E0, "texit nb", schema.KindExceptionReturn, isa.Indirect, false, false},
	{0xD61F0001, "unallocated beside BR", schema.KindOther, isa.None, false, false},
	{0xD61F0820, "unallocated beside BRAAZ", schema.KindOther, isa.None, false, false},
	{0xD61F0400, "unallocated, BR with the key of BRABZ", schema.KindOther, isa.None, false, false},
	{0xD71F0022, "unallocated beside BRAA", schema.KindOther, isa.None, false, false},
	{0xD69F03C0, "unallocated beside ERET", schema.KindOther, isa.None, false, false},
	{0xD6DF03E0, "unallocated beside TEXIT", schema.KindOther, isa.None, false, false},
	{0x5540001F, "unallocated beside RETAASPPC", schema.KindOther, isa.None, false, false},
	{0x5500001E, "unallocated beside RETAASPPC", schema.KindOther, isa.None, false, false},
	{0xF380001F, "autiasppc .", schema.KindOther, isa.None, false, false},
	{0xDAC1903E, "autiasppcr x1", schema.KindOther, isa.None, false, false},
	{0xD6BF03E0, "drps", schema.KindOther, isa.None, false, false},

	// Barriers, and what waits.
	{0xD5033FDF, "isb", schema.KindBarrier, isa.Barrier, false, false},
	{0xD50330DF, "isb #0", schema.KindBarrier, isa.Barrier, false, false},
	{0xD5033F9F, "dsb sy", schema.KindBarrier, isa.DataBarrier, false, false},
	{0xD503309F, "ssbb", schema.KindBarrier, isa.DataBarrier, false, false},
	{0xD503349F, "pssbb", schema.KindBarrier, isa.DataBarrier, false, false},
	{0xD5033E3F, "dsb synxs", schema.KindBarrier, isa.DataBarrier, false, false},
	{0xD5033BBF, "dmb ish", schema.KindBarrier, isa.DataBarrier, false, false},
	{0xD503205F, "wfe", schema.KindOther, isa.Wait, false, false},
	{0xD503207F, "wfi", schema.KindOther, isa.Wait, false, false},
	{0xD5031000, "wfet x0", schema.KindOther, isa.Wait, false, false},
	{0xD503103F, "wfit xzr", schema.KindOther, isa.Wait, false, false},
	{0xD5233060, "tstart x0", schema.KindOther, isa.Barrier, false, false},
	{0xD523307F, "tstart xzr", schema.KindOther, isa.Barrier, false, false},
	{0xD50330FF, "sb", schema.KindOther, isa.None, false, false},
	{0xD5033F5F, "clrex", schema.KindOther, isa.None, false, false},
	{0xD503307F, "tcommit", schema.KindOther, isa.None, false, false},
	{0xD46000E0, "tcancel #7", schema.KindOther, isa.None, false, false},
	{0xD5233165, "ttest x5", schema.KindOther, isa.None, false, false},
	{0xD5031040, "unallocated beside WFIT", schema.KindOther, isa.None, false, false},
	{0xD503201F, "nop", schema.KindOther, isa.None, false, false},
	{0xD503203F, "yield", schema.KindOther, isa.None, false, false},
	{0xD503209F, "sev", schema.KindOther, isa.None, false, false},
	{0xD50320BF, "sevl", schema.KindOther, isa.None, false, false},
	{0xD50320DF, "dgh", schema.KindOther, isa.None, false, false},
	{0xD503221F, "esb", schema.KindOther, isa.None, false, false},
	{0xD503223F, "psb csync", schema.KindOther, isa.None, false, false},
	{0xD503225F, "tsb csync", schema.KindOther, isa.None, false, false},
	{0xD503227F, "gcsb dsync", schema.KindOther, isa.None, false, false},
	{0xD503229F, "csdb", schema.KindOther, isa.None, false, false},
	{0xD503245F, "bti c", schema.KindOther, isa.None, false, false},
	{0xD503251F, "chkfeat x16", schema.KindOther, isa.None, false, false},
	{0xD503233F, "paciasp", schema.KindOther, isa.None, false, false},
	{0xD50323BF, "autiasp", schema.KindOther, isa.None, false, false},
	{0xD50320FF, "xpaclri", schema.KindOther, isa.None, false, false},

	// What makes exceptions.
	{0xD4000001, "svc #0", schema.KindSVC, isa.None, false, false},
	{0xD41FFFE1, "svc #0xffff", schema.KindSVC, isa.None, false, false},
	{0xD4000022, "hvc #1", schema.KindHVC, isa.None, false, false},
	{0xD4000043, "smc #2", schema.KindSMC, isa.None, false, false},
	{0xD4200060, "brk #3", schema.KindBKPT, isa.None, false, false},
	{0x00000004, "udf #4", schema.KindUDF, isa.None, false, false},
	{0x00010000, "unallocated beside UDF", schema.KindOther, isa.None, false, false},
	{0xD45E0000, "hlt #0xf000", schema.KindOther, isa.None, false, false},
	{0xD4A00001, "dcps1", schema.KindOther, isa.None, false, false},
	{0xD4A00003, "dcps3", schema.KindOther, isa.None, false, false},

	// Others that depend on a condition, or on the PC.
	{0x9A820020, "csel x0,x1,x2,eq", schema.KindOther, isa.None, false, false},
	{0xFA410000, "ccmp x0,x1,#0,eq", schema.KindOther, isa.None, false, false},
	{0x1E620C20, "fcsel d0,d1,d2,eq", schema.KindOther, isa.None, false, false},
	{0x10000000, "adr x0,.", schema.KindOther, isa.None, false, false},
	{0x90000000, "adrp x0,.", schema.KindOther, isa.None, false, false},
	{0x58000000, "ldr x0,.", schema.KindOther, isa.None, false, false},
	{0xD8000000, "prfm pldl1keep,.", schema.KindOther, isa.None, false, false},
	{0xD50342DF, "msr daifset,#2", schema.KindOther, isa.None, false, false},
	{0xD5181000, "msr sctlr_el1,x0", schema.KindOther, isa.None, false, false},
	{0xD508751F, "ic iallu", schema.KindOther, isa.None, false, false},
	{0xDAC11020, "autia x0,x1", schema.KindOther, isa.None, false, false},
	{0xF8200420, "ldraa x0,[x1]", schema.KindOther, isa.None, false, false},
	{0xA8C17BFD, "ldp x29,x30,[sp],#16", schema.KindOther, isa.None, false, false},
}

func TestA64(t *testing.T) {
	for _, tt := range a64Encodings {
		got := isa.A64(tt.w, 0x8000)
		checkA64Form(t, got)
		want := isa.Instruction{
			Opcode: tt.w, Target: got.Target, Size: 4, Kind: tt.kind, Flow: tt.flow, TargetISA: got.TargetISA,
		}
		if conditional := got.Conditional(schema.A64); got != want || got.Link() != tt.link || conditional != tt.conditional {
			t.Errorf("%08x %s: got %+v, conditional %v, want %+v, %v",
				tt.w, tt.asm, got, conditional, want, tt.conditional)
		}
	}
}

// checkA64Form holds what is true of every instruction.
func checkA64Form(t *testing.T, i isa.Instruction) {
	t.Helper()
	flow := map[schema.Kind][]isa.Flow{
		schema.KindOther:           {isa.None, isa.Wait, isa.Barrier}, // TSTART
		schema.KindBranch:          {isa.Direct},
		schema.KindCall:            {isa.Direct},
		schema.KindIndirect:        {isa.Indirect},
		schema.KindIndirectCall:    {isa.Indirect},
		schema.KindReturn:          {isa.Indirect},
		schema.KindExceptionReturn: {isa.Indirect},
		schema.KindBarrier:         {isa.Barrier, isa.DataBarrier},
	}[i.Kind]
	if flow == nil {
		flow = []isa.Flow{isa.None}
	}
	if !slices.Contains(flow, i.Flow) {
		t.Fatalf("%08x: kind %v with flow %v", i.Opcode, i.Kind, i.Flow)
	}
	direct := i.Flow == isa.Direct
	if i.Target%4 != 0 || (i.TargetISA == schema.A64) != direct || !direct && i.Target != 0 {
		t.Fatalf("%08x: target %x %v with flow %v", i.Opcode, i.Target, i.TargetISA, i.Flow)
	}
}

func TestA64Targets(t *testing.T) {
	const at schema.Address = 0x10000000
	tests := []struct {
		w               uint32
		address, target schema.Address
	}{
		// B, BL: imm26.
		{0x14000000, at, at},
		{0x94000001, at, at + 4},
		{0x15FFFFFF, at, at + 1<<27 - 4}, // farthest forward
		{0x16000000, at, at - 1<<27},     // farthest back
		{0x97FFFFFF, at, at - 4},
		{0x17FFFFFF, 0, schema.MaxAddress - 3}, // wraps
		{0x14000001, schema.MaxAddress - 3, 0},
		// B.<c>, BC.<c>, CBZ: imm19.
		{0x54000020, at, at + 4},
		{0x547FFFE0, at, at + 1<<20 - 4},
		{0x54800010, at, at - 1<<20},
		{0xB5FFFFFF, at, at - 4},
		{0x347FFFE0, at, at + 1<<20 - 4},
		{0x35800000, 0, schema.MaxAddress - 1<<20 + 1},
		// TBZ: imm14. Bits 31 and 23:19 are the number of the tested bit.
		{0x36000020, at, at + 4},
		{0xB7FBFFE0, at, at + 1<<15 - 4},
		{0xB6FC0000, at, at - 1<<15},
		{0x3707FFFF, at, at - 4},
		// CB<c>: imm9. Bits 20:16 or 20:15 are the other operand.
		{0x741F0020, at, at + 4},
		{0xF41F1FE0, at, at + 1<<10 - 4},
		{0x741FA000, at, at - 1<<10},
		{0x741FFFE0, at, at - 4},
		{0xF51FBFE0, at, at - 4},
		{0x751F9FE0, at, at + 1<<10 - 4},
	}
	for _, tt := range tests {
		got := isa.A64(tt.w, tt.address)
		if got.Flow != isa.Direct || got.Target != tt.target || got.TargetISA != schema.A64 {
			t.Errorf("%08x at %x: got %+v, want a direct one to %x", tt.w, tt.address, got, tt.target)
		}
	}
}

// TestA64Totals counts the kinds over all values of bits 31:16 with some of 15:0.
func TestA64Totals(t *testing.T) {
	tests := []struct {
		low  uint32
		want map[schema.Kind]int
	}{
		{0x0000, map[schema.Kind]int{
			schema.KindBranch: 1<<10 + // B
				256 + 4*256 + 4*256 + // B.<c>; CBZ, CBNZ; TBZ, TBNZ, of W and X each
				4*192, // CB<c> register and immediate, 6 of 8 conditions
			schema.KindCall:         1 << 10, // BL
			schema.KindIndirect:     1,       // BR x0
			schema.KindIndirectCall: 1,
			schema.KindReturn:       1,
			schema.KindBKPT:         32, // BRK, imm16[15:11]
			schema.KindUDF:          1,
		}},
		{0x8FFF, map[schema.Kind]int{
			schema.KindBranch: 1<<10 + 256 + 4*256 + 4*256 + 192 + 2*192, // of CB<c> register CBB alone
			schema.KindCall:   1 << 10,
			schema.KindReturn: 64, // RETAASPPC, RETABSPPC: bits 21:16
			schema.KindUDF:    1,
		}},
		{0x0BFF, map[schema.Kind]int{
			schema.KindBranch:          1<<10 + 256 + 4*256 + 4*256 + 4*192,
			schema.KindCall:            1 << 10,
			schema.KindIndirect:        2, // BRAAZ xzr, BRAA xzr,sp
			schema.KindIndirectCall:    2,
			schema.KindReturn:          64 + 1, // RETAA
			schema.KindExceptionReturn: 1,      // ERETAA
			schema.KindUDF:             1,
		}},
		{0x33DF, map[schema.Kind]int{
			schema.KindBranch:  1<<10 + 256 + 4*256 + 4*256 + 4*192,
			schema.KindCall:    1 << 10,
			schema.KindReturn:  64,
			schema.KindBarrier: 1, // ISB
			schema.KindUDF:     1,
		}},
	}
	for _, tt := range tests {
		got := map[schema.Kind]int{}
		for n := range uint32(1 << 16) {
			i := isa.A64(n<<16|tt.low, 0x8000)
			checkA64Form(t, i)
			got[i.Kind]++
		}
		compareTotals(t, got, tt.want)
	}
}

func BenchmarkA64(b *testing.B) {
	var n int
	for b.Loop() {
		for _, e := range a64Encodings {
			isa.A64(e.w, 0x8000)
			n++
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Minstructions/s")
}
