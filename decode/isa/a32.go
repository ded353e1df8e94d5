package isa

import "github.com/tracelake/tracelake/schema"

// A32 classifies the A32 instruction w at address.
func (d Dialect) A32(w uint32, address schema.Address) Instruction {
	rules := a32Conditional
	switch {
	case w>>28 == 15:
		rules = a32Unconditional
	case d != PFT:
		rules = a32ConditionalETMv4
	}
	return classify(rules, w, 4, address, schema.A32)
}

// a32Unconditional are the encodings with condition field 15 (DDI 0406C, A5.7).
var a32Unconditional = []rule{
	{0xFE000000, 0xFA000000, schema.KindCall, Direct, blxA32},           // BLX immediate
	{0xFE500000, 0xF8100000, schema.KindExceptionReturn, Indirect, nil}, // RFE
	{0xFFF000F0, 0xF5700040, schema.KindBarrier, DataBarrier, nil},      // DSB
	{0xFFF000F0, 0xF5700050, schema.KindBarrier, DataBarrier, nil},      // DMB
	{0xFFF000F0, 0xF5700060, schema.KindBarrier, Barrier, nil},          // ISB
}

// a32Conditional are those with any other condition (DDI 0406C, A5.2 to A5.6).
var a32Conditional = []rule{
	{0x0F000000, 0x0A000000, schema.KindBranch, Direct, branchA32}, // B
	{0x0F000000, 0x0B000000, schema.KindCall, Direct, branchA32},   // BL
	{0x0F000000, 0x0F000000, schema.KindSVC, None, nil},            // SVC

	// Loads of the PC.
	{0x0E508000, 0x08508000, schema.KindExceptionReturn, Indirect, nil}, // LDM {…,pc}^
	{0x0E3F8000, 0x083D8000, schema.KindReturn, Indirect, nil},          // LDM sp!,{…,pc}; POP
	{0x0E108000, 0x08108000, schema.KindIndirect, Indirect, nil},        // LDM {…,pc}
	{0xFFF000F0, 0xE7F000F0, schema.KindUDF, None, nil},                 // UDF
	{0x0E000010, 0x06000010, schema.KindOther, None, nil},               // media
	{0x0D200000, 0x04200000, schema.KindOther, None, nil},               // LDRT: UNPREDICTABLE for the PC
	{0x0F7FF000, 0x041DF000, schema.KindReturn, Indirect, nil},          // LDR pc,[sp],#n; POP {pc}
	{0x0C50F000, 0x0410F000, schema.KindIndirect, Indirect, nil},        // LDR pc

	// The miscellaneous space. BKPT and HVC exist with condition AL only.
	{0x0FF000FF, 0x0120001E, schema.KindReturn, Indirect, nil},          // BX lr
	{0x0FF000F0, 0x01200010, schema.KindIndirect, Indirect, nil},        // BX
	{0x0FF000F0, 0x01200020, schema.KindIndirect, Indirect, nil},        // BXJ
	{0x0FF000F0, 0x01200030, schema.KindIndirectCall, Indirect, nil},    // BLX register
	{0xFFF000F0, 0xE1200070, schema.KindBKPT, None, nil},                // BKPT
	{0xFFF000F0, 0xE1400070, schema.KindHVC, None, nil},                 // HVC
	{0x0FFFFFFF, 0x0160006E, schema.KindExceptionReturn, Indirect, nil}, // ERET
	{0x0FF000F0, 0x01600070, schema.KindSMC, None, nil},                 // SMC

	// Data processing to the PC.
	// shift by register: UNPREDICTABLE; multiply; LDRH …
	{0x0E000010, 0x00000010, schema.KindOther, None, nil},
	{0x0D800000, 0x01000000, schema.KindOther, None, nil},               // TST, TEQ, CMP, CMN; MOVW, MOVT, MSR, hints
	{0x0C10F000, 0x0010F000, schema.KindExceptionReturn, Indirect, nil}, // SUBS pc,lr,#n; MOVS pc,lr …
	{0x0FF0FFFF, 0x01A0F00E, schema.KindReturn, Indirect, nil},          // MOV pc,lr
	{0x0C00F000, 0x0000F000, schema.KindIndirect, Indirect, nil},        // ADD pc, MOV pc …

	// MCR p15, 0, Rt, c7.
	{0x0FFF0FFF, 0x0E070F95, schema.KindBarrier, Barrier, nil},     // CP15ISB: c5, 4
	{0x0FFF0FFF, 0x0E070F9A, schema.KindBarrier, DataBarrier, nil}, // CP15DSB: c10, 4
	{0x0FFF0FFF, 0x0E070FBA, schema.KindBarrier, DataBarrier, nil}, // CP15DMB: c10, 5
}

// pcA32 is how far ahead of an A32 instruction the PC reads.
const pcA32 = 8

// branchA32 is the target of B and BL: imm24 words from the PC.
func branchA32(w uint32, address schema.Address, _ schema.ISA) (schema.Address, schema.ISA) {
	return address + pcA32 + signExtend(w, 24)<<2, schema.A32
}

// blxA32 is the target of BLX: as of BL, and H, bit 24, adds a halfword.
func blxA32(w uint32, address schema.Address, _ schema.ISA) (schema.Address, schema.ISA) {
	h := w >> 24 & 1
	return address + pcA32 + signExtend(w, 24)<<2 + schema.Address(h)<<1, schema.T32
}
