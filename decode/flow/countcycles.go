package flow

import (
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/isa"
)

// This file adds to what count.go counts the cycles of the last instruction of each block.

// cycles are those of a block's last instruction.
type cycles struct {
	left [2]int64 // of block.left
	came []int64  // of block.came, and after it of block.others
}

// CountCycles is called once where all that is counted has cycles.
func (w *Walker) CountCycles() { w.timed = true }

func (b *block) beginCycles() {
	if b.cycles == nil {
		b.cycles = new(cycles)
	}
	b.cycles.left, b.cycles.came = [2]int64{}, b.cycles.came[:0]
}

// LeaveTimed leaves the block at c by an atom, where Ready says yes, at a cost. It is no indirect
// branch that executed, and no step.
func (c Cursor) LeaveTimed(e uint8, cost uint32) Cursor {
	c.b.left[e&1]++
	c.b.cycles.left[e&1] += int64(cost)
	return Cursor{c.b.links[e&1]}
}

// SpecialTimed walks as [Walker.Special] does, at a cost. The waypoint is at a cycle.
func (w *Walker) SpecialTimed(s *Stretch, c Cursor, e uint8, cost uint32, cycle int64) (next Cursor, ok bool) {
	if next, ok = w.Special(c, e, s.N); ok {
		w.took(s, c, e, next, cost, cycle)
	}
	return next, ok
}

// BranchTimed walks as [Walker.BranchTo] does, at a cost.
func (w *Walker) BranchTimed(s *Stretch, c Cursor, to decode.PC, cost uint32, cycle int64) (next Cursor, ok bool) {
	if next, ok = w.BranchTo(c, to, s.N); ok {
		w.took(s, c, taken, next, cost, cycle)
	}
	return next, ok
}

// took notes what it cost that control left the block at c for next, and gives the step there,
// if there is one, the cycle of the instruction that it left.
func (w *Walker) took(s *Stretch, c Cursor, e uint8, next Cursor, cost uint32, cycle int64) {
	w.AddCycles(c, e, next, int64(cost))
	if w.functionOf == nil {
		return
	}
	if k := w.lastStep(s.N + int64(c.b.count)); k >= 0 {
		w.result.StepCycles[k] = cycle
	}
}

// AddCycles adds cycles to the last time that control left the block at c, by an atom, for
// next.
func (w *Walker) AddCycles(c Cursor, e uint8, next Cursor, n int64) {
	switch b := c.b; {
	case e != taken || b.flow != isa.Indirect:
		b.cycles.left[e&1] += n
	case next.b != nil:
		w.addArrival(b, next.b, n)
	}
}

// addArrival adds cycles to the last arrive.
func (w *Walker) addArrival(b, next *block, n int64) {
	i := next.arrivalFrom(b, w.partStamp)
	if i < 0 {
		w.result.Turns[len(w.result.Turns)-1].Cycles += n
		return
	}
	came := &next.cycles.came
	if more := i + 1 - len(*came); more > 0 {
		*came = append(*came, make([]int64, more)...)
	}
	(*came)[i] += n
}

// arrivalFrom returns the index in cycles.came of the arrivals of b from another block, -1 if
// it does not count them in a part.
func (b *block) arrivalFrom(from *block, part uint32) int {
	switch {
	case b.counted != part:
		return -1
	case b.came.from == from:
		return 0
	}
	i := slices.IndexFunc(b.others, func(x arrivals) bool { return x.from == from })
	if i < 0 {
		return i
	}
	return i + 1
}

// leftTook returns the cycles with an outcome.
func (b *block) leftTook(e int) int64 {
	if b.cycles == nil {
		return 0
	}
	return b.cycles.left[e]
}

// cameTook returns the cycles of arrivals.
func (b *block) cameTook(i int) int64 {
	if b.cycles == nil || i >= len(b.cycles.came) {
		return 0
	}
	return b.cycles.came[i]
}
