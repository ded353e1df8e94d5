// Package flow follows the program: it decodes instruction memory once into
// blocks and walks them as the trace reports. Protocol decoders pass it outcomes
// and addresses, never single instructions.
//
// Its API is not stable (docs/guide/library.md).
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
	atLimit               // straight code continues, or ends at the last address or an undefined instruction
)

// A block is decoded straight code and how it is left. Blocks belong to one
// [Program] and are not shared.
type block struct {
	// What a walk reads and writes, in one line of the cache (64 bytes). The rest fills
	// another two, so that all blocks begin at a line.
	links    [2]*block // successors by outcome, filled in when first taken: fallThrough, taken
	left     [2]uint32 // how often control left it, by outcome: see count.go
	count    uint32    // instructions
	counted  uint32    // partStamp, if executions are counted in the block
	came     arrivals  // most of them
	ready    uint32    // partStamp, if the block ends at a waypoint and is not mixed; otherwise another
	index    uint32
	special  uint8             // by bit of an outcome: to leave the block by it takes more than to follow the link
	flow     isa.Flow          // of the last instruction, with atWaypoint
	link     bool              // likewise
	outcomes [2]schema.Outcome // of the last instruction, by outcome of its atom
	end      end
	state    stateID // that the block was entered in
	closed   uint8   // special, and where leaving is a step: see steps.go

	address   schema.Address // that the block was entered at
	code      *schema.Block  // nil: not even the first instruction could be read
	first     int64          // see count.go
	others    []arrivals     // likewise
	partStamp uint32         // the block is Result.Blocks[index] if this is that of the current part
	unit      uint32         // the last work unit whose result has the block
	bytes     uint32         // of its instructions
	split     uint16         // position of the first 32-bit T32 instruction, the length without one
	pass      uint16         // of a walk by samples: instructions before the first that is 32-bit T32, or an indirect branch
	cycles    *cycles        // see countcycles.go; nil: none yet
	failing   []failing      // see countinside.go

	last isa.Instruction // with atWaypoint: the last instruction

	// See steps.go.
	exits    [2]uint32 // by outcome, where that decides where it leads: see noExit
	function int32     // of its first instruction
	located  bool
	mixed    bool // it has instructions of several functions
	dropped  bool // no longer in the cache: its links stay nil

	returns bool // of a walk by samples: the last instruction returns from an exception
}

// The links of a block, by outcome of the atom of its last instruction.
const (
	fallThrough = iota
	taken
)

// drop marks a block that is no longer in the cache. The walk and the return stack may
// still hold it, but it does not lead to blocks that may be dropped later.
func (b *block) drop() { b.links, b.dropped = [2]*block{}, true }

// blockWeight is what a block adds to a cache beside its instructions, as so many.
const blockWeight = 18

// weight returns what b adds to a cache, in instructions.
func (b *block) weight() int { return b.len() + blockWeight }

// len returns the number of instructions in b.
func (b *block) len() int { return int(b.count) }

// at returns where b was entered.
func (b *block) at() location { return location{b.address, b.state} }

// place returns the place of the first instruction: see [schema.Block.Place].
func (b *block) place() schema.Address {
	if b.code == nil {
		return b.address
	}
	return b.code.Place(0)
}

// next returns the address after the last instruction.
func (b *block) next() schema.Address {
	return b.state.isa().Wrap(b.address + schema.Address(b.bytes))
}

// A builder decodes straight code. Its slices are scratch memory.
type builder struct {
	address []schema.Address
	opcode  []uint32
	size    []uint8
	kind    []uint8
}

// build decodes the block entered at key.
func (p *Program) build(key schema.BlockKey) *block {
	s := &p.scratch
	s.address, s.opcode, s.size, s.kind = s.address[:0], s.opcode[:0], s.size[:0], s.kind[:0]
	b := &block{end: atLimit, address: key.Address, state: identify(key.State, key.Short)}
	next := key.Address
	space := image.SpaceOf(key.Security)
	moved := p.mem.Moved(space, next)
	limit := schema.MaxBlock
	if key.Short {
		limit = shortInstructions
	}
	for len(s.address) < limit {
		in, ok := p.fetch(key, next)
		if !ok {
			b.end = atMissing
			break
		}
		s.address = append(s.address, next)
		s.opcode = append(s.opcode, in.Opcode)
		s.size = append(s.size, in.Size)
		s.kind = append(s.kind, uint8(in.Kind))
		if unsplit := in.Size == 2 || key.ISA == schema.A32 || key.ISA == schema.A64; unsplit && int(b.split) == len(s.address)-1 {
			b.split++
		}
		next, b.bytes = next+schema.Address(in.Size), b.bytes+uint32(in.Size)
		if p.rules.endsBlock(in.Flow) {
			b.endAt(in, p.rules)
			break
		}
		if p.process != 0 && p.mem.Moved(space, next) != moved {
			break
		}
		if key.ISA.Wrap(next) < key.Address || p.rules.Dialect != isa.PFT && in.Kind == schema.KindUDF {
			break
		}
	}
	p.mem.Look(key.Address, b.lastLooked())
	b.pass = b.split
	if b.flow == isa.Indirect {
		b.pass = min(b.pass, uint16(len(s.address)-1))
	}
	if b.count = uint32(len(s.address)); b.count > 0 {
		key.Process = p.process
		b.code = &schema.Block{
			Key:     key,
			Moved:   moved,
			Address: append([]schema.Address(nil), s.address...),
			Opcode:  append([]uint32(nil), s.opcode...),
			Size:    append([]uint8(nil), s.size...),
			Kind:    append([]uint8(nil), s.kind...),
		}
	}
	return b
}

// lastLooked returns the last address at which the block, or an instruction after it, may have
// been looked for.
func (b *block) lastLooked() schema.Address {
	last, end := b.address+schema.Address(b.bytes)+3, schema.Address(schema.End32-1)
	if b.state.isa() == schema.A64 {
		end = schema.MaxAddress
	}
	if last < b.address { // beyond the last address
		return end
	}
	return min(last, end)
}

// endAt ends the block at a waypoint.
func (b *block) endAt(in isa.Instruction, rules Rules) {
	b.end, b.last, b.flow, b.link = atWaypoint, in, in.Flow, in.Link()
	b.returns = in.Kind == schema.KindExceptionReturn
	b.outcomes = [2]schema.Outcome{schema.NotTaken, schema.Passed}
	if in.Flow == isa.Direct || in.Flow == isa.Indirect {
		b.outcomes[taken] = schema.Taken
	}
	if in.Flow != isa.Direct || in.Link() && rules.ReturnStack {
		b.special = 1 << taken
	}
	if rules.Conditions && !in.MayFail(b.state.isa()) {
		b.special |= 1 << fallThrough
	}
}

// fetch decodes the instruction at address. A 32-bit instruction may lie across
// two regions; a 16-bit one needs no more than its own two bytes.
func (p *Program) fetch(key schema.BlockKey, address schema.Address) (isa.Instruction, bool) {
	lo, ok := p.halfword(key.State, address)
	if !ok {
		return isa.Instruction{}, false
	}
	dialect, words := p.rules.Dialect, key.ISA == schema.A32 || key.ISA == schema.A64
	if !words && !isa.Is32Bit(lo) {
		return dialect.T32(lo, 0, address, key.ISA == schema.T32EE), true
	}
	hi, ok := p.halfword(key.State, key.ISA.Wrap(address+2))
	if !ok {
		return isa.Instruction{}, false
	}
	switch word := uint32(hi)<<16 | uint32(lo); key.ISA {
	case schema.A32:
		return dialect.A32(word, address), true
	case schema.A64:
		return isa.A64(word, address), true
	default:
		return dialect.T32(lo, hi, address, key.ISA == schema.T32EE), true
	}
}

// halfword fetches two bytes, from the region fetched from last if it has them.
func (p *Program) halfword(state schema.State, address schema.Address) (uint16, bool) {
	security := state.Security
	i, n := uint64(address-p.windowAt), uint64(len(p.window))
	if security != p.windowSecurity || i >= n || n-i < 2 {
		p.window = p.mem.Fetch(image.SpaceOf(security), address)
		p.windowAt, p.windowSecurity = address, security
		i, n = 0, uint64(len(p.window))
	}
	if n-i >= 2 {
		return uint16(p.window[i]) | uint16(p.window[i+1])<<8, true
	}
	// The halfword itself may lie across two regions.
	if n == 0 {
		return 0, false
	}
	second := p.mem.Fetch(image.SpaceOf(security), state.ISA.Wrap(address+1))
	if len(second) == 0 {
		return 0, false
	}
	return uint16(p.window[0]) | uint16(second[0])<<8, true
}

// Rules are what the configuration of a source says about walks.
type Rules struct {
	// Dialect is how code is read. In those of ETMv4 no walk goes over an instruction that is
	// permanently undefined.
	Dialect isa.Dialect

	// The instructions that end a block, beside direct and indirect branches.
	Barriers     bool // ISB
	DataBarriers bool // DMB and DSB
	Waits        bool // WFE and WFI

	ReturnStack bool // an E atom on an indirect branch goes to the top of the return stack
	// TargetsFollow: it does so no sooner than with the next atom, as an address may come before that.
	TargetsFollow bool
	// Conditions: an N atom on an instruction without a condition is a contradiction.
	Conditions bool
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
	case isa.Wait:
		return r.Waits
	}
	panic("flow: unknown isa.Flow")
}

// keyAt returns the key of the block entered at a PC in a security state.
func keyAt(at decode.PC, security schema.Security) schema.BlockKey {
	return schema.BlockKey{Address: at.Address, State: schema.State{ISA: at.ISA, Security: security}}
}

// A location is the key of a block.
type location struct {
	address schema.Address
	state   stateID
}

// A stateID is the rest of the key of a block as a number: the instruction set, and above it the
// security state, and whether the block is short.
type stateID uint8

const (
	securityShift = 4
	shortBit      = 1 << 7
)

func identify(s schema.State, short bool) stateID {
	id := stateID(s.ISA) | stateID(s.Security)<<securityShift
	if short {
		id |= shortBit
	}
	return id
}

func (i stateID) state() schema.State { return schema.State{ISA: i.isa(), Security: i.security()} }

func (i stateID) isa() schema.ISA { return schema.ISA(i & (1<<securityShift - 1)) }

func (i stateID) security() schema.Security { return schema.Security(i &^ shortBit >> securityShift) }

// alike reports whether both are of one security state, and of A64 or not.
func (i stateID) alike(j stateID) bool {
	return i.security() == j.security() && (i.isa() == schema.A64) == (j.isa() == schema.A64)
}

// locate returns the location of a block that is entered at a PC in a security state.
func locate(at decode.PC, security schema.Security) location {
	return location{at.Address, identify(schema.State{ISA: at.ISA, Security: security}, false)}
}

func (l location) key() schema.BlockKey {
	return schema.BlockKey{Address: l.address, State: l.state.state(), Short: l.state&shortBit != 0}
}
