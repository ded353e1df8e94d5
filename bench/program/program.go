// Package program has the code that is executed: the instruction at each place of
// program memory, and what an ELF file says of its code.
//
// It decodes instructions by the tables of package isa and walks no program.
//
// Its API is not stable (docs/guide/library.md).
package program

import (
	"encoding/binary"
	"fmt"

	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// A Program is the code that executions are made of. It is used by one
// goroutine at a time.
type Program struct {
	mem     *image.Memory
	dialect isa.Dialect
	seen    map[step.Place]isa.Instruction
}

// New returns the program that is in mem, for an architecture whose code is read in
// dialect [isa.PFT].
func New(mem *image.Memory) *Program { return For(V7A, mem) }

// For returns the program that is in mem, for an architecture.
func For(arch Arch, mem *image.Memory) *Program {
	return &Program{mem: mem, dialect: arch.Dialect(), seen: make(map[step.Place]isa.Instruction)}
}

// Instruction returns the instruction at a place. It fails if there is no
// memory.
func (p *Program) Instruction(at step.Place) (isa.Instruction, error) {
	if in, ok := p.seen[at]; ok {
		return in, nil
	}
	var code [4]byte
	n := 0
	for n < len(code) {
		b := p.Fetch(at.Security, at.Address+schema.Address(n))
		if len(b) == 0 {
			break
		}
		n += copy(code[n:], b)
	}
	h1, h2 := binary.LittleEndian.Uint16(code[:]), binary.LittleEndian.Uint16(code[2:])
	wide := at.ISA == schema.A32 || at.ISA == schema.A64 || isa.Is32Bit(h1)
	if n < 2 || n < 4 && wide {
		return isa.Instruction{}, fmt.Errorf("no program memory at %s", at)
	}
	var in isa.Instruction
	switch at.ISA {
	case schema.A64:
		in = isa.A64(binary.LittleEndian.Uint32(code[:]), at.Address)
	case schema.A32:
		in = p.dialect.A32(binary.LittleEndian.Uint32(code[:]), at.Address)
	default:
		in = p.dialect.T32(h1, h2, at.Address, at.ISA == schema.T32EE)
	}
	p.seen[at] = in
	return in, nil
}

// Fetch returns the memory at an address, as far as it lies in one piece, as a
// core in the security state fetches it; nil if there is none.
func (p *Program) Fetch(security schema.Security, address schema.Address) []byte {
	return p.mem.Fetch(image.SpaceOf(security), address)
}
