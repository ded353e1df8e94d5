package tally

import (
	"cmp"
	"maps"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// A Count is a row of `counts`.
type Count struct {
	Address                  uint32
	ISA                      schema.ISA
	Executed, Failed, Untold int64
	FirstSeq                 int64
	Timed                    int64
	Cycles                   schema.Null[int64]
	CyclesSpread             schema.Null[float64]
}

// An Edge is a row of `edges`.
type Edge struct {
	From, To uint32
	Kind     schema.EdgeKind
	Outcome  schema.EdgeOutcome
	N        int64
	Cycles   schema.Null[int64]
}

// place is the key of a row of `counts`.
type place struct {
	address uint32
	isa     schema.ISA
}

// rows adds up what all counters counted. timed says that the source is
// cycle-accurate, untimed how often runs lay in epochs without cycles.
func (c *counters) rows(timed bool, untimed map[shape]int64) ([]Count, []Edge) {
	sum := newCounter()
	for _, w := range c.idle {
		sum.merge(w)
	}
	return sum.counts(timed, untimed), sum.edgeRows()
}

// merge adds what w counted to c.
func (c *counter) merge(w *counter) {
	for number, b := range w.blocks {
		if b == nil {
			continue
		}
		if number >= len(c.blocks) || c.blocks[number] == nil {
			c.enter(uint32(number), b.code)
		}
		c.blocks[number].merge(b)
		for i := range b.ways {
			w.settle(b, &b.ways[i])
		}
		for i := range b.others {
			w.settle(b, &b.others[i])
		}
		w.settleSpread(b)
	}
	for key, e := range w.edges {
		c.edges[key] = c.edges[key].plus(e)
	}
	for s, cycles := range w.spread {
		c.spread[s] += cycles
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

// counts returns the rows of `counts`.
func (c *counter) counts(timed bool, untimed map[shape]int64) []Count {
	byPlace := map[place]*Count{}
	for _, b := range c.blocks {
		if b != nil {
			b.addTo(byPlace, timed)
		}
	}
	for s, n := range untimed {
		for i := range int(s.count) {
			byPlace[c.blocks[s.block].place(int(s.first)+i)].Timed -= n
		}
	}
	for _, s := range slices.SortedFunc(maps.Keys(c.spread), shape.compare) {
		each := float64(c.spread[s]) / float64(s.count)
		for i := range int(s.count) {
			row := byPlace[c.blocks[s.block].place(int(s.first)+i)]
			row.CyclesSpread = schema.Of(row.CyclesSpread.V + each)
		}
	}
	rows := make([]Count, 0, len(byPlace))
	for _, row := range byPlace {
		rows = append(rows, *row)
	}
	slices.SortFunc(rows, func(a, b Count) int {
		return cmp.Or(cmp.Compare(a.Address, b.Address), cmp.Compare(a.ISA, b.ISA))
	})
	return rows
}

func (s shape) compare(t shape) int {
	return cmp.Or(cmp.Compare(s.block, t.block), cmp.Compare(s.first, t.first), cmp.Compare(s.count, t.count))
}

func (b *block) place(i int) place { return place{b.code.Address[i], b.code.Key.ISA} }

// addTo adds what b counted to the rows of its instructions.
func (b *block) addTo(rows map[place]*Count, timed bool) {
	n, silent := int64(0), int64(0)
	for i, first := range b.first {
		var x Count
		if i < len(b.at) {
			n += b.at[i].starts
			x.Failed = b.at[i].failed
			x.Executed = n - x.Failed
		}
		if i < len(b.silent) {
			silent += b.silent[i].starts
			failed, passed := b.silent[i].failed, b.passed[i]
			x.Failed, x.Executed, x.Untold = x.Failed+failed, x.Executed+passed, silent-failed-passed
		}
		if i < len(b.costs) && b.costs[i].costs > 0 {
			x.Cycles = schema.Of(b.costs[i].cycles)
		}
		if first < 0 {
			continue
		}
		if timed {
			x.Timed = n + silent
		}
		key := b.place(i)
		row := rows[key]
		if row == nil {
			row = &Count{Address: key.address, ISA: key.isa, FirstSeq: first}
			rows[key] = row
		}
		row.FirstSeq = min(row.FirstSeq, first)
		row.add(&x)
	}
}

// add adds what was counted of the same instruction elsewhere.
func (c *Count) add(x *Count) {
	c.Executed, c.Failed, c.Untold, c.Timed = c.Executed+x.Executed, c.Failed+x.Failed, c.Untold+x.Untold, c.Timed+x.Timed
	c.Cycles = schema.Null[int64]{V: c.Cycles.V + x.Cycles.V, OK: c.Cycles.OK || x.Cycles.OK}
}

// edgeRows returns the rows of `edges`.
func (c *counter) edgeRows() []Edge {
	rows := make([]Edge, 0, len(c.edges))
	for key, e := range c.edges {
		rows = append(rows, Edge{
			From: key.from, To: key.to, Kind: key.kind, Outcome: key.outcome, N: e.n,
			Cycles: schema.Null[int64]{V: e.cycles, OK: e.costs > 0},
		})
	}
	slices.SortFunc(rows, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Outcome, b.Outcome))
	})
	return rows
}
