package isa

import "github.com/tracelake/tracelake/schema"

// A64 classifies the A64 instruction w at address. The encodings of all extensions count:
// a core without the extension cannot execute them.
func A64(w uint32, address schema.Address) Instruction {
	return classify(a64, w, 4, address, schema.A64)
}

// a64 are the encodings of Armv8-A and Armv9-A. The label of RETAASPPC and RETABSPPC is where
// the return address was signed, not where they go.
var a64 = []rule{
	{0xFC000000, 0x14000000, schema.KindBranch, Direct, branch26}, // B
	{0xFC000000, 0x94000000, schema.KindCall, Direct, branch26},   // BL
	{0xFF000000, 0x54000000, schema.KindBranch, Direct, branch19}, // B.<c>, BC.<c>
	{0x7E000000, 0x34000000, schema.KindBranch, Direct, branch19}, // CBZ, CBNZ
	{0x7E000000, 0x36000000, schema.KindBranch, Direct, branch14}, // TBZ, TBNZ
	{0x7EC00000, 0x74800000, schema.KindOther, None, nil},         // CB<c>, conditions 4 and 5: unallocated
	{0x7F00C000, 0x74000000, schema.KindBranch, Direct, branch9},  // CB<c> register
	{0xFF00C000, 0x74008000, schema.KindBranch, Direct, branch9},  // CBB<c>
	{0xFF00C000, 0x7400C000, schema.KindBranch, Direct, branch9},  // CBH<c>
	{0x7F004000, 0x75000000, schema.KindBranch, Direct, branch9},  // CB<c> immediate

	{0xFFFFFC1F, 0xD61F0000, schema.KindIndirect, Indirect, nil},        // BR
	{0xFFFFFC1F, 0xD63F0000, schema.KindIndirectCall, Indirect, nil},    // BLR
	{0xFFFFFC1F, 0xD65F0000, schema.KindReturn, Indirect, nil},          // RET
	{0xFFFFF81F, 0xD61F081F, schema.KindIndirect, Indirect, nil},        // BRAAZ, BRABZ
	{0xFFFFF81F, 0xD63F081F, schema.KindIndirectCall, Indirect, nil},    // BLRAAZ, BLRABZ
	{0xFFFFF800, 0xD71F0800, schema.KindIndirect, Indirect, nil},        // BRAA, BRAB
	{0xFFFFF800, 0xD73F0800, schema.KindIndirectCall, Indirect, nil},    // BLRAA, BLRAB
	{0xFFFFFBE0, 0xD65F0BE0, schema.KindReturn, Indirect, nil},          // RETAA, RETAB; RETAASPPCR, RETABSPPCR
	{0xFFC0001F, 0x5500001F, schema.KindReturn, Indirect, nil},          // RETAASPPC, RETABSPPC
	{0xFFFFFFFF, 0xD69F03E0, schema.KindExceptionReturn, Indirect, nil}, // ERET
	{0xFFFFFBFF, 0xD69F0BFF, schema.KindExceptionReturn, Indirect, nil}, // ERETAA, ERETAB
	{0xFFFFFBFF, 0xD6FF03E0, schema.KindExceptionReturn, Indirect, nil}, // TEXIT

	{0xFFFFF0FF, 0xD50330DF, schema.KindBarrier, Barrier, nil},     // ISB
	{0xFFFFF0FF, 0xD503309F, schema.KindBarrier, DataBarrier, nil}, // DSB, SSBB, PSSBB
	{0xFFFFF3FF, 0xD503323F, schema.KindBarrier, DataBarrier, nil}, // DSB nXS
	{0xFFFFF0FF, 0xD50330BF, schema.KindBarrier, DataBarrier, nil}, // DMB
	{0xFFFFFFDF, 0xD503205F, schema.KindOther, Wait, nil},          // WFE, WFI
	{0xFFFFFFC0, 0xD5031000, schema.KindOther, Wait, nil},          // WFET, WFIT
	{0xFFFFFFE0, 0xD5233060, schema.KindOther, Barrier, nil},       // TSTART

	{0xFFE0001F, 0xD4000001, schema.KindSVC, None, nil},  // SVC
	{0xFFE0001F, 0xD4000002, schema.KindHVC, None, nil},  // HVC
	{0xFFE0001F, 0xD4000003, schema.KindSMC, None, nil},  // SMC
	{0xFFE0001F, 0xD4200000, schema.KindBKPT, None, nil}, // BRK
	{0xFFFF0000, 0x00000000, schema.KindUDF, None, nil},  // UDF
}

// branch26 is the target of B and BL: imm26 words from the instruction.
func branch26(w uint32, address schema.Address, in schema.ISA) (schema.Address, schema.ISA) {
	return address + signExtend(w, 26)<<2, in
}

// branch19 is the target of B.<c>, CBZ and their like: imm19 words, bits 23:5.
func branch19(w uint32, address schema.Address, in schema.ISA) (schema.Address, schema.ISA) {
	return address + signExtend(w>>5, 19)<<2, in
}

// branch14 is the target of TBZ and TBNZ: imm14 words, bits 18:5.
func branch14(w uint32, address schema.Address, in schema.ISA) (schema.Address, schema.ISA) {
	return address + signExtend(w>>5, 14)<<2, in
}

// branch9 is the target of CB<c>, CBB<c> and CBH<c>: imm9 words, bits 13:5.
func branch9(w uint32, address schema.Address, in schema.ISA) (schema.Address, schema.ISA) {
	return address + signExtend(w>>5, 9)<<2, in
}
