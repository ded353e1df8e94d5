// Package isa classifies what one Arm instruction can do to the flow of the
// program: its size, its kind, and where it branches to if that is in the opcode.
// It reads A32, T32, ThumbEE and A64; no disassembler, no state, no memory.
//
// The encodings are those of the ARM Architecture Reference Manual, ARMv7-A and
// ARMv7-R edition (ARM DDI 0406C); the Program Flow Trace specification defines
// which of them are branches and barriers (ARM IHI 0035B §2.2). A64 and later
// A32 and T32 are those of the manuals of Armv8-A, Armv9-A and Armv8-M; the
// specification of ETMv4 defines which of them are P0 instructions (ARM IHI 0064): see
// [Dialect]. Classification depends on the opcode alone.
//
// An encoding that is UNPREDICTABLE because it names the PC as a destination it
// may not name (MOVW pc, LDRT pc, AND pc,r0,r1,LSL r2) is no branch (IHI 0035B
// §2.2.1). Other constraints on operands, and bits that should be zero or one,
// are not checked: BLX pc is a branch.
//
// Its API is not stable (docs/guide/library.md).
package isa

import "github.com/tracelake/tracelake/schema"

// Flow is what an instruction can do to the flow of the program.
type Flow uint8

// The flows.
const (
	None        Flow = iota // continues at the next instruction
	Direct                  // may branch to Target in TargetISA
	Indirect                // may branch to an address that is not in the opcode
	Barrier                 // ISB, CP15 ISB, TSTART: a PFT waypoint and a P0 instruction always
	DataBarrier             // DSB, DMB and CP15 forms: a PFT waypoint if ETMCCER[24], never a P0 instruction
	Wait                    // WFE, WFI, WFET, WFIT: a P0 instruction if TRCIDR2.WFXMODE; none in dialect [PFT]
)

// An Instruction is one decoded instruction.
type Instruction struct {
	Target    schema.Address // Direct: the target address, without a T bit
	Opcode    uint32         // as fetched; 32-bit T32 has its first halfword in the high half
	Size      uint8          // in bytes: 2 or 4
	Kind      schema.Kind
	Flow      Flow
	TargetISA schema.ISA // Direct
}

// Conditional reports whether i, of instruction set in, has a condition that can fail or is
// a branch with two ways. Its opcode does not say whether it is in an IT block.
func (i *Instruction) Conditional(in schema.ISA) bool {
	switch {
	case in == schema.A32:
		return i.Opcode>>28 < 14
	case i.Kind != schema.KindBranch:
		return false
	case in == schema.A64:
		return i.Opcode>>26 != 0x05 // B alone is not
	case i.Size == 2:
		return i.Opcode>>12 != 0xE // likewise
	default: // B<c>.W; LE, LETP, WLS and WLSTP
		return i.Opcode&0xD000 == 0x8000 && i.Opcode>>22&0xF < 14 || i.Opcode&0xF001 == 0xC001
	}
}

// MayFail reports whether i, of instruction set in, can fail its condition. In T32 any may be in an
// IT block.
func (i *Instruction) MayFail(in schema.ISA) bool { return in == schema.T32 || i.Conditional(in) }

// Link reports whether i pushes the return address: BL, BLX, BLR, HBL, HBLP.
func (i *Instruction) Link() bool {
	return i.Kind == schema.KindCall || i.Kind == schema.KindIndirectCall
}

// A rule is a set of encodings, those with opcode & mask == value, and what
// they are. In a list the first rule that matches applies, so an exception comes
// before its rule.
type rule struct {
	mask, value uint32
	kind        schema.Kind
	flow        Flow
	target      target // of a Direct one
}

// A target computes where the direct branch at address goes; the branch itself is
// executed in instruction set in. What it returns is modulo 2³² the target.
type target func(opcode uint32, address schema.Address, in schema.ISA) (schema.Address, schema.ISA)

// classify returns the instruction of the given size by the first matching rule. An
// instruction that matches none continues at the next one.
func classify(rules []rule, opcode uint32, size uint8, address schema.Address, in schema.ISA) Instruction {
	i := Instruction{Opcode: opcode, Size: size, Kind: schema.KindOther, Flow: None}
	for r := range rules {
		rule := &rules[r]
		if opcode&rule.mask != rule.value {
			continue
		}
		i.Kind, i.Flow = rule.kind, rule.flow
		if rule.target != nil {
			i.Target, i.TargetISA = rule.target(opcode, address, in)
			if in != schema.A64 {
				i.Target = i.Target.In32()
			}
		}
		break
	}
	return i
}

// signExtend returns the low bits of x as a signed number.
func signExtend(x uint32, bits uint) schema.Address {
	return schema.Address(int32(x<<(32-bits)) >> (32 - bits))
}
