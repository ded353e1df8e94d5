package program

import (
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// Always is the condition AL (DDI 0406C, A8.3); 15 is for encodings without a
// condition, those below 14 may fail.
const Always = 14

// TouchesMemory says whether in, of A64, is of the class of loads and stores.
func TouchesMemory(in isa.Instruction) bool { return in.Opcode&0x0A000000 == 0x08000000 }

// WritesContextID says whether in, of an instruction set, writes CONTEXTIDR if executed, or
// CONTEXTIDR_EL1.
func WritesContextID(in isa.Instruction, set schema.ISA) bool {
	if set == schema.A64 {
		return in.Opcode&^0x1F == contextIDWriteA64
	}
	return in.Size == 4 && in.Opcode&^0xF000F000 == contextIDWrite
}

const (
	// contextIDWrite is MCR p15, 0, Rt, c13, c0, 1, without condition and Rt. T32
	// has the same encoding with 14 in place of the condition.
	contextIDWrite = 0x0E0D0F30
	// contextIDWriteA64 is MSR CONTEXTIDR_EL1, Xt, without Xt.
	contextIDWriteA64 = 0xD518D020
)
