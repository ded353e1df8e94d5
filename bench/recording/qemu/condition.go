package qemu

import (
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// fails says whether the instruction of r fails its condition, or is a CBZ or CBNZ
// that does not branch.
func (r *record) fails(in isa.Instruction, set schema.ISA) bool {
	if set == schema.T32 && in.Size == 2 && in.Opcode&0xF500 == 0xB100 { // CBZ, CBNZ
		zero := r.r[in.Opcode&7] == 0
		nonzero := in.Opcode>>11&1 == 1
		return zero == nonzero
	}
	return !passes(r.condition(in, set), r.psr)
}

// condition is the condition of the instruction of r: its own (DDI 0406C, A8.3),
// or that of the IT block it is in.
func (r *record) condition(in isa.Instruction, set schema.ISA) uint32 {
	w := in.Opcode
	if set == schema.A32 {
		return w >> 28
	}
	it := r.psr>>8&0xfc | r.psr>>25&3 // ITSTATE[7:2], [1:0]
	switch {
	case it&15 != 0:
		return it >> 4
	case in.Size == 2 && w>>12 == 0xD && w>>9&7 != 7: // B<c>, T1
		return w >> 8 & 15
	case in.Size == 4 && w&0xF800D000 == 0xF0008000 && w>>23&7 != 7: // B<c>, T3
		return w >> 22 & 15
	}
	return program.Always
}

// passes says whether condition holds for the flags of psr (DDI 0406C, table
// A8-1).
func passes(condition, psr uint32) bool {
	n, z, c, v := psr>>31&1 == 1, psr>>30&1 == 1, psr>>29&1 == 1, psr>>28&1 == 1
	var holds bool
	switch condition >> 1 {
	case 0: // EQ
		holds = z
	case 1: // CS
		holds = c
	case 2: // MI
		holds = n
	case 3: // VS
		holds = v
	case 4: // HI
		holds = c && !z
	case 5: // GE
		holds = n == v
	case 6: // GT
		holds = n == v && !z
	default: // AL, and encodings without a condition
		return true
	}
	return holds != (condition&1 == 1)
}
