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
	Size                     uint8  // in bytes
	Opcode                   uint32 // as fetched for the block with the lowest number
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
	sum := &counter{edges: map[edgeKey]*edge{}}
	for _, w := range c.idle {
		sum.merge(w)
	}
	return sum.counts(timed, untimed), sum.edgeRows()
}

// merge adds what w counted to c.
func (c *counter) merge(w *counter) {
	for number, b := range w.blocks {
		if b != nil {
			c.block(uint32(number), b.code).merge(b)
		}
	}
	for key, e := range w.edges {
		sum := c.edges[key]
		if sum == nil {
			sum = &edge{}
			c.edges[key] = sum
		}
		sum.n, sum.cycles, sum.costs = sum.n+e.n, sum.cycles+e.cycles, sum.costs+e.costs
	}
}

// merge adds what w counted to b.
func (b *block) merge(w *block) {
	if n := len(w.at) - len(b.at); n > 0 {
		b.at = append(b.at, make([]position, n)...)
	}
	for i := range w.at {
		sum, p := &b.at[i], &w.at[i]
		if sum.first == 0 || p.first > 0 && p.first < sum.first {
			sum.first = p.first
		}
		sum.traced, sum.silent, sum.told, sum.failed = sum.traced+p.traced, sum.silent+p.silent, sum.told+p.told, sum.failed+p.failed
		sum.cycles, sum.costs = sum.cycles+p.cycles, sum.costs+p.costs
	}
	if b.shapes == nil {
		b.shapes = map[span]int64{}
	}
	for s, cycles := range w.shapes {
		b.shapes[s] += cycles
	}
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
		b := c.blocks[s.block]
		for i := range int(s.count) {
			byPlace[b.place(int(s.first)+i)].Timed -= n
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

func (b *block) place(i int) place { return place{b.code.Address[i], b.code.Key.ISA} }

// addTo adds what b counted to the rows of its instructions.
func (b *block) addTo(rows map[place]*Count, timed bool) {
	traced, silent := int64(0), int64(0)
	for i := range b.at {
		p := &b.at[i]
		traced, silent = traced+p.traced, silent+p.silent
		n := traced + silent
		if n == 0 {
			continue
		}
		key := b.place(i)
		row := rows[key]
		if row == nil {
			row = &Count{Address: key.address, ISA: key.isa, Size: b.code.Size[i], Opcode: b.code.Opcode[i], FirstSeq: p.first - 1}
			rows[key] = row
		}
		row.FirstSeq = min(row.FirstSeq, p.first-1)
		row.Untold += silent - p.told
		row.Failed += p.failed
		row.Executed += traced + p.told - p.failed
		if timed {
			row.Timed += n
		}
		row.Cycles.V += p.cycles
		row.Cycles.OK = row.Cycles.OK || p.costs > 0
	}
	byPosition := func(a, b span) int { return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.count, b.count)) }
	for _, s := range slices.SortedFunc(maps.Keys(b.shapes), byPosition) {
		each := float64(b.shapes[s]) / float64(s.count)
		for i := range int(s.count) {
			row := rows[b.place(int(s.first)+i)]
			row.CyclesSpread = schema.Of(row.CyclesSpread.V + each)
		}
	}
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
