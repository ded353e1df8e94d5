package tally

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// This file adds up what was counted by blocks and positions, by instruction.

// A Count is a row of `counts`.
type Count struct {
	Address                  uint32
	ISA                      schema.ISA
	Size                     uint8  // in bytes
	Opcode                   uint32 // as fetched; of code that was changed, as the block with the lowest number has it
	Executed, Failed, Untold int64
	FirstSeq                 int64
	Timed                    int64
	Cycles                   schema.Null[int64]
	CyclesSpread             schema.Null[float64]
}

func (c Count) compare(d Count) int {
	return cmp.Or(cmp.Compare(c.Address, d.Address), cmp.Compare(c.ISA, d.ISA))
}

// add adds what was counted of the same instruction elsewhere.
func (c *Count) add(x *Count) {
	c.Executed, c.Failed, c.Untold, c.Timed = c.Executed+x.Executed, c.Failed+x.Failed, c.Untold+x.Untold, c.Timed+x.Timed
	c.FirstSeq = min(c.FirstSeq, x.FirstSeq)
	c.Cycles = schema.Null[int64]{V: c.Cycles.V + x.Cycles.V, OK: c.Cycles.OK || x.Cycles.OK}
	c.CyclesSpread = schema.Null[float64]{V: c.CyclesSpread.V + x.CyclesSpread.V, OK: c.CyclesSpread.OK || x.CyclesSpread.OK}
}

// sumCounts sorts rows and adds up those of the same instruction, in their order.
func sumCounts(rows []Count) []Count {
	slices.SortStableFunc(rows, Count.compare)
	n := 0
	for i := range rows {
		if n > 0 && rows[n-1].compare(rows[i]) == 0 {
			rows[n-1].add(&rows[i])
			continue
		}
		rows[n] = rows[i]
		n++
	}
	return rows[:n]
}

// settle moves what blocks counted of edges and shapes to the maps.
func (c *counter) settle() {
	for _, b := range c.blocks {
		if b == nil {
			continue
		}
		for i := range b.ways {
			c.settleWay(b, &b.ways[i])
		}
		for i := range b.others {
			c.settleWay(b, &b.others[i])
		}
		c.settleSpread(b)
	}
}

// merge adds what the blocks of w counted to those of c.
func (c *counter) merge(w *counter) {
	for number, b := range w.blocks {
		switch {
		case b == nil:
		case number >= len(c.blocks) || c.blocks[number] == nil:
			c.enter(uint32(number), b.code)
			c.blocks[number] = b
		default:
			c.blocks[number].merge(b)
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
	b.at = sums(b.at, w.at, position.plus)
	b.silent = sums(b.silent, w.silent, position.plus)
	b.passed = sums(b.passed, w.passed, func(x, y int64) int64 { return x + y })
	b.costs = sums(b.costs, w.costs, edge.plus)
}

func (p position) plus(q position) position {
	return position{p.starts + q.starts, p.failed + q.failed}
}

// sums adds y to x, one by one.
func sums[T any](x, y []T, plus func(T, T) T) []T {
	x = append(x, make([]T, max(0, len(y)-len(x)))...)
	for i := range y {
		x[i] = plus(x[i], y[i])
	}
	return x
}

// rows returns what the blocks counted, block by block. spread has the cycles of
// runs by shape.
func (c *counter) rows(timed bool, spread map[shape]int64) []Count {
	shapes := slices.SortedFunc(maps.Keys(spread), shape.compare)
	var rows []Count
	for number, b := range c.blocks {
		if b == nil {
			continue
		}
		of := b.rows(timed)
		for len(shapes) > 0 && int(shapes[0].block) == number {
			s := shapes[0]
			shapes = shapes[1:]
			spreadOver(of[s.first:][:s.count], spread[s])
		}
		rows = append(rows, slices.DeleteFunc(of, func(x Count) bool { return x.FirstSeq == never })...)
	}
	return rows
}

// never is the first time of what did not run.
const never = math.MaxInt64

// spreadOver spreads cycles evenly over instructions.
func spreadOver(rows []Count, cycles int64) {
	each := float64(cycles) / float64(len(rows))
	for i := range rows {
		rows[i].CyclesSpread = schema.Of(rows[i].CyclesSpread.V + each)
	}
}

// rows returns a row for each position that runs reached.
func (b *block) rows(timed bool) []Count {
	rows := make([]Count, len(b.first))
	for i, first := range b.first {
		rows[i] = Count{Address: b.code.Address[i], ISA: b.code.Key.ISA, Size: b.code.Size[i], Opcode: b.code.Opcode[i], FirstSeq: first}
		if first < 0 {
			rows[i].FirstSeq = never
		}
	}
	n := int64(0) // executions
	for i, p := range b.at[:min(len(b.at), len(rows))] {
		n += p.starts
		rows[i].Executed, rows[i].Failed = n-p.failed, p.failed
	}
	n = 0
	for i, p := range b.silent[:min(len(b.silent), len(rows))] {
		n += p.starts
		rows[i].add(&Count{FirstSeq: never, Executed: b.passed[i], Failed: p.failed, Untold: n - b.passed[i] - p.failed})
	}
	for i, e := range b.costs {
		rows[i].Cycles = schema.Null[int64]{V: e.cycles, OK: e.costs > 0}
	}
	if timed {
		for i := range rows {
			rows[i].Timed = rows[i].Executed + rows[i].Failed + rows[i].Untold
		}
	}
	return rows
}
