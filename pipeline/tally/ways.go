package tally

import (
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// This file counts what decoders have counted already: stretches and their turns.

// A way is where control went from the end of a block, which executed as a whole.
type way struct {
	to      uint32 // address
	outcome schema.Outcome
	n       int64
}

// passStretch passes a stretch that begins at an ordinal with the block code.
func (c *counter) passStretch(code *schema.Block, seq int64) {
	if c.cur != counted {
		c.join(seq, code.Address[0])
	}
	c.cur, c.own = counted, 0
}

// turns counts the turns of a part.
func (c *counter) turns(r *stitch.Runs) {
	for i := range r.Turns {
		t := &r.Turns[i]
		b := c.block(r.Numbers[t.Block], r.Unit.Blocks[t.Block])
		if first := r.Seq + t.First; len(b.ways) == 0 || first < b.from {
			b.from = first
		}
		b.way(t).n += t.N
	}
}

// way returns the way of a turn.
func (b *block) way(t *stitch.Turn) *way {
	for i := range b.ways {
		if w := &b.ways[i]; w.to == t.To && w.outcome == t.Outcome {
			return w
		}
	}
	b.ways = append(b.ways, way{to: t.To, outcome: t.Outcome})
	return &b.ways[len(b.ways)-1]
}

// settleWays settles the ways that were counted.
func (c *counter) settleWays() {
	for number, b := range c.blocks {
		if b == nil {
			continue
		}
		whole := shape{form: form{block: uint32(number), count: uint16(len(b.code.Address))}, code: b.code, seq: b.from}
		for _, w := range b.ways {
			to := shape{code: &schema.Block{Address: []uint32{w.to}}}
			whole.outcome, whole.n = w.outcome, w.n
			c.settleTurn(&whole, &turn{to: &to, n: w.n})
			whole.settle(b)
			c.inside(&whole)
		}
		b.ways = b.ways[:0]
	}
}
