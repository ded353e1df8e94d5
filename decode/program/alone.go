package program

import (
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// Alone returns an instruction of a dialect by its opcode alone, for code that no
// program file has: whether it is in an IT block is not known.
func Alone(dialect isa.Dialect, address schema.Address, in schema.ISA, opcode uint32, size uint8) Instruction {
	var i isa.Instruction
	switch {
	case in == schema.A64:
		i = isa.A64(opcode, address)
	case in == schema.A32:
		i = dialect.A32(opcode, address)
	case size == 4:
		i = dialect.T32(uint16(opcode>>16), uint16(opcode), address, in == schema.T32EE)
	default:
		i = dialect.T32(uint16(opcode), 0, address, in == schema.T32EE)
	}
	x := rowOf(address, in, i, i.Conditional(in))
	x.Size, x.Opcode = size, opcode
	return x
}
