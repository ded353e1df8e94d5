package tally

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sort"

	"github.com/tracelake/tracelake/schema"
)

// This file adds up what was counted by blocks and positions, by instruction.

// A PC is where an instruction is, by its place: see [schema.Block.Place].
type PC struct {
	Address schema.Address
	ISA     schema.ISA
}

// An Instruction is one that was executed.
type Instruction struct {
	PC
	Size   uint8  // in bytes: 2 or 4
	Opcode uint32 // as fetched; of code that was changed, as the block with the lowest number has it
}

// A Count is a row of `counts`.
type Count struct {
	Instruction
	Executed, Failed, Unknown int64
	FirstSeq                  int64
	Timed                     int64
	Cycles                    schema.Null[int64]
	CyclesSpread              schema.Null[float64]
}

// Compare orders instructions by address, then instruction set.
func (pc PC) Compare(to PC) int {
	return cmp.Or(cmp.Compare(pc.Address, to.Address), cmp.Compare(pc.ISA, to.ISA))
}

// Compare orders instructions by their PC.
func (x Instruction) Compare(y Instruction) int { return x.PC.Compare(y.PC) }

// add adds what was counted of the same instruction elsewhere.
func (c *Count) add(x *Count) {
	c.Executed, c.Failed = c.Executed+x.Executed, c.Failed+x.Failed
	c.Unknown, c.Timed = c.Unknown+x.Unknown, c.Timed+x.Timed
	c.FirstSeq = min(c.FirstSeq, x.FirstSeq)
	c.Cycles = schema.Null[int64]{V: c.Cycles.V + x.Cycles.V, OK: c.Cycles.OK || x.Cycles.OK}
	c.CyclesSpread = schema.Null[float64]{
		V:  c.CyclesSpread.V + x.CyclesSpread.V,
		OK: c.CyclesSpread.OK || x.CyclesSpread.OK,
	}
}

// sums are rows of `counts`, by address and instruction set, to which more is added.
type sums struct {
	rows []Count
	at   int // the row that was added to last
}

// never is the first time of what did not run.
const never = math.MaxInt64

// include makes the rows of instructions that have none yet: all at once, since rows move then.
func (s *sums) include(keys []PC) {
	for i := range s.rows {
		keys = append(keys, s.rows[i].PC)
	}
	slices.SortFunc(keys, PC.Compare)
	keys = slices.Compact(keys)
	old := s.rows
	if len(keys) == len(old) {
		return
	}
	s.rows = make([]Count, len(keys))
	for i, key := range keys {
		if len(old) > 0 && old[0].PC == key {
			s.rows[i], old = old[0], old[1:]
		} else {
			s.rows[i] = Count{Instruction: Instruction{PC: key}, FirstSeq: never}
		}
	}
}

// row returns the row of an instruction.
func (s *sums) row(key PC) *Count {
	// Code comes in the order of its addresses, block by block.
	if s.at++; s.at >= len(s.rows) || s.rows[s.at].PC != key {
		s.at = sort.Search(len(s.rows), func(i int) bool { return s.rows[i].PC.Compare(key) >= 0 })
	}
	return &s.rows[s.at]
}

// untime takes executions off those that are timed.
func (s *sums) untime(key PC, n int64) { s.row(key).Timed -= n }

// merge adds what the blocks of w counted to those of c.
func (c *counter) merge(w *counter) {
	for number, b := range w.blocks {
		if b != nil {
			c.block(uint32(number), b.code).merge(b)
		}
	}
}

// merge adds what w counted to b.
func (b *block) merge(w *block) {
	b.first = append(b.first, slices.Repeat([]int64{-1}, max(0, len(w.first)-len(b.first)))...)
	for i, first := range w.first {
		if b.first[i] < 0 || first >= 0 && first < b.first[i] {
			b.first[i] = first
		}
	}
	b.at = added(b.at, w.at, position.plus)
	b.silent = added(b.silent, w.silent, position.plus)
	b.passed = added(b.passed, w.passed, func(x, y int64) int64 { return x + y })
	b.costs = added(b.costs, w.costs, edge.plus)
}

func (p position) plus(q position) position {
	return position{p.starts + q.starts, p.failed + q.failed}
}

// added adds y to x, one by one.
func added[T any](x, y []T, plus func(T, T) T) []T {
	x = append(x, make([]T, max(0, len(y)-len(x)))...)
	for i := range y {
		x[i] = plus(x[i], y[i])
	}
	return x
}

// addTo adds what the blocks counted to rows, block by block. spread has the
// cycles of runs by extent.
func (c *counter) addTo(to *sums, timed bool, spread map[extent]int64) {
	to.include(c.executed())
	extents := slices.SortedFunc(maps.Keys(spread), extent.compare)
	for number, b := range c.blocks {
		if b == nil {
			continue
		}
		n := 0 // of its extents
		for n < len(extents) && int(extents[n].block) == number {
			n++
		}
		b.addTo(to, timed, b.spread(extents[:n], spread))
		extents = extents[n:]
	}
}

// executed returns the instructions of blocks that were executed, some of them several times.
func (c *counter) executed() []PC {
	n := 0
	for _, b := range c.blocks {
		if b != nil {
			n += len(b.first)
		}
	}
	all := make([]PC, 0, n)
	for _, b := range c.blocks {
		if b == nil {
			continue
		}
		for i, first := range b.first {
			if first >= 0 {
				all = append(all, b.pc(i))
			}
		}
	}
	return all
}

// pc returns where the instruction at a position is.
func (b *block) pc(position int) PC { return PC{b.code.Place(position), b.code.Key.ISA} }

// spread spreads the cycles of the runs of each extent evenly over their instructions.
// It returns them by position; nil if there are no runs with cycles.
func (b *block) spread(extents []extent, cycles map[extent]int64) []schema.Null[float64] {
	if len(extents) == 0 {
		return nil
	}
	spread := make([]schema.Null[float64], len(b.first))
	for _, s := range extents {
		each := float64(cycles[s]) / float64(s.count)
		for i := range spread[s.first:][:s.count] {
			x := &spread[int(s.first)+i]
			*x = schema.Of(x.V + each)
		}
	}
	return spread
}

// addTo adds what the block counted to the rows of its instructions.
func (b *block) addTo(to *sums, timed bool, spread []schema.Null[float64]) {
	n, silent := int64(0), int64(0) // runs through the position
	for i, first := range b.first {
		x := Count{FirstSeq: first}
		if i < len(b.at) {
			n += b.at[i].starts
			x.Failed = b.at[i].failed
			x.Executed = n - x.Failed
		}
		if i < len(b.silent) {
			silent += b.silent[i].starts
			x.Unknown = silent - b.silent[i].failed - b.passed[i]
			x.Failed, x.Executed = x.Failed+b.silent[i].failed, x.Executed+b.passed[i]
		}
		if first < 0 {
			continue
		}
		if timed {
			x.Timed = n + silent
		}
		if i < len(b.costs) {
			x.Cycles = schema.Null[int64]{V: b.costs[i].cycles, OK: b.costs[i].costs > 0}
		}
		if i < len(spread) {
			x.CyclesSpread = spread[i]
		}
		row := to.row(b.pc(i))
		if row.Size == 0 {
			row.Size, row.Opcode = b.code.Size[i], b.code.Opcode[i]
		}
		row.add(&x)
	}
}
