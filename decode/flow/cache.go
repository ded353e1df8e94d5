package flow

import (
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// A Program is one core's program memory as blocks, which are made when first
// entered. Each worker has its own Program, so there are no locks.
type Program struct {
	mem     *image.Memory
	process uint32 // whose memory it is: see [schema.State]
	rules   Rules

	blocks map[schema.BlockKey]*block
	// lookaside is a direct-mapped table before the map: two in five packets of
	// branch-rich code carry an address, and a map look-up for each would
	// cost as much as all the rest.
	lookaside *[lookasideEntries]*block
	held      int    // weight of blocks
	limit     int    // of held; the cache is trimmed above it
	unit      uint32 // number of the current work unit
	short     bool   // blocks that the result does not have yet are short

	data map[*schema.Block][]isa.Transfers // see dataOf

	scratch builder
	// The region fetched from last.
	window         []byte
	windowAt       schema.Address
	windowSecurity schema.Security
}

const (
	lookasideEntries = 1 << 14
	// heldInstructions bounds the cache between work units (15 bytes each; a block
	// counts as blockWeight more); above it, the cache is emptied.
	heldInstructions = 3 << 20
	// limitInstructions bounds the cache at any time: the blocks that the current
	// result holds, and some that it does not hold.
	limitInstructions = heldInstructions + unitInstructions
)

// NewProgram returns the program in mem.
func NewProgram(mem *image.Memory, rules Rules) *Program {
	return newProgram(Program{mem: mem, rules: rules, lookaside: new([lookasideEntries]*block)})
}

func newProgram(p Program) *Program {
	p.limit = limitInstructions
	p.forget()
	return &p
}

func (p *Program) forget() {
	for _, b := range p.blocks {
		b.drop()
	}
	p.blocks = make(map[schema.BlockKey]*block)
	p.data = make(map[*schema.Block][]isa.Transfers)
	clear(p.lookaside[:])
	p.held = 0
}

// begin readies the program for a work unit, of which it has the number. It empties the cache if that holds
// too much.
func (p *Program) begin(unit uint32) {
	p.unit = unit
	p.limit, p.short = limitInstructions, false
	if p.held > heldInstructions {
		p.forget()
	}
}

// trim drops the blocks that the current result does not hold. Those that it holds
// stay, so that the blocks of a result depend on the work unit alone.
func (p *Program) trim() {
	clear(p.lookaside[:])
	for key, b := range p.blocks {
		b.links = [2]*block{}
		if b.unit != p.unit {
			b.drop()
			delete(p.blocks, key)
			delete(p.data, b.code)
			p.held -= b.weight()
		}
	}
	// If the result holds nearly all of the cache, trimming again soon is useless.
	p.limit = max(limitInstructions, p.held+heldInstructions)
}

// block returns the block entered at a key, whose Short does not matter.
func (p *Program) block(key schema.BlockKey) *block {
	if b := p.known(key); b != nil {
		return b
	}
	key.Short = p.short
	if p.held > p.limit {
		p.trim()
	}
	b := p.build(key)
	p.blocks[key] = b
	p.held += b.weight()
	*p.slot(b.at()) = b
	return b
}

// known returns the block entered at a key, whose Short does not matter; nil if it is not built yet.
// Whether the block is long or short does not depend on what else is cached.
func (p *Program) known(key schema.BlockKey) *block {
	key.Short = false
	b := p.find(key)
	if !p.short || b != nil && b.unit == p.unit {
		return b
	}
	key.Short = true
	return p.find(key)
}

func (p *Program) find(key schema.BlockKey) *block {
	at := location{key.Address, identify(key.State, key.Short)}
	slot := p.slot(at)
	if b := *slot; b != nil && b.address == at.address && b.state == at.state {
		return b
	}
	b := p.blocks[key]
	if b != nil {
		*slot = b
	}
	return b
}

// slot returns the place in the look-aside table for the block at a location. It spreads the
// halfword addresses of a few KB of code over the table.
func (p *Program) slot(at location) **block {
	a := uint32(at.address^at.address>>32) >> 1
	return &p.lookaside[(a^a>>14^uint32(at.state)<<7)%lookasideEntries]
}
