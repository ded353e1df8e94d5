package flow

import (
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// A Program is one core's program memory as blocks, made when first entered.
// Each worker has its own: no locks, plain links.
type Program struct {
	mem   *image.Memory
	rules Rules

	blocks map[schema.BlockKey]*block
	// lookaside is a direct-mapped table before the map: two in five packets of
	// branch-rich code carry an address, and a map look-up for each would
	// cost as much as all the rest.
	lookaside []*block
	held      int    // weight of blocks
	limit     int    // beyond it is trimmed
	unit      uint32 // counts units: the one at hand
	short     bool   // blocks that the unit does not have yet are short

	data map[*schema.Block][]isa.Transfers // of blocks that were asked about

	scratch builder
	// The region fetched from last.
	window      []byte
	windowAt    uint32
	windowSpace uint8
}

const (
	lookasideEntries = 1 << 14
	// heldInstructions bounds a cache between units (11 bytes each; a block alone
	// is as much as 16 of them); beyond, it starts anew.
	heldInstructions = 4 << 20
	// limitInstructions bounds it at any time: the blocks of the unit at hand, and
	// some that it does not hold.
	limitInstructions = heldInstructions + unitInstructions
)

// NewProgram returns the program in mem.
func NewProgram(mem *image.Memory, rules Rules) *Program {
	p := &Program{mem: mem, rules: rules, lookaside: make([]*block, lookasideEntries), limit: limitInstructions}
	p.forget()
	return p
}

func (p *Program) forget() {
	p.blocks = make(map[schema.BlockKey]*block)
	p.data = make(map[*schema.Block][]isa.Transfers)
	clear(p.lookaside)
	p.held = 0
}

// begin readies the program for a unit. It forgets all blocks if they have become
// too many.
func (p *Program) begin() {
	p.unit++
	p.limit, p.short = limitInstructions, false
	if p.held > heldInstructions {
		p.forget()
	}
}

// trim forgets the blocks that the unit at hand does not hold. Those it does stay,
// so that what it holds depends on its data alone.
func (p *Program) trim() {
	clear(p.lookaside)
	for key, b := range p.blocks {
		b.taken, b.fallThrough = nil, nil
		if b.unit != p.unit {
			delete(p.blocks, key)
			delete(p.data, b.code)
			p.held -= b.weight()
		}
	}
	// Where the unit holds nearly all, the next time is not soon.
	p.limit = max(limitInstructions, p.held+heldInstructions)
}

// block returns the block entered at a place.
func (p *Program) block(at place) *block {
	if b := p.known(at); b != nil {
		return b
	}
	key := at.key()
	key.Short = p.short
	if p.held > p.limit {
		p.trim()
	}
	b := p.build(key)
	p.blocks[key] = b
	p.held += b.weight()
	p.lookaside[lookasideIndex(key)] = b
	return b
}

// known returns the block entered at a place, nil if it would have to be built.
// Which of a long and a short one it is does not depend on what else the cache
// has.
func (p *Program) known(at place) *block {
	key := at.key()
	b := p.find(key)
	if !p.short || b != nil && b.unit == p.unit {
		return b
	}
	key.Short = true
	return p.find(key)
}

func (p *Program) find(key schema.BlockKey) *block {
	slot := &p.lookaside[lookasideIndex(key)]
	if b := *slot; b != nil && b.code != nil && b.code.Key == key {
		return b
	}
	b := p.blocks[key]
	if b != nil {
		*slot = b
	}
	return b
}

// lookasideIndex spreads the halfword addresses of a few KB of code over the table.
func lookasideIndex(k schema.BlockKey) uint32 {
	a := k.Address >> 1
	return (a ^ a>>14 ^ uint32(k.ISA)<<7 ^ uint32(k.Space)<<11) % lookasideEntries
}
