// Package cost is a timing model: how many cycles each step takes.
//
// Its API is not stable (docs/guide/library.md).
package cost

import (
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// A Model gives steps their cycles. They are those of no real core, but uneven as
// a real one's and the same in every run: by the class of the instruction, more
// for a branch taken, and much more where a small instruction cache misses.
type Model struct {
	lines [cacheLines]schema.Address // the line that is in each place, plus 1
}

// The instruction cache is direct-mapped.
const (
	cacheLineBytes = 32
	cacheLines     = 32
)

// What things cost, in cycles.
const (
	costInstruction = 1
	costMemory      = 2  // more for a load or store
	costTaken       = 2  // more for a direct branch
	costIndirect    = 6  // more for any other
	costBarrier     = 11 // more
	costException   = 17
	costDebug       = 4001
	costMiss        = 29
)

// Apply sets Cycles of each step.
func (c *Model) Apply(steps step.Steps) step.Steps {
	return func(yield func(step.Step, error) bool) {
		for s, err := range steps {
			s.Cycles = c.Of(&s)
			if !yield(s, err) {
				return
			}
		}
	}
}

// Of is the cost of a step that Apply has not seen yet: it changes the cache.
func (c *Model) Of(s *step.Step) uint32 {
	switch {
	case s.Entered && s.Exception == schema.ExcDebug:
		return costDebug
	case s.Entered:
		return costException
	}
	cost := c.fetch(s.At.Address)
	if s.Failed {
		return cost
	}
	switch s.Instruction.Flow {
	case isa.None:
		if touchesMemory(s.Instruction, s.At.ISA) {
			cost += costMemory
		}
	case isa.Direct:
		cost += costTaken
	case isa.Indirect:
		cost += costIndirect
	case isa.Barrier, isa.DataBarrier:
		cost += costBarrier
	}
	return cost
}

// fetch is the cost of an instruction at address that does nothing.
func (c *Model) fetch(address schema.Address) uint32 {
	line := address / cacheLineBytes
	place := &c.lines[line%cacheLines]
	if *place == line+1 {
		return costInstruction
	}
	*place = line + 1
	return costInstruction + costMiss
}

// touchesMemory says roughly whether in is a load or a store.
func touchesMemory(in isa.Instruction, set schema.ISA) bool {
	w := in.Opcode
	switch {
	case set == schema.A64:
		return program.TouchesMemory(in)
	case set == schema.A32: // single, and multiple
		return w>>26&3 == 1 || w>>25&7 == 4
	case in.Size == 4: // multiple, dual; single
		return w>>25 == 0xE8>>1 || w>>25 == 0xF8>>1
	default: // single, multiple, push and pop
		return w>>12 >= 4 && w>>12 <= 9 && w>>11 >= 9 || w>>12 == 0xC || w&0xF600 == 0xB400
	}
}
