package isa_test

import (
	"testing"

	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// t32Encodings has for each T32 row of the waypoint tables what the row means
// and what just misses it.
var t32Encodings = []struct {
	h1, h2 uint16
	asm    string
	kind   schema.Kind
	flow   isa.Flow
	link   bool
}{
	// 16 bits.
	{0xD0FE, 0, "beq .", schema.KindBranch, isa.Direct, false},
	{0xDDFE, 0, "ble .", schema.KindBranch, isa.Direct, false},
	{0xDE00, 0, "udf", schema.KindUDF, isa.None, false},
	{0xDEFF, 0, "udf #255", schema.KindUDF, isa.None, false},
	{0xDF01, 0, "svc #1", schema.KindSVC, isa.None, false},
	{0xE7FE, 0, "b .", schema.KindBranch, isa.Direct, false},
	{0xCFFE, 0, "ldmia r7!,{r1-r7}, under B<c>", schema.KindOther, isa.None, false},
	{0xB100, 0, "cbz r0", schema.KindBranch, isa.Direct, false},
	{0xB3F8, 0, "cbz r0, i = 1", schema.KindBranch, isa.Direct, false},
	{0xB900, 0, "cbnz r0", schema.KindBranch, isa.Direct, false},
	{0xBBFF, 0, "cbnz r7, i = 1", schema.KindBranch, isa.Direct, false},
	{0xB000, 0, "add sp,#0", schema.KindOther, isa.None, false},
	{0xB200, 0, "sxth r0,r0", schema.KindOther, isa.None, false},
	{0xB500, 0, "push {lr}", schema.KindOther, isa.None, false},
	{0xBA00, 0, "rev r0,r0", schema.KindOther, isa.None, false},
	{0x4770, 0, "bx lr", schema.KindReturn, isa.Indirect, false},
	{0x4718, 0, "bx r3", schema.KindIndirect, isa.Indirect, false},
	{0x4778, 0, "bx pc", schema.KindIndirect, isa.Indirect, false},
	{0x4798, 0, "blx r3", schema.KindIndirectCall, isa.Indirect, true},
	{0x47F0, 0, "blx lr", schema.KindIndirectCall, isa.Indirect, true},
	{0x4800, 0, "ldr r0,literal", schema.KindOther, isa.None, false},
	{0xBD10, 0, "pop {r4,pc}", schema.KindReturn, isa.Indirect, false},
	{0xBD00, 0, "pop {pc}", schema.KindReturn, isa.Indirect, false},
	{0xBC10, 0, "pop {r4}", schema.KindOther, isa.None, false},
	{0xBE00, 0, "bkpt", schema.KindBKPT, isa.None, false},
	{0xBEAB, 0, "bkpt #0xAB", schema.KindBKPT, isa.None, false},
	{0xBF00, 0, "nop", schema.KindOther, isa.None, false},
	{0xBF08, 0, "it eq", schema.KindOther, isa.None, false},
	{0xBF30, 0, "wfi", schema.KindOther, isa.None, false},
	{0xB672, 0, "cpsid i", schema.KindOther, isa.None, false},
	{0x4487, 0, "add pc,r0", schema.KindIndirect, isa.Indirect, false},
	{0x44F7, 0, "add pc,lr", schema.KindIndirect, isa.Indirect, false},
	{0x4486, 0, "add lr,r0", schema.KindOther, isa.None, false},
	{0x4587, 0, "cmp pc,r0", schema.KindOther, isa.None, false},
	{0x46F7, 0, "mov pc,lr", schema.KindReturn, isa.Indirect, false},
	{0x4687, 0, "mov pc,r0", schema.KindIndirect, isa.Indirect, false},
	{0x46FF, 0, "mov pc,pc", schema.KindIndirect, isa.Indirect, false},
	{0x467E, 0, "mov r6,pc", schema.KindOther, isa.None, false},
	{0x4607, 0, "mov r7,r0", schema.KindOther, isa.None, false},
	{0xC280, 0, "stmia r2!,{r7}, HB in ThumbEE", schema.KindOther, isa.None, false},

	// B<c>.W and the control instructions in its conditions 14 and 15.
	{0xF000, 0x8000, "beq.w", schema.KindBranch, isa.Direct, false},
	{0xF43F, 0xAFFE, "beq.w .", schema.KindBranch, isa.Direct, false},
	{0xF340, 0x8000, "ble.w", schema.KindBranch, isa.Direct, false},
	{0xF740, 0x8000, "ble.w, S = 1", schema.KindBranch, isa.Direct, false},
	{0xF380, 0x8800, "msr cpsr_f,r0", schema.KindOther, isa.None, false},
	{0xF3EF, 0x8000, "mrs r0,cpsr", schema.KindOther, isa.None, false},
	{0xF3AF, 0x8000, "nop.w", schema.KindOther, isa.None, false},
	{0xF3AF, 0x8003, "wfi.w", schema.KindOther, isa.None, false},
	{0xF3AF, 0x8600, "cpsid.w", schema.KindOther, isa.None, false},
	{0xF000, 0x0000, "and r0,r0,#0, h2[15] = 0", schema.KindOther, isa.None, false},
	{0xE800, 0x8000, "11101, not 11110", schema.KindOther, isa.None, false},
	{0xF800, 0x8000, "strb.w r8, 11111, not 11110", schema.KindOther, isa.None, false},

	// B.W, BL, BLX.
	{0xF000, 0xB800, "b.w", schema.KindBranch, isa.Direct, false},
	{0xF000, 0x9000, "b.w, far", schema.KindBranch, isa.Direct, false},
	{0xF7FF, 0xFFFE, "bl .", schema.KindCall, isa.Direct, true},
	{0xF000, 0xD000, "bl, far", schema.KindCall, isa.Direct, true},
	{0xF000, 0xE800, "blx", schema.KindCall, isa.Direct, true},
	{0xF000, 0xC000, "blx, far", schema.KindCall, isa.Direct, true},
	{0xF000, 0xE801, "UNDEFINED, blx with H = 1", schema.KindOther, isa.None, false},
	{0xF800, 0xD000, "strb.w r13, 11111, not 11110", schema.KindOther, isa.None, false},

	// BXJ, SUBS pc,lr.
	{0xF3C1, 0x8F00, "bxj r1", schema.KindIndirect, isa.Indirect, false},
	{0xF3CE, 0x8F00, "bxj lr", schema.KindIndirect, isa.Indirect, false},
	{0xF3DE, 0x8F00, "subs pc,lr,#0: eret, movs pc,lr", schema.KindExceptionReturn, isa.Indirect, false},
	{0xF3DE, 0x8F04, "subs pc,lr,#4", schema.KindExceptionReturn, isa.Indirect, false},
	{0xF3DE, 0x8E04, "h2[11:8] is not 15", schema.KindOther, isa.None, false},

	// Table branches.
	{0xE8DF, 0xF000, "tbb [pc,r0]", schema.KindIndirect, isa.Indirect, false},
	{0xE8DF, 0xF010, "tbh [pc,r0,lsl #1]", schema.KindIndirect, isa.Indirect, false},
	{0xE8DF, 0xF020, "unallocated beside TBB", schema.KindOther, isa.None, false},
	{0xE8CF, 0xF000, "strexb-like, L = 0", schema.KindOther, isa.None, false},
	{0xE8D1, 0x0F4F, "ldrexb r0,[r1]", schema.KindOther, isa.None, false},

	// RFE, LDM.
	{0xE810, 0xC000, "rfedb r0", schema.KindExceptionReturn, isa.Indirect, false},
	{0xE83D, 0xC000, "rfedb sp!", schema.KindExceptionReturn, isa.Indirect, false},
	{0xE9BD, 0xC000, "rfeia sp!", schema.KindExceptionReturn, isa.Indirect, false},
	{0xE80D, 0xC013, "srsdb sp,#19", schema.KindOther, isa.None, false},
	{0xE8BD, 0x8010, "pop.w {r4,pc}", schema.KindReturn, isa.Indirect, false},
	{0xE8BD, 0x8FF0, "pop.w {r4-r11,pc}", schema.KindReturn, isa.Indirect, false},
	{0xE93D, 0x8010, "ldmdb sp!,{r4,pc}", schema.KindReturn, isa.Indirect, false},
	{0xE89D, 0x8010, "ldm sp,{r4,pc}", schema.KindIndirect, isa.Indirect, false},
	{0xE8B0, 0x8010, "ldm r0!,{r4,pc}", schema.KindIndirect, isa.Indirect, false},
	{0xE910, 0x8010, "ldmdb r0,{r4,pc}", schema.KindIndirect, isa.Indirect, false},
	{0xE8BD, 0x4010, "pop.w {r4,lr}", schema.KindOther, isa.None, false},
	{0xE8A0, 0x8010, "stm r0!,{r4,pc}: UNPREDICTABLE", schema.KindOther, isa.None, false},

	// LDR.W to the PC.
	{0xF8DF, 0xF004, "ldr.w pc,literal forward", schema.KindIndirect, isa.Indirect, false},
	{0xF85F, 0xF004, "ldr.w pc,literal back", schema.KindIndirect, isa.Indirect, false},
	{0xF85F, 0xFFFF, "ldr.w pc,literal back, the farthest", schema.KindIndirect, isa.Indirect, false},
	{0xF85F, 0xFE04, "ldr.w pc,literal back, looks like LDRT", schema.KindIndirect, isa.Indirect, false},
	{0xF85F, 0xF0C4, "ldr.w pc,literal back, looks like a register", schema.KindIndirect, isa.Indirect, false},
	{0xF8D0, 0xF004, "ldr.w pc,[r0,#4]", schema.KindIndirect, isa.Indirect, false},
	{0xF8DD, 0xF004, "ldr.w pc,[sp,#4]", schema.KindIndirect, isa.Indirect, false},
	{0xF85D, 0xFB04, "ldr.w pc,[sp],#4", schema.KindReturn, isa.Indirect, false},
	{0xF85D, 0xF904, "ldr.w pc,[sp],#-4", schema.KindReturn, isa.Indirect, false},
	{0xF85D, 0xFF04, "ldr.w pc,[sp,#4]!", schema.KindIndirect, isa.Indirect, false},
	{0xF85D, 0xFC04, "ldr.w pc,[sp,#-4]", schema.KindIndirect, isa.Indirect, false},
	{0xF85C, 0xFB04, "ldr.w pc,[r12],#4", schema.KindIndirect, isa.Indirect, false},
	{0xF850, 0xF021, "ldr.w pc,[r0,r1,lsl #2]", schema.KindIndirect, isa.Indirect, false},
	{0xF85D, 0xF021, "ldr.w pc,[sp,r1,lsl #2]", schema.KindIndirect, isa.Indirect, false},
	{0xF850, 0xF041, "UNDEFINED, h2[6] = 1", schema.KindOther, isa.None, false},
	{0xF850, 0xFE04, "ldrt pc,[r0,#4]: UNPREDICTABLE", schema.KindOther, isa.None, false},
	{0xF8D0, 0xE004, "ldr.w lr,[r0,#4]", schema.KindOther, isa.None, false},
	{0xF890, 0xF004, "pld [r0,#4]", schema.KindOther, isa.None, false},
	{0xF8C0, 0xF004, "str.w pc,[r0,#4]: UNPREDICTABLE", schema.KindOther, isa.None, false},

	// Data processing to the PC is UNPREDICTABLE.
	{0xEA4F, 0x0F0E, "mov.w pc,lr", schema.KindOther, isa.None, false},
	{0xF1AE, 0x0F04, "sub.w pc,lr,#4", schema.KindOther, isa.None, false},
	{0xF240, 0x0F01, "movw pc,#1", schema.KindOther, isa.None, false},
	{0xFA00, 0xFF01, "lsl.w pc,r0,r1", schema.KindOther, isa.None, false},

	// Barriers.
	{0xF3BF, 0x8F6F, "isb", schema.KindBarrier, isa.Barrier, false},
	{0xF3BF, 0x8F4F, "dsb", schema.KindBarrier, isa.DataBarrier, false},
	{0xF3BF, 0x8F5B, "dmb ish", schema.KindBarrier, isa.DataBarrier, false},
	{0xF3BF, 0x8F2F, "clrex", schema.KindOther, isa.None, false},
	{0xF3BF, 0x8F7F, "unallocated under ISB", schema.KindOther, isa.None, false},
	{0xEE07, 0x0F95, "mcr CP15ISB", schema.KindBarrier, isa.Barrier, false},
	{0xEE07, 0x3F9A, "mcr CP15DSB, r3", schema.KindBarrier, isa.DataBarrier, false},
	{0xEE07, 0x0FBA, "mcr CP15DMB", schema.KindBarrier, isa.DataBarrier, false},
	{0xFE07, 0x0F95, "mcr2 of CP15ISB", schema.KindOther, isa.None, false},
	{0xEE17, 0x0F95, "mrc of CP15ISB", schema.KindOther, isa.None, false},
	{0xEE07, 0x0E95, "mcr p14 of CP15ISB", schema.KindOther, isa.None, false},
	{0xEE07, 0x0FD5, "mcr p15 c7,c5,6: BPIALL", schema.KindOther, isa.None, false},

	// ENTERX, LEAVEX.
	{0xF3BF, 0x8F1F, "enterx", schema.KindBranch, isa.Direct, false},
	{0xF3BF, 0x8F0F, "leavex", schema.KindBranch, isa.Direct, false},
	{0xF3BF, 0xCF1F, "UNDEFINED, blx with H = 1", schema.KindOther, isa.None, false},
	{0xF3BE, 0x8F1F, "h1 is not F3BF", schema.KindOther, isa.None, false},

	// What makes exceptions.
	{0xF7E0, 0x8000, "hvc", schema.KindHVC, isa.None, false},
	{0xF7EF, 0x8FFF, "hvc #0xFFFF", schema.KindHVC, isa.None, false},
	{0xF7F0, 0x8000, "smc", schema.KindSMC, isa.None, false},
	{0xF7FF, 0x8000, "smc #15", schema.KindSMC, isa.None, false},
	{0xF7F0, 0xA000, "udf.w", schema.KindUDF, isa.None, false},
	{0xF7FD, 0xADDE, "udf.w #0xDDDE", schema.KindUDF, isa.None, false},
	{0xF7E0, 0xA000, "UNDEFINED, but not permanently", schema.KindOther, isa.None, false},
	{0xF7D0, 0x8000, "UNDEFINED, but not permanently", schema.KindOther, isa.None, false},
}

func TestT32(t *testing.T) {
	for _, tt := range t32Encodings {
		opcode, size := uint32(tt.h1), uint8(2)
		if tt.h1 >= 0xE800 {
			opcode, size = opcode<<16|uint32(tt.h2), 4
		}
		got := isa.PFT.T32(tt.h1, tt.h2, 0x8000, false)
		if got.Opcode != opcode || got.Size != size || got.Kind != tt.kind || got.Flow != tt.flow || got.Link() != tt.link {
			t.Errorf("%04x %04x %s: got %+v, want size %d, kind %v, flow %v, link %v",
				tt.h1, tt.h2, tt.asm, got, size, tt.kind, tt.flow, tt.link)
		}
		if got.Flow != isa.Direct && (got.Target != 0 || got.TargetISA != 0) {
			t.Errorf("%04x %04x %s: target %08x %v, but it is no direct branch", tt.h1, tt.h2, tt.asm, got.Target, got.TargetISA)
		}
	}
}

func TestT32Targets(t *testing.T) {
	tests := []struct {
		address schema.Address
		h1, h2  uint16
		target  schema.Address
		in      schema.ISA
	}{
		// B<c>: imm8.
		{0x00008000, 0xD0FE, 0, 0x00008000, schema.T32},
		{0x00008000, 0xD17F, 0, 0x00008102, schema.T32},
		{0x00008000, 0xD080, 0, 0x00007F04, schema.T32},
		// B: imm11.
		{0x00008000, 0xE7FE, 0, 0x00008000, schema.T32},
		{0x00008000, 0xE3FF, 0, 0x00008802, schema.T32},
		{0x00008000, 0xE400, 0, 0x00007804, schema.T32},
		{0x0000001A, 0xE071, 0, 0x00000100, schema.T32},
		{0xFFFFFFFE, 0xE000, 0, 0x00000002, schema.T32}, // wraps
		// CBZ, CBNZ: i:imm5.
		{0x00008000, 0xB100, 0, 0x00008004, schema.T32},
		{0x00008002, 0xB10F, 0, 0x00008008, schema.T32}, // cbz r7: imm5 = 1
		{0x00008000, 0xB3F8, 0, 0x00008082, schema.T32},
		{0x00008000, 0xBB00, 0, 0x00008044, schema.T32},
		// B<c>.W: S:J2:J1:imm6:imm11.
		{0x00008000, 0xF43F, 0xAFFE, 0x00008000, schema.T32},
		{0x00008000, 0xF000, 0x8000, 0x00008004, schema.T32},
		{0x00008000, 0xF000, 0x8001, 0x00008006, schema.T32},
		{0x00008000, 0xF001, 0x8000, 0x00009004, schema.T32},
		{0x00008000, 0xF000, 0xA000, 0x00048004, schema.T32}, // J1: bit 18
		{0x00008000, 0xF000, 0x8800, 0x00088004, schema.T32}, // J2: bit 19
		{0x00008000, 0xF03F, 0xAFFF, 0x00108002, schema.T32},
		{0x00008000, 0xF400, 0x8000, 0xFFF08004, schema.T32},
		// B.W: S:I1:I2:imm10:imm11.
		{0x00008000, 0xF7FF, 0xBFFE, 0x00008000, schema.T32},
		{0x00008000, 0xF000, 0xB800, 0x00008004, schema.T32},
		{0x00008000, 0xF001, 0xB800, 0x00009004, schema.T32},
		{0x00008000, 0xF000, 0x9800, 0x00808004, schema.T32}, // I1: bit 23
		{0x00008000, 0xF000, 0xB000, 0x00408004, schema.T32}, // I2: bit 22
		{0x00008000, 0xF3FF, 0x97FF, 0x01008002, schema.T32},
		{0x00008000, 0xF400, 0x9000, 0xFF008004, schema.T32},
		// BL.
		{0x00008000, 0xF7FF, 0xFFFE, 0x00008000, schema.T32},
		{0x00008002, 0xF000, 0xF800, 0x00008006, schema.T32},
		// BLX: from the word.
		{0x00008002, 0xF000, 0xEFFE, 0x00009000, schema.A32},
		{0x00008000, 0xF000, 0xE800, 0x00008004, schema.A32},
		{0x00008002, 0xF000, 0xE800, 0x00008004, schema.A32},
		{0x00008002, 0xF7FF, 0xEFFC, 0x00007FFC, schema.A32},
		// ENTERX, LEAVEX.
		{0x00008000, 0xF3BF, 0x8F1F, 0x00008004, schema.T32EE},
		{0x00008002, 0xF3BF, 0x8F0F, 0x00008006, schema.T32},
	}
	for _, tt := range tests {
		got := isa.PFT.T32(tt.h1, tt.h2, tt.address, false)
		if got.Flow != isa.Direct || got.Target != tt.target || got.TargetISA != tt.in {
			t.Errorf("%04x %04x at %08x: got %v %08x %v, want direct %08x %v",
				tt.h1, tt.h2, tt.address, got.Flow, got.Target, got.TargetISA, tt.target, tt.in)
		}
	}
}

func TestIs32Bit(t *testing.T) {
	for n := range uint32(1 << 16) {
		h := uint16(n)
		prefix := h >> 11
		if got, want := isa.Is32Bit(h), prefix == 0b11101 || prefix == 0b11110 || prefix == 0b11111; got != want {
			t.Fatalf("Is32Bit(%04x) = %v, want %v", h, got, want)
		}
	}
}

// narrowTotals are the kinds of all 16-bit T32 values.
var narrowTotals = map[schema.Kind]int{
	schema.KindBranch:       14*256 + 2048 + 4*256, // 14 conditions; imm11; CBZ, CBNZ: bits 11 and 9 free
	schema.KindReturn:       8 + 1 + 256,           // BX lr: bits 2:0 free; MOV pc,lr; POP
	schema.KindIndirectCall: 16 * 8,                // BLX
	schema.KindIndirect:     15*8 + 15 + 16,        // BX, MOV pc but for lr; ADD pc
	schema.KindSVC:          256,
	schema.KindUDF:          256,
	schema.KindBKPT:         256,
}

func TestT32NarrowTotals(t *testing.T) {
	compareTotals(t, countNarrow(false), narrowTotals)
}

// countNarrow counts the kinds of all 16-bit values.
func countNarrow(thumbEE bool) map[schema.Kind]int {
	got := map[schema.Kind]int{}
	for h1 := range uint16(0xE800) {
		got[isa.PFT.T32(h1, 0xFFFF, 0, thumbEE).Kind]++
	}
	return got
}

// TestT32WideTotals counts the kinds over all first halfwords with all values
// of h2[15:12], the rest of h2 being 0.
func TestT32WideTotals(t *testing.T) {
	want := map[schema.Kind]int{
		schema.KindCall:            2048*2 + 2048*2,         // BL, BLX
		schema.KindBranch:          2048*2 + 2048*7/8*2,     // B.W; B<c>.W in 14 of 16 conditions
		schema.KindExceptionReturn: 32 * 2 * 16,             // RFE
		schema.KindReturn:          2 * 8,                   // LDM sp!
		schema.KindIndirect:        62*8 + 16*2 + 16 + 16*2, // other LDM; BXJ; TBB; LDR.W imm12 and register, both with literal
		schema.KindHVC:             16,
		schema.KindSMC:             16,
		schema.KindUDF:             16,
	}
	got := map[schema.Kind]int{}
	for n := range uint32(0x1800) {
		for top := range uint16(16) {
			got[isa.PFT.T32(uint16(0xE800+n), top<<12, 0, false).Kind]++
		}
	}
	compareTotals(t, got, want)
}
