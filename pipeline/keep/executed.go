package keep

import (
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/pipeline/code"
	"github.com/tracelake/tracelake/schema"
)

// Executed returns what the source executed, and adds the Context IDs of its tasks to those named;
// !ok: that cannot be said.
func (p *Previous) Executed(named map[uint32]bool) (x code.Executed, ok bool, err error) {
	s, before := p.source, p.of.dataset
	x.Core = s.Core
	for b, err := range before.BatchesOf(&schema.Counts, s.ID) {
		if err != nil {
			return x, false, err
		}
		for row := range b.Rows() {
			in, same := instructionAt(s.Memory, schema.CountsAddress.At(b, row),
				schema.ISA(schema.CountsISA.At(b, row)))
			if !same {
				return x, false, nil
			}
			x.Instructions = append(x.Instructions, in)
		}
	}
	if !before.Has(&schema.Tasks) {
		return x, true, nil
	}
	for b, err := range before.BatchesOf(&schema.Tasks, s.ID) {
		if err != nil {
			return x, false, err
		}
		for row := range b.Rows() {
			if !b.Columns[schema.TasksContextID].Null(row) {
				named[schema.TasksContextID.At(b, row)] = true
			}
		}
	}
	return x, true, nil
}

// instructionAt returns the instruction at an address; !ok: there is none, or spaces differ.
func instructionAt(m *image.Memory, address schema.Address, set schema.ISA) (in code.Instruction, ok bool) {
	for _, space := range []image.Space{image.AnySpace, image.SecureSpace, image.NonSecureSpace, image.HypSpace} {
		var b []byte
		for len(b) < 4 {
			next := address + schema.Address(len(b))
			if set != schema.A64 {
				next = next.In32()
			}
			more := m.Fetch(space, next)
			if more == nil {
				break
			}
			b = append(b, more[:min(len(more), 4-len(b))]...)
		}
		if len(b) < 2 {
			continue
		}
		decoded := decodeAt(append(b, 0, 0)[:4], address, set)
		x := code.Instruction{Size: decoded.Size, Opcode: decoded.Opcode}
		x.Address, x.ISA = address, set
		if ok && x != in {
			return in, false
		}
		in, ok = x, true
	}
	return in, ok
}

// decodeAt decodes the instruction that begins with four bytes.
func decodeAt(b []byte, address schema.Address, set schema.ISA) isa.Instruction {
	lo, hi := uint16(b[0])|uint16(b[1])<<8, uint16(b[2])|uint16(b[3])<<8
	switch word := uint32(hi)<<16 | uint32(lo); {
	case set == schema.A64:
		return isa.A64(word, address)
	case set == schema.A32:
		return isa.PFT.A32(word, address)
	case !isa.Is32Bit(lo):
		hi = 0
	}
	return isa.PFT.T32(lo, hi, address, set == schema.T32EE)
}
