package isa

import "github.com/tracelake/tracelake/schema"

// Is32Bit reports whether h1 is the first halfword of a 32-bit T32 instruction
// (DDI 0406C, A6.1).
func Is32Bit(h1 uint16) bool { return h1 >= 0xE800 }

// IsPairPrefix and IsPairSuffix report whether a halfword is the first or the second half of a BL
// or BLX. Cores before Thumb-2 have no other 32-bit instructions in Thumb code, and execute those
// as two.
func IsPairPrefix(h uint16) bool { return h>>11 == 0x1E }

// IsPairSuffix is described with IsPairPrefix. That of a BLX is even, which is not looked at.
func IsPairSuffix(h uint16) bool { return h>>11 == 0x1F || h>>11 == 0x1D }

// T32 classifies the T32 instruction at address that begins with h1; h2 is the
// halfword after it, ignored if h1 is an instruction by itself. With thumbEE
// the processor is in ThumbEE state, which only dialect [PFT] has.
func (d Dialect) T32(h1, h2 uint16, address schema.Address, thumbEE bool) Instruction {
	in := schema.T32
	if thumbEE && d == PFT {
		in = schema.T32EE
	}
	switch {
	case Is32Bit(h1):
		return classify(t32Rules[d].wide, uint32(h1)<<16|uint32(h2), 4, address, in)
	case in == schema.T32EE && inThumbEESpace(h1):
		return classify(thumbEE16, uint32(h1), 2, address, in)
	default:
		return classify(t32Rules[d].narrow, uint32(h1), 2, address, in)
	}
}

// t32Rules are the 16-bit and 32-bit encodings of each dialect.
var t32Rules = [...]struct{ narrow, wide []rule }{
	PFT:    {t32Narrow, t32Wide},
	ETMv4:  {t32NarrowETMv4, t32WideETMv4},
	ETMv4M: {t32NarrowETMv4, t32WideETMv4M},
}

// t32Narrow are the 16-bit encodings (DDI 0406C, A6.2).
var t32Narrow = []rule{
	{0xFF00, 0xDE00, schema.KindUDF, None, nil},                // UDF
	{0xFF00, 0xDF00, schema.KindSVC, None, nil},                // SVC
	{0xF000, 0xD000, schema.KindBranch, Direct, branchT1},      // B<c>
	{0xF800, 0xE000, schema.KindBranch, Direct, branchT2},      // B
	{0xF500, 0xB100, schema.KindBranch, Direct, compareBranch}, // CBZ, CBNZ
	{0xFF00, 0xBD00, schema.KindReturn, Indirect, nil},         // POP {…,pc}
	{0xFF00, 0xBE00, schema.KindBKPT, None, nil},               // BKPT
	{0xFFF8, 0x4770, schema.KindReturn, Indirect, nil},         // BX lr
	{0xFF80, 0x4700, schema.KindIndirect, Indirect, nil},       // BX
	{0xFF80, 0x4780, schema.KindIndirectCall, Indirect, nil},   // BLX register
	{0xFFFF, 0x46F7, schema.KindReturn, Indirect, nil},         // MOV pc,lr
	{0xFF87, 0x4687, schema.KindIndirect, Indirect, nil},       // MOV pc
	{0xFF87, 0x4487, schema.KindIndirect, Indirect, nil},       // ADD pc
}

// t32Wide are the 32-bit encodings, first halfword in the high half (DDI 0406C,
// A6.3).
var t32Wide = []rule{
	{0xF800D000, 0xF000D000, schema.KindCall, Direct, branchT4},   // BL
	{0xF800D001, 0xF000C000, schema.KindCall, Direct, blxT32},     // BLX immediate
	{0xF800D000, 0xF0009000, schema.KindBranch, Direct, branchT4}, // B.W

	// B<c>.W, where conditions 14 and 15 are control instructions.
	{0xFFF0D000, 0xF3C08000, schema.KindIndirect, Indirect, nil},        // BXJ
	{0xFFF0FF00, 0xF3D08F00, schema.KindExceptionReturn, Indirect, nil}, // SUBS pc,lr,#n; ERET
	{0xFFFFFFF0, 0xF3BF8F00, schema.KindBranch, Direct, leaveX},         // LEAVEX
	{0xFFFFFFF0, 0xF3BF8F10, schema.KindBranch, Direct, enterX},         // ENTERX
	{0xFFFFFFF0, 0xF3BF8F40, schema.KindBarrier, DataBarrier, nil},      // DSB
	{0xFFFFFFF0, 0xF3BF8F50, schema.KindBarrier, DataBarrier, nil},      // DMB
	{0xFFFFFFF0, 0xF3BF8F60, schema.KindBarrier, Barrier, nil},          // ISB
	{0xFFF0F000, 0xF7E08000, schema.KindHVC, None, nil},                 // HVC
	{0xFFF0F000, 0xF7F08000, schema.KindSMC, None, nil},                 // SMC
	{0xFFF0F000, 0xF7F0A000, schema.KindUDF, None, nil},                 // UDF.W
	{0xFB80D000, 0xF3808000, schema.KindOther, None, nil},               // MSR, MRS, hints, CPS, CLREX …
	{0xF800D000, 0xF0008000, schema.KindBranch, Direct, branchT3},       // B<c>.W

	// Loads of the PC, table branches.
	{0xFFF0FFE0, 0xE8D0F000, schema.KindIndirect, Indirect, nil},        // TBB, TBH
	{0xFFD00000, 0xE8100000, schema.KindExceptionReturn, Indirect, nil}, // RFEDB
	{0xFFD00000, 0xE9900000, schema.KindExceptionReturn, Indirect, nil}, // RFEIA
	{0xFFFF8000, 0xE8BD8000, schema.KindReturn, Indirect, nil},          // LDMIA sp!,{…,pc}; POP.W
	{0xFFFF8000, 0xE93D8000, schema.KindReturn, Indirect, nil},          // LDMDB sp!,{…,pc}
	{0xFFD08000, 0xE8908000, schema.KindIndirect, Indirect, nil},        // LDMIA {…,pc}
	{0xFFD08000, 0xE9108000, schema.KindIndirect, Indirect, nil},        // LDMDB {…,pc}
	{0xFF7FF000, 0xF85FF000, schema.KindIndirect, Indirect, nil},        // LDR.W pc,literal
	{0xFFF0F000, 0xF8D0F000, schema.KindIndirect, Indirect, nil},        // LDR.W pc,[Rn,#imm12]
	{0xFFF0FF00, 0xF850FE00, schema.KindOther, None, nil},               // LDRT: UNPREDICTABLE for the PC
	{0xFFFFFD00, 0xF85DF900, schema.KindReturn, Indirect, nil},          // LDR.W pc,[sp],#n; POP.W {pc}
	{0xFFF0F800, 0xF850F800, schema.KindIndirect, Indirect, nil},        // LDR.W pc with imm8
	{0xFFF0FFC0, 0xF850F000, schema.KindIndirect, Indirect, nil},        // LDR.W pc,[Rn,Rm,LSL #n]

	// MCR p15, 0, Rt, c7.
	{0xFFFF0FFF, 0xEE070F95, schema.KindBarrier, Barrier, nil},     // CP15ISB: c5, 4
	{0xFFFF0FFF, 0xEE070F9A, schema.KindBarrier, DataBarrier, nil}, // CP15DSB: c10, 4
	{0xFFFF0FFF, 0xEE070FBA, schema.KindBarrier, DataBarrier, nil}, // CP15DMB: c10, 5
}

// pcT32 is how far ahead of a T32 instruction the PC reads.
const pcT32 = 4

// branchT1 is the target of B<c>: imm8 halfwords from the PC.
func branchT1(h1 uint32, address schema.Address, in schema.ISA) (schema.Address, schema.ISA) {
	return address + pcT32 + signExtend(h1, 8)<<1, in
}

// branchT2 is the target of B: imm11 halfwords from the PC.
func branchT2(h1 uint32, address schema.Address, in schema.ISA) (schema.Address, schema.ISA) {
	return address + pcT32 + signExtend(h1, 11)<<1, in
}

// compareBranch is the target of CBZ and CBNZ: i:imm5 halfwords from the PC,
// always forward.
func compareBranch(h1 uint32, address schema.Address, in schema.ISA) (schema.Address, schema.ISA) {
	i := h1 >> 9 & 1
	imm5 := h1 >> 3 & 0x1F
	return address + pcT32 + schema.Address(i<<6+imm5<<1), in
}

// branchT3 is the target of B<c>.W: S:J2:J1:imm6:imm11 halfwords from the PC.
func branchT3(w uint32, address schema.Address, in schema.ISA) (schema.Address, schema.ISA) {
	s, j1, j2 := w>>26&1, w>>13&1, w>>11&1
	imm6, imm11 := w>>16&0x3F, w&0x7FF
	return address + pcT32 + signExtend(s<<20|j2<<19|j1<<18|imm6<<12|imm11<<1, 21), in
}

// branchT4 is the target of B.W and BL.
func branchT4(w uint32, address schema.Address, in schema.ISA) (schema.Address, schema.ISA) {
	return address + pcT32 + offsetT4(w), in
}

// blxT32 is the target of BLX, which counts from the PC rounded down to a word
// and has 0 in bit 0 of imm11.
func blxT32(w uint32, address schema.Address, _ schema.ISA) (schema.Address, schema.ISA) {
	return (address+pcT32)&^3 + offsetT4(w), schema.A32
}

// offsetT4 is the offset of B.W, BL and BLX: S:I1:I2:imm10:imm11 halfwords,
// where I1 = NOT(J1 EOR S), I2 = NOT(J2 EOR S).
func offsetT4(w uint32) schema.Address {
	s, j1, j2 := w>>26&1, w>>13&1, w>>11&1
	i1, i2 := j1^s^1, j2^s^1
	imm10, imm11 := w>>16&0x3FF, w&0x7FF
	return signExtend(s<<24|i1<<23|i2<<22|imm10<<12|imm11<<1, 25)
}
