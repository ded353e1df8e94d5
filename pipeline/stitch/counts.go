package stitch

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// This file is for parts whose instructions have a count each (CountsEach in
// decode.Segment).

// openEpoch makes the first instruction after a restart at a periodic cut the one
// that opens the epoch: it has no cost and no count.
func (s *Stitcher) openEpoch(p *decodedPart) {
	if !s.carry.untimed || p.from[decode.Costs] == p.to[decode.Costs] {
		return
	}
	s.carry.untimed, s.carry.waits = false, 0
	run := &p.unit.Runs[p.from[decode.Runs]]
	s.shiftCycles(p, -run.Cycle)
	run.Flags &^= schema.RunHasCosts
	run.Cycles, run.Cycle = 0, 0
	p.from[decode.Costs]++
	p.from[decode.Counts]++
}

// countWaits adds the cycles since the last instruction to the count of the first one
// of a part, and to the epoch from there on.
func (s *Stitcher) countWaits(p *decodedPart) {
	if p.Back.Waits != decode.WaitsTaken || p.from[decode.Counts] == p.to[decode.Counts] {
		return
	}
	s.shiftCycles(p, s.carry.waits)
	i := p.from[decode.Counts]
	first := p.unit.Counts.At(i)
	first.Cycles.V += s.carry.waits
	p.unit.Counts.Set(i, first)
}

// shiftCycles adds cycles to the epoch, from the first instruction of a part on that
// has a count.
func (s *Stitcher) shiftCycles(p *decodedPart, cycles int64) {
	s.open.cycle += cycles
	s.carry.base.cycle += cycles
	first := p.unit.Counts.At(p.from[decode.Counts]).Seq
	for i := p.from[decode.Exceptions]; i < p.to[decode.Exceptions] && p.unit.Exceptions[i].Seq <= first; i++ {
		p.unit.Exceptions[i].Cycle.V -= cycles
	}
}
