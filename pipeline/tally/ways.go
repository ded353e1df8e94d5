package tally

import (
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// This file counts what decoders have counted already: stretches and their turns.

// A way is where control went from the end of a block, which executed as a whole.
type way struct {
	to      schema.Address // address
	outcome schema.Outcome
	told    bool // as in decode.Turn
	timed   bool // likewise
	n       int64
	cycles  int64
}

// passStretch passes a stretch that begins at an ordinal with the block code.
func (c *counter) passStretch(code *schema.Block, seq int64) {
	if c.cur != counted {
		c.join(seq, code.Place(0))
	}
	c.cur, c.own = counted, 0
}

// turns counts what a decoder counted and handed on with a part.
func (c *counter) turns(r *stitch.Runs) {
	for _, f := range r.Firsts {
		c.block(r.Numbers[f.Block], r.Unit.Blocks[f.Block]).come(r.Seq + f.At)
	}
	for i := range r.Turns {
		t := &r.Turns[i]
		w := c.block(r.Numbers[t.Block], r.Unit.Blocks[t.Block]).way(t)
		w.n += t.N
		w.cycles += t.Cycles
	}
	for _, f := range r.Failures {
		c.fail(c.block(r.Numbers[f.Block], r.Unit.Blocks[f.Block]), int(f.Position), f.N)
	}
}

// come notes that the whole block executed at an ordinal.
func (b *block) come(seq int64) {
	if !b.came || seq < b.from {
		b.came, b.from = true, seq
	}
}

// way returns the way of a turn.
func (b *block) way(t *stitch.Turn) *way {
	for i := range b.ways {
		if w := &b.ways[i]; w.to == t.To && w.outcome == t.Outcome && w.timed == t.Timed {
			return w
		}
	}
	b.ways = append(b.ways, way{to: t.To, outcome: t.Outcome, told: t.Told, timed: t.Timed})
	return &b.ways[len(b.ways)-1]
}

// fail counts that of the executions of an instruction inside a block that count as passed,
// n failed its condition.
func (c *counter) fail(b *block, position int, n int64) {
	b.at.to(position + 1)[position].failed += n
	if kind := b.code.Kind[position]; hasEdges(schema.Kind(kind)) {
		key := EdgeKey{b.code.Place(position), b.code.Place(position + 1), schema.EdgeKind(kind), schema.EdgeTaken}
		c.edges[key] = c.edges[key].plus(edge{n: -n})
		key.Outcome = schema.EdgeNotTaken
		c.edges[key] = c.edges[key].plus(edge{n: n})
	}
}

// settleWays settles the ways that were counted.
func (c *counter) settleWays() {
	for number, b := range c.blocks {
		if b == nil {
			continue
		}
		if b.came {
			b.see(&shape{form: form{count: uint16(len(b.code.Address))}, seq: b.from})
			b.came = false
		}
		for i := range b.ways {
			c.settleWay(uint32(number), b, &b.ways[i])
		}
		b.ways = b.ways[:0]
	}
}

func (c *counter) settleWay(number uint32, b *block, w *way) {
	n := len(b.code.Address)
	s := shape{form: form{block: number, count: uint16(n), outcome: w.outcome}, code: b.code, n: w.n}
	if w.timed {
		s.flags, s.cycles = schema.RunHasCycles, w.cycles
		b.cost(&s)
		c.spread[extent{number, 0, uint16(n)}] += w.cycles
	}
	to := shape{code: &schema.Block{Address: []schema.Address{w.to}}}
	c.settleTurn(&s, &turn{to: &to, n: w.n, cycles: w.cycles})
	if w.told {
		s.flags |= schema.RunHasFailed
		if w.outcome == schema.NotTaken && n <= schema.MaxBlockRow {
			s.failed = 1 << (n - 1)
		}
	}
	b.visit(&s)
	c.inside(&s)
}
