package tally

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// This file counts what the log of a part has beside runs: how often each path came, and where
// control went after it. What that is of shapes is added up when the unit ends, so a path
// costs an addition each time.

// A unitPaths counts the paths of one unit.
type unitPaths struct {
	unit   *decode.Result // nil: none
	log    decode.Log     // as the last part has it
	blocks []*schema.Block
	number []uint32    // of the blocks
	counts []pathCount // by index of the path
}

// A pathCount counts a path. It fills a line of the cache.
type pathCount struct {
	departure          // the last time that another path came right after it; to a negative address: never so far
	seq          int64 // ordinal of the first time; negative: none yet
	address      uint32
	instructions uint32
	others       []departure
	ends         uint32 // how often something else than a path came after it, or after a mark
	begun        uint32 // how often its first shape is counted by a turn
}

// A departure counts how often control went to an address.
type departure struct {
	target int64
	n      int64
}

// A sum is what was counted of a shape by paths.
type sum struct {
	form
	n         int64
	seq       int64 // ordinal of the first time
	departure       // to where control went first after it
	others    []departure
}

// paths counts the entries of a part, which begin at an ordinal with paths, up to the first that is
// none. It returns how many they are, and the ordinal after them.
func (c *counter) paths(entries []decode.Entry, seq int64) (n int, after int64) {
	counts := c.unit.counts
	cur := &counts[entries[0].Path]
	c.arrive(cur, entries[0].Path, seq)
	seq += int64(cur.instructions)
	n = 1
	for _, e := range entries[1:] {
		if int(e.Path) >= len(counts) {
			break // runs
		}
		next := &counts[e.Path]
		switch {
		case seq >= c.nextMark:
			c.leave(cur, entries[n-1].Path, seq)
			c.arrive(next, e.Path, seq)
		case cur.target != int64(next.address):
			cur.turn(next.address)
			fallthrough
		default:
			cur.n++
		}
		cur = next
		if cur.seq < 0 {
			cur.seq = seq
		}
		seq += int64(cur.instructions)
		n++
	}
	c.leave(cur, entries[n-1].Path, seq)
	return n, seq
}

// turn has the target of a path be an address.
func (p *pathCount) turn(address uint32) {
	to := int64(address)
	if p.target < 0 {
		p.target = to
		return
	}
	for i := range p.others {
		if x := &p.others[i]; x.target == to {
			p.departure, *x = *x, p.departure
			return
		}
	}
	p.others = append(p.others, p.departure)
	p.departure = departure{target: to}
}

// arrive counts that a path came after what is no path, or after a mark, at an ordinal: on the way
// to its first shape.
func (c *counter) arrive(p *pathCount, path uint32, seq int64) {
	if p.seq < 0 {
		p.seq = seq
	}
	first := &c.unit.log.Shapes[c.unit.log.ShapesOf(path)[0]]
	number := c.unit.number[first.Block]
	t := &c.cur.turns[first.Outcome%outcomes]
	if seq >= c.nextMark || !t.to.is(first, number) {
		t = c.next(first, number, c.unit.blocks[first.Block], seq)
	}
	t.n++
	t.cycles += c.own
	p.begun++
}

// leave counts that something else than a path came after one, or a mark.
func (c *counter) leave(p *pathCount, path uint32, seq int64) {
	p.ends++
	shapes := c.unit.log.ShapesOf(path)
	last := &c.unit.log.Shapes[shapes[len(shapes)-1]]
	c.own = 0
	c.cur = c.shape(formOf(last, c.unit.number[last.Block]), c.unit.blocks[last.Block], seq-int64(last.Count))
}

// begin readies the counter for the log of a part.
func (c *counter) begin(r *stitch.Runs) {
	u := &c.unit
	if u.unit != r.Unit {
		c.endUnit()
		u.unit = r.Unit
	}
	u.log, u.blocks, u.number = r.Log, r.Unit.Blocks, r.Numbers
	for i := len(u.counts); i < len(u.log.Paths); i++ {
		p := &u.log.Paths[i]
		first := &u.log.Shapes[u.log.PathShapes[p.First]]
		u.counts = append(u.counts, pathCount{
			departure: departure{target: -1}, seq: -1,
			address: u.blocks[first.Block].Address[first.First], instructions: p.Instructions,
		})
	}
}

// endUnit adds up what was counted of a unit.
func (c *counter) endUnit() {
	u := &c.unit
	for i := range u.counts {
		if p := &u.counts[i]; p.seq >= 0 {
			c.addPath(p, u.log.ShapesOf(uint32(i)))
		}
	}
	clear(u.counts) // of others
	*u = unitPaths{counts: u.counts[:0]}
	if c.sums > max(c.most, 1) {
		c.settleAll()
	}
}

// addPath adds what was counted of a path to its shapes.
func (c *counter) addPath(p *pathCount, shapes []uint32) {
	u, times := &c.unit, p.n+int64(p.ends)
	for i := range p.others {
		times += p.others[i].n
	}
	var last *sum
	seq := p.seq
	for _, index := range shapes {
		run := &u.log.Shapes[index]
		code := u.blocks[run.Block]
		if last != nil {
			last.goTo(int64(code.Address[run.First]), times)
		}
		s := c.sum(formOf(run, u.number[run.Block]), code, seq)
		s.seq = min(s.seq, seq)
		if s.n += times; last == nil {
			s.n -= int64(p.begun)
		}
		seq += int64(run.Count)
		last = s
	}
	if p.n > 0 {
		last.goTo(p.target, p.n)
	}
	for _, x := range p.others {
		last.goTo(x.target, x.n)
	}
}

// sum returns the sum of a form, which came at an ordinal.
func (c *counter) sum(f form, code *schema.Block, seq int64) *sum {
	b := c.block(f.block, code)
	for i := range b.sums {
		if s := &b.sums[i]; s.form == f {
			return s
		}
	}
	c.sums++
	b.sums = append(b.sums, sum{form: f, seq: seq, departure: departure{target: -1}})
	return &b.sums[len(b.sums)-1]
}

// goTo counts how often control went to an address after the shape.
func (s *sum) goTo(target, n int64) {
	if s.target < 0 {
		s.target = target
	}
	if s.target == target {
		s.departure.n += n
		return
	}
	for i := range s.others {
		if x := &s.others[i]; x.target == target {
			x.n += n
			return
		}
	}
	s.others = append(s.others, departure{target, n})
}

// settleSums settles what was counted by paths.
func (c *counter) settleSums() {
	for _, b := range c.blocks {
		if b == nil {
			continue
		}
		for i := range b.sums {
			c.settleSum(b, &b.sums[i])
		}
		b.sums = b.sums[:0]
	}
}

func (c *counter) settleSum(b *block, s *sum) {
	x := shape{form: s.form, code: b.code, seq: s.seq, n: s.n}
	x.settle(b)
	c.inside(&x)
	c.depart(&x, s.departure)
	for _, d := range s.others {
		c.depart(&x, d)
	}
}

// depart counts the edges from the last instruction of a shape.
func (c *counter) depart(from *shape, d departure) {
	i := from.last()
	if kind := schema.Kind(from.code.Kind[i]); d.n > 0 && hasEdges(kind) {
		key := edgeKey{from.code.Address[i], uint32(d.target), schema.EdgeKind(kind), edgeOutcomes[from.outcome]}
		c.edges[key] = c.edges[key].plus(edge{n: d.n})
	}
}
