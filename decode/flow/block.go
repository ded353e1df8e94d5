// Package flow follows the program: it decodes instruction memory once into
// blocks and walks them as the trace reports. Protocol decoders pass it outcomes
// and addresses, never single instructions.
package flow

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// end is how a block ends.
type end uint8

const (
	atWaypoint end = iota // its last instruction can change the flow
	atMissing             // no memory after its last instruction
	atLimit               // straight code continues, or ends at address 2³²
)

// A block is decoded straight code and how it is left. Blocks belong to one
// [Program] and are not shared.
type block struct {
	code     *schema.Block // nil: not even the first instruction could be read
	end      end
	last     isa.Instruction // with atWaypoint: the last instruction
	next     uint32          // address after the last instruction
	executed schema.Outcome  // with atWaypoint: of the last instruction, if executed
	split    int             // position of the first 32-bit T32 instruction, the length without one

	// Successors, filled in when first taken.
	taken, fallThrough *block

	// The block is Result.Blocks[index] if partStamp is that of the current part.
	partStamp uint32
	index     uint32
	unit      uint32 // the last work unit whose result has the block
}

// weight returns what b adds to a cache, in instructions.
func (b *block) weight() int { return b.len() + 16 }

// len returns the number of instructions in b.
func (b *block) len() int {
	if b.code == nil {
		return 0
	}
	return len(b.code.Address)
}

// A builder decodes straight code. Its slices are scratch memory.
type builder struct {
	address []uint32
	opcode  []uint32
	size    []uint8
	kind    []uint8
}

// build decodes the block entered at key.
func (p *Program) build(key schema.BlockKey) *block {
	s := &p.scratch
	s.address, s.opcode, s.size, s.kind = s.address[:0], s.opcode[:0], s.size[:0], s.kind[:0]
	b := &block{end: atLimit, next: key.Address}
	limit := schema.MaxBlock
	if key.Short {
		limit = shortInstructions
	}
	for len(s.address) < limit {
		in, ok := p.fetch(key, b.next)
		if !ok {
			b.end = atMissing
			break
		}
		s.address = append(s.address, b.next)
		s.opcode = append(s.opcode, in.Opcode)
		s.size = append(s.size, in.Size)
		s.kind = append(s.kind, uint8(in.Kind))
		if unsplit := in.Size == 2 || key.ISA == schema.A32; unsplit && b.split == len(s.address)-1 {
			b.split++
		}
		b.next += uint32(in.Size)
		if p.rules.endsBlock(in.Flow) {
			b.end, b.last, b.executed = atWaypoint, in, schema.Passed
			if in.Flow == isa.Direct || in.Flow == isa.Indirect {
				b.executed = schema.Taken
			}
			break
		}
		if b.next < key.Address { // wrapped round 2³²
			break
		}
	}
	if len(s.address) > 0 {
		b.code = &schema.Block{
			Key:     key,
			Address: append([]uint32(nil), s.address...),
			Opcode:  append([]uint32(nil), s.opcode...),
			Size:    append([]uint8(nil), s.size...),
			Kind:    append([]uint8(nil), s.kind...),
		}
	}
	return b
}

// fetch decodes the instruction at address. A 32-bit instruction may lie across
// two regions; a 16-bit one needs no more than its own two bytes.
func (p *Program) fetch(key schema.BlockKey, address uint32) (isa.Instruction, bool) {
	lo, ok := p.halfword(key.Space, address)
	if !ok {
		return isa.Instruction{}, false
	}
	if key.ISA != schema.A32 && !isa.Is32Bit(lo) {
		return isa.T32(lo, 0, address, key.ISA == schema.T32EE), true
	}
	hi, ok := p.halfword(key.Space, address+2)
	if !ok {
		return isa.Instruction{}, false
	}
	if key.ISA == schema.A32 {
		return isa.A32(uint32(hi)<<16|uint32(lo), address), true
	}
	return isa.T32(lo, hi, address, key.ISA == schema.T32EE), true
}

// halfword fetches two bytes, from the region fetched from last if it has them.
func (p *Program) halfword(space uint8, address uint32) (uint16, bool) {
	i := int64(address) - int64(p.windowAt)
	if space != p.windowSpace || i < 0 || i+2 > int64(len(p.window)) {
		p.window, p.windowAt, p.windowSpace = p.mem.Fetch(image.Space(space), address), address, space
		i = 0
	}
	if i+2 <= int64(len(p.window)) {
		return uint16(p.window[i]) | uint16(p.window[i+1])<<8, true
	}
	// The halfword itself may lie across two regions.
	if i+1 > int64(len(p.window)) {
		return 0, false
	}
	second := p.mem.Fetch(image.Space(space), address+1)
	if len(second) == 0 {
		return 0, false
	}
	return uint16(p.window[i]) | uint16(second[0])<<8, true
}

// Rules name the instructions that end a block beside direct and indirect
// branches.
type Rules struct {
	Barriers     bool // ISB
	DataBarriers bool // DMB and DSB
}

func (r Rules) endsBlock(f isa.Flow) bool {
	switch f {
	case isa.None:
		return false
	case isa.Direct, isa.Indirect:
		return true
	case isa.Barrier:
		return r.Barriers
	case isa.DataBarrier:
		return r.DataBarriers
	}
	panic("flow: unknown isa.Flow")
}

// A location is a PC and the memory space its instruction is fetched from.
type location struct {
	decode.PC
	space image.Space
}

func (p location) key() schema.BlockKey {
	return schema.BlockKey{Address: p.Address, ISA: p.ISA, Space: uint8(p.space)}
}
