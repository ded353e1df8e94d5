package isa

import "github.com/tracelake/tracelake/schema"

// inThumbEESpace reports whether h1 is one of the 16-bit encodings that ThumbEE
// redefines: those of LDM and STM in T32 (DDI 0406C, chapter A9).
func inThumbEESpace(h1 uint16) bool { return h1>>12 == 0xC }

// thumbEE16 are those encodings. Branches to a handler are indirect: its
// address depends on a base register, TEEHBR. CHKA is none: a check that fails
// is an exception.
var thumbEE16 = []rule{
	{0xFF00, 0xC000, schema.KindIndirect, Indirect, nil},     // HBP
	{0xFF00, 0xC200, schema.KindIndirect, Indirect, nil},     // HB
	{0xFF00, 0xC300, schema.KindIndirectCall, Indirect, nil}, // HBL
	{0xFC00, 0xC400, schema.KindIndirectCall, Indirect, nil}, // HBLP
}

// enterX continues at the next instruction, in ThumbEE state.
func enterX(_ uint32, address schema.Address, _ schema.ISA) (schema.Address, schema.ISA) {
	return address + 4, schema.T32EE
}

// leaveX continues at the next instruction, in Thumb state.
func leaveX(_ uint32, address schema.Address, _ schema.ISA) (schema.Address, schema.ISA) {
	return address + 4, schema.T32
}
