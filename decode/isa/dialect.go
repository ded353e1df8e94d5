package isa

import (
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// A Dialect says how A32 and T32 code is read for a trace unit: which instructions
// there are, and which of them the unit reports. A64 is read in one way.
type Dialect uint8

// The dialects. ThumbEE is in PFT alone.
const (
	PFT    Dialect = iota // PFT and ETMv1 to ETMv3, of all profiles: waypoints (IHI 0035B §2.2)
	ETMv4                 // ETMv4 and ETE, of A and R profile: P0 instructions (IHI 0064)
	ETMv4M                // ETMv4 of M profile, v8.1-M included: T32 alone
)

// a32ConditionalETMv4 are the A32 encodings with a condition.
var a32ConditionalETMv4 = slices.Concat([]rule{
	{0x0FFFFFFE, 0x0320F002, schema.KindOther, Wait, nil}, // WFE, WFI
}, a32Conditional)

// t32NarrowETMv4 are the 16-bit encodings, of M profile too: BXNS and BLXNS are in the
// rows of BX and BLX, which have their bit 2 free.
var t32NarrowETMv4 = slices.Concat([]rule{
	{0xFFEF, 0xBF20, schema.KindOther, Wait, nil}, // WFE, WFI
}, t32Narrow)

// t32WideETMv4 are the 32-bit encodings.
var t32WideETMv4 = slices.Concat([]rule{
	{0xFFFFFFFE, 0xF3AF8002, schema.KindOther, Wait, nil}, // WFE.W, WFI.W
	{0xFFFFFFE0, 0xF3BF8F00, schema.KindOther, None, nil}, // ENTERX, LEAVEX
}, t32Wide)

// t32WideETMv4M are those of M profile: first what M profile alone has, then what it does not
// have. BF and its kin, which announce a branch, are none: cores execute them as NOP.
var t32WideETMv4M = slices.Concat([]rule{
	{0xFFFFF001, 0xF00FC001, schema.KindBranch, Direct, loopStart}, // LE lr
	{0xFFFFF001, 0xF02FC001, schema.KindBranch, Direct, loopStart}, // LE
	{0xFFFFF001, 0xF01FC001, schema.KindBranch, Direct, loopStart}, // LETP lr
	{0xFF8FF001, 0xF00FC001, schema.KindOther, None, nil},          // WLS, WLSTP of the PC: UNPREDICTABLE
	{0xFFF0F001, 0xF040C001, schema.KindBranch, Direct, loopEnd},   // WLS
	{0xFFC0F001, 0xF000C001, schema.KindBranch, Direct, loopEnd},   // WLSTP
	{0xFFF00FF0, 0xFB500F10, schema.KindReturn, Indirect, nil},     // BXAUT

	{0xF800D001, 0xF000C000, schema.KindOther, None, nil}, // BLX immediate
	{0xFFF0D000, 0xF3C08000, schema.KindOther, None, nil}, // BXJ
	{0xFFF0FF00, 0xF3D08F00, schema.KindOther, None, nil}, // SUBS pc,lr,#n; ERET
	{0xFFE0F000, 0xF7E08000, schema.KindOther, None, nil}, // HVC, SMC
	{0xFFD00000, 0xE8100000, schema.KindOther, None, nil}, // RFEDB
	{0xFFD00000, 0xE9900000, schema.KindOther, None, nil}, // RFEIA
	{0xFE5F0000, 0xE81F0000, schema.KindOther, None, nil}, // LDM from the PC: CLRM
	{0xFF000F10, 0xEE000F10, schema.KindOther, None, nil}, // MCR and MRC of coprocessor 15
}, t32WideETMv4)

// loopStart is the target of LE and LETP, back from the PC.
func loopStart(w uint32, address schema.Address, in schema.ISA) (schema.Address, schema.ISA) {
	return address + pcT32 - loopOffset(w), in
}

// loopEnd is the target of WLS and WLSTP, forward from the PC.
func loopEnd(w uint32, address schema.Address, in schema.ISA) (schema.Address, schema.ISA) {
	return address + pcT32 + loopOffset(w), in
}

// loopOffset is the offset of a loop's branches: imm11 halfwords, whose bit 0 is bit 11
// and whose others are bits 10:1.
func loopOffset(w uint32) schema.Address {
	return schema.Address(w&0x7FE<<1 | w>>10&2)
}
