package isa_test

import (
	"testing"

	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// a32Encodings has for each A32 row of the waypoint tables what the row means
// and what just misses it.
var a32Encodings = []struct {
	w    uint32
	asm  string
	kind schema.Kind
	flow isa.Flow
	link bool
}{
	// BLX immediate and the rest of the unconditional space.
	{0xFA0003FE, "blx", schema.KindCall, isa.Direct, true},
	{0xFB0003FE, "blx, H = 1", schema.KindCall, isa.Direct, true},
	{0xFC0003FE, "stc2", schema.KindOther, isa.None, false},
	{0xF9FFFFFF, "unallocated under BLX", schema.KindOther, isa.None, false},
	{0xFF000000, "unallocated, svc with cond 15", schema.KindOther, isa.None, false},
	{0xF12FFF1E, "unallocated, bx lr with cond 15", schema.KindOther, isa.None, false},
	{0xF1A0F00E, "unallocated, mov pc,lr with cond 15", schema.KindOther, isa.None, false},
	{0xF59DF004, "pld [sp,#4], ldr pc with cond 15", schema.KindOther, isa.None, false},
	{0xFE070F95, "mcr2, CP15ISB with cond 15", schema.KindOther, isa.None, false},
	{0xF7F000F0, "unallocated, udf with cond 15", schema.KindOther, isa.None, false},
	{0xF1020013, "cps #19", schema.KindOther, isa.None, false},
	{0xF1010200, "setend be", schema.KindOther, isa.None, false},

	// RFE.
	{0xF8100A00, "rfeda r0", schema.KindExceptionReturn, isa.Indirect, false},
	{0xF8BD0A00, "rfeia sp!", schema.KindExceptionReturn, isa.Indirect, false},
	{0xF9B30A00, "rfeib r3!", schema.KindExceptionReturn, isa.Indirect, false},
	{0xF8CD0513, "srsia sp,#19", schema.KindOther, isa.None, false},
	{0xF8500A00, "unallocated, RFE with bit 22", schema.KindOther, isa.None, false},

	// Barriers.
	{0xF57FF06F, "isb", schema.KindBarrier, isa.Barrier, false},
	{0xF57FF04F, "dsb", schema.KindBarrier, isa.DataBarrier, false},
	{0xF57FF05B, "dmb ish", schema.KindBarrier, isa.DataBarrier, false},
	{0xF57FF01F, "clrex", schema.KindOther, isa.None, false},
	{0xF57FF07F, "unallocated under ISB", schema.KindOther, isa.None, false},
	{0xEE070F95, "mcr CP15ISB", schema.KindBarrier, isa.Barrier, false},
	{0x1E073F95, "mcrne CP15ISB, r3", schema.KindBarrier, isa.Barrier, false},
	{0xEE070F9A, "mcr CP15DSB", schema.KindBarrier, isa.DataBarrier, false},
	{0xEE070FBA, "mcr CP15DMB", schema.KindBarrier, isa.DataBarrier, false},
	{0xEE170F95, "mrc of CP15ISB", schema.KindOther, isa.None, false},
	{0xEE070E95, "mcr p14 of CP15ISB", schema.KindOther, isa.None, false},
	{0xEE070FD5, "mcr p15 c7,c5,6: BPIALL", schema.KindOther, isa.None, false},
	{0xEE070F15, "mcr p15 c7,c5,0: ICIALLU", schema.KindOther, isa.None, false},

	// B, BL.
	{0xEAFFFFFE, "b .", schema.KindBranch, isa.Direct, false},
	{0x0A000001, "beq", schema.KindBranch, isa.Direct, false},
	{0xEB0003FE, "bl", schema.KindCall, isa.Direct, true},
	{0x1B0003FE, "blne", schema.KindCall, isa.Direct, true},

	// The miscellaneous space.
	{0xE12FFF1E, "bx lr", schema.KindReturn, isa.Indirect, false},
	{0x012FFF1E, "bxeq lr", schema.KindReturn, isa.Indirect, false},
	{0xE12FFF13, "bx r3", schema.KindIndirect, isa.Indirect, false},
	{0xE12FFF1F, "bx pc", schema.KindIndirect, isa.Indirect, false},
	{0xE12FFF2E, "bxj lr", schema.KindIndirect, isa.Indirect, false},
	{0xE12FFF33, "blx r3", schema.KindIndirectCall, isa.Indirect, true},
	{0xE12FFF3E, "blx lr", schema.KindIndirectCall, isa.Indirect, true},
	{0xE129F000, "msr cpsr_fc,r0", schema.KindOther, isa.None, false},
	{0xE16F0F11, "clz r0,r1", schema.KindOther, isa.None, false},
	{0xE160006E, "eret", schema.KindExceptionReturn, isa.Indirect, false},
	{0x0160006E, "ereteq", schema.KindExceptionReturn, isa.Indirect, false},
	{0xE160006F, "unallocated beside ERET", schema.KindOther, isa.None, false},
	{0xE1200070, "bkpt", schema.KindBKPT, isa.None, false},
	{0xE12FFF7F, "bkpt #0xFFFF", schema.KindBKPT, isa.None, false},
	{0x61200070, "bkptvs: UNPREDICTABLE", schema.KindOther, isa.None, false},
	{0xA1200070, "bkptge: UNPREDICTABLE", schema.KindOther, isa.None, false},
	{0xC1200070, "bkptgt: UNPREDICTABLE", schema.KindOther, isa.None, false},
	{0xE1400070, "hvc", schema.KindHVC, isa.None, false},
	{0x61400070, "hvcvs: UNPREDICTABLE", schema.KindOther, isa.None, false},
	{0xA1400070, "hvcge: UNPREDICTABLE", schema.KindOther, isa.None, false},
	{0xC1400070, "hvcgt: UNPREDICTABLE", schema.KindOther, isa.None, false},
	{0xE1600070, "smc", schema.KindSMC, isa.None, false},
	{0x11600071, "smcne #1", schema.KindSMC, isa.None, false},
	{0xE1000050, "qadd", schema.KindOther, isa.None, false},
	{0xE320F000, "nop", schema.KindOther, isa.None, false},
	{0xE320F003, "wfi", schema.KindOther, isa.None, false},
	{0xE328F101, "msr cpsr_f,#", schema.KindOther, isa.None, false},

	// Data processing to the PC.
	{0xE1A0F00E, "mov pc,lr", schema.KindReturn, isa.Indirect, false},
	{0x11A0F00E, "movne pc,lr", schema.KindReturn, isa.Indirect, false},
	{0xE1A0F003, "mov pc,r3", schema.KindIndirect, isa.Indirect, false},
	{0xE1A0F08E, "lsl pc,lr,#1", schema.KindIndirect, isa.Indirect, false},
	{0xE1A0E00F, "mov lr,pc", schema.KindOther, isa.None, false},
	{0xE3A0F000, "mov pc,#0", schema.KindIndirect, isa.Indirect, false},
	{0xE08FF100, "add pc,pc,r0,lsl #2", schema.KindIndirect, isa.Indirect, false},
	{0xE28FF004, "add pc,pc,#4", schema.KindIndirect, isa.Indirect, false},
	{0xE24EF004, "sub pc,lr,#4", schema.KindIndirect, isa.Indirect, false},
	{0xE3E0F000, "mvn pc,#0", schema.KindIndirect, isa.Indirect, false},
	{0xE1B0F00E, "movs pc,lr", schema.KindExceptionReturn, isa.Indirect, false},
	{0xE25EF004, "subs pc,lr,#4", schema.KindExceptionReturn, isa.Indirect, false},
	{0xE25EE004, "subs lr,lr,#4", schema.KindOther, isa.None, false},
	{0xE010F001, "ands pc,r0,r1", schema.KindExceptionReturn, isa.Indirect, false},
	{0xE1A00000, "nop: mov r0,r0", schema.KindOther, isa.None, false},
	{0xE2800001, "add r0,r0,#1", schema.KindOther, isa.None, false},
	{0xE3500000, "cmp r0,#0", schema.KindOther, isa.None, false},
	{0xE110F001, "tst r0,r1 with bits 15:12 set", schema.KindOther, isa.None, false},
	{0xE35EF000, "cmp lr,#0 with bits 15:12 set", schema.KindOther, isa.None, false},
	{0xE300F001, "movw pc,#1: UNPREDICTABLE", schema.KindOther, isa.None, false},
	{0xE340F001, "movt pc,#1: UNPREDICTABLE", schema.KindOther, isa.None, false},
	{0xE10FF000, "mrs pc,cpsr: UNPREDICTABLE", schema.KindOther, isa.None, false},
	{0xE000F211, "and pc,r0,r1,lsl r2: UNPREDICTABLE", schema.KindOther, isa.None, false},
	{0xE1A0F312, "lsl pc,r2,r3: UNPREDICTABLE", schema.KindOther, isa.None, false},
	{0xE000F291, "mul r0,r1,r2 with bits 15:12 set", schema.KindOther, isa.None, false},
	{0xE1D0F0B0, "ldrh pc,[r0]: UNPREDICTABLE", schema.KindOther, isa.None, false},

	// LDR to the PC.
	{0xE59FF018, "ldr pc,[pc,#24]", schema.KindIndirect, isa.Indirect, false},
	{0xE590F000, "ldr pc,[r0]", schema.KindIndirect, isa.Indirect, false},
	{0xE5900000, "ldr r0,[r0]", schema.KindOther, isa.None, false},
	{0xE79FF100, "ldr pc,[pc,r0,lsl #2]", schema.KindIndirect, isa.Indirect, false},
	{0xE49DF004, "ldr pc,[sp],#4: pop {pc}", schema.KindReturn, isa.Indirect, false},
	{0x049DF008, "ldreq pc,[sp],#8", schema.KindReturn, isa.Indirect, false},
	{0xE41DF004, "ldr pc,[sp],#-4", schema.KindReturn, isa.Indirect, false},
	{0xE59DF004, "ldr pc,[sp,#4]", schema.KindIndirect, isa.Indirect, false},
	{0xE5BDF004, "ldr pc,[sp,#4]!", schema.KindIndirect, isa.Indirect, false},
	{0xE69DF001, "ldr pc,[sp],r1", schema.KindIndirect, isa.Indirect, false},
	{0xE49CF004, "ldr pc,[r12],#4", schema.KindIndirect, isa.Indirect, false},
	{0xE4BDF004, "ldrt pc,[sp],#4: UNPREDICTABLE", schema.KindOther, isa.None, false},
	{0xE6B0F001, "ldrt pc,[r0],r1: UNPREDICTABLE", schema.KindOther, isa.None, false},
	{0xE58DF004, "str pc,[sp,#4]", schema.KindOther, isa.None, false},
	{0xE5DDF004, "ldrb pc,[sp,#4]: UNPREDICTABLE", schema.KindOther, isa.None, false},
	{0xE59DE004, "ldr lr,[sp,#4]", schema.KindOther, isa.None, false},
	{0xE711F210, "sdiv r1,r0,r2: media", schema.KindOther, isa.None, false},

	// LDM with the PC.
	{0xE8BD8010, "pop {r4,pc}", schema.KindReturn, isa.Indirect, false},
	{0x08BD8010, "popeq {r4,pc}", schema.KindReturn, isa.Indirect, false},
	{0xE93D8010, "ldmdb sp!,{r4,pc}", schema.KindReturn, isa.Indirect, false},
	{0xE89D8010, "ldm sp,{r4,pc}", schema.KindIndirect, isa.Indirect, false},
	{0xE8B08010, "ldm r0!,{r4,pc}", schema.KindIndirect, isa.Indirect, false},
	{0xE8FD8010, "ldm sp!,{r4,pc}^", schema.KindExceptionReturn, isa.Indirect, false},
	{0xE8D08000, "ldm r0,{pc}^", schema.KindExceptionReturn, isa.Indirect, false},
	{0xE8D04000, "ldm r0,{lr}^", schema.KindOther, isa.None, false},
	{0xE8BD4010, "pop {r4,lr}", schema.KindOther, isa.None, false},
	{0xE92D8010, "push {r4,pc}", schema.KindOther, isa.None, false},

	// What makes exceptions.
	{0xEF000000, "svc", schema.KindSVC, isa.None, false},
	{0x1FFFFFFF, "svcne", schema.KindSVC, isa.None, false},
	{0xED900B00, "vldr d0,[r0]", schema.KindOther, isa.None, false},
	{0xEE000F10, "mcr", schema.KindOther, isa.None, false},
	{0xE7F000F0, "udf", schema.KindUDF, isa.None, false},
	{0xE7FDDEFE, "udf #0xDDEE", schema.KindUDF, isa.None, false},
	{0x67F000F0, "UNDEFINED, but not permanently", schema.KindOther, isa.None, false},
	{0xA7F000F0, "UNDEFINED, but not permanently", schema.KindOther, isa.None, false},
	{0xC7F000F0, "UNDEFINED, but not permanently", schema.KindOther, isa.None, false},
	{0xE7F000E0, "UNDEFINED, but not permanently", schema.KindOther, isa.None, false},
	{0xE7E000F0, "UNDEFINED, but not permanently", schema.KindOther, isa.None, false},
}

func TestA32(t *testing.T) {
	for _, tt := range a32Encodings {
		got := isa.PFT.A32(tt.w, 0x8000)
		if got.Opcode != tt.w || got.Size != 4 || got.Kind != tt.kind || got.Flow != tt.flow || got.Link() != tt.link {
			t.Errorf("%08x %s: got %+v, want kind %v, flow %v, link %v", tt.w, tt.asm, got, tt.kind, tt.flow, tt.link)
		}
		if got.Flow != isa.Direct && (got.Target != 0 || got.TargetISA != 0) {
			t.Errorf("%08x %s: target %08x %v, but it is no direct branch", tt.w, tt.asm, got.Target, got.TargetISA)
		}
	}
}

func TestA32Targets(t *testing.T) {
	tests := []struct {
		address schema.Address
		w       uint32
		target  schema.Address
		in      schema.ISA
	}{
		{0x00008000, 0xEAFFFFFE, 0x00008000, schema.A32}, // b .
		{0x00008000, 0xEA000000, 0x00008008, schema.A32},
		{0x00008000, 0x0A7FFFFF, 0x02008004, schema.A32}, // farthest forward
		{0x00008000, 0xEA800000, 0xFE008008, schema.A32}, // farthest back
		{0xFFFFFFFC, 0xEA000000, 0x00000004, schema.A32}, // wraps
		{0x00000F00, 0x0A00003F, 0x00001004, schema.A32},
		{0x00002000, 0xEA00003E, 0x00002100, schema.A32},
		{0x00008004, 0x0A000000, 0x0000800C, schema.A32},
		{0x0000800C, 0x1AFFFFFB, 0x00008000, schema.A32},
		{0x00008000, 0xEB0003FE, 0x00009000, schema.A32}, // bl
		{0x00008000, 0xFA0003FE, 0x00009000, schema.T32}, // blx
		{0x00008000, 0xFB0003FE, 0x00009002, schema.T32}, // blx, H = 1
		{0x00008000, 0xFAFFFFFE, 0x00008000, schema.T32},
		{0x00008000, 0xFBFFFFFD, 0x00007FFE, schema.T32},
	}
	for _, tt := range tests {
		got := isa.PFT.A32(tt.w, tt.address)
		if got.Flow != isa.Direct || got.Target != tt.target || got.TargetISA != tt.in {
			t.Errorf("%08x at %08x: got %v %08x %v, want direct %08x %v", tt.w, tt.address, got.Flow, got.Target, got.TargetISA, tt.target, tt.in)
		}
	}
}

// TestA32Totals counts the kinds over all values of bits 27:20, 15:12 and 7:4
// with condition AL and 0 elsewhere.
func TestA32Totals(t *testing.T) {
	want := map[schema.Kind]int{
		schema.KindBranch: 16 * 256, // bits 27:24 = 10
		schema.KindCall:   16 * 256, // 11
		schema.KindSVC:    16 * 256, // 15
		schema.KindExceptionReturn: 8*8*16 + // LDM^: 8 of bits 24:20, 8 registers 15:12 with bit 15
			12*8 + 12*16, // 12 opcodes with S: register by bits 7:4 with bit 4 = 0, immediate
		schema.KindIndirect: 8*8*16 + // LDM
			6*16 + 6*8 + // LDR: not P = 0, W = 1; the register form has bit 4 = 0
			16 + 16 + // BX, BXJ
			12*8 + 12*16, // 12 opcodes without S
		schema.KindIndirectCall: 16,
		schema.KindBKPT:         16,
		schema.KindHVC:          16,
		schema.KindSMC:          16,
		schema.KindUDF:          16,
	}
	got := map[schema.Kind]int{}
	for n := range uint32(1 << 16) {
		w := 0xE0000000 | n>>8<<20 | n>>4&15<<12 | n&15<<4
		got[isa.PFT.A32(w, 0).Kind]++
	}
	compareTotals(t, got, want)
}
