package program

import "github.com/tracelake/tracelake/decode/isa"

// Always is the condition AL (DDI 0406C, A8.3); 15 is for encodings without a
// condition, those below 14 may fail.
const Always = 14

// WritesContextID says whether in, if executed, writes CONTEXTIDR.
func WritesContextID(in isa.Instruction) bool {
	return in.Size == 4 && in.Opcode&^0xF000F000 == contextIDWrite
}

// contextIDWrite is MCR p15, 0, Rt, c13, c0, 1, without condition and Rt. T32
// has the same encoding with 14 in place of the condition.
const contextIDWrite = 0x0E0D0F30
