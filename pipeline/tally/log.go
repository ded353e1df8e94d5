package tally

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// This file counts what the log of a part has beside runs: how often each path came, and where
// control went after it. What that is of shapes is added up when the unit ends, so a path
// costs an addition each time.

// A paths counts the paths of one unit.
type paths struct {
	unit   *decode.Result // nil: none
	log    decode.Log     // as the last part has it
	blocks []*schema.Block
	number []uint32    // of the blocks
	counts []pathCount // by index of the path
	shapes []unitShape // by index of the shape
}

// A pathCount counts a path.
type pathCount struct {
	target       int64 // address after it, the last time that another path came right after it; negative: never so far
	n            int64 // how often it went there
	address      uint32
	instructions uint32
	seq          int64 // ordinal of the first time; negative: none yet
	others       []departure
	ends         int64 // how often something else than a path came after it, or after a mark
	begun        int64 // how often its first shape is counted by a turn
}

// A departure counts how often control went to an address.
type departure struct {
	target int64
	n      int64
}

// A unitShape is a shape of a unit: its sums.
type unitShape struct {
	n    int64
	seq  int64 // ordinal of the first time; negative: none yet
	went departure
	more []departure
}

// paths counts the entries of a part, which begin at an ordinal with paths, up to the first that is none. It returns
// how many they are, and the ordinal after them.
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
			p.target, p.n, *x = x.target, x.n, departure{p.target, p.n}
			return
		}
	}
	p.others = append(p.others, departure{p.target, p.n})
	p.target, p.n = to, 0
}

// arrive counts that a path came after what is no path, or after a mark, at an ordinal: on the way to its first shape.
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
		u.counts = append(u.counts, pathCount{target: -1, address: u.blocks[first.Block].Address[first.First], instructions: p.Instructions, seq: -1})
	}
}

// endUnit adds up what was counted of a unit.
func (c *counter) endUnit() {
	u := &c.unit
	if len(u.counts) == 0 {
		u.unit = nil
		return
	}
	for range u.log.Shapes {
		u.shapes = append(u.shapes, unitShape{seq: -1, went: departure{target: -1}})
	}
	for i := range u.counts {
		if p := &u.counts[i]; p.seq >= 0 {
			u.add(p, u.log.ShapesOf(uint32(i)))
		}
	}
	for i := range u.shapes {
		if s := &u.shapes[i]; s.seq >= 0 {
			c.addShape(&u.log.Shapes[i], s)
		}
	}
	clear(u.counts) // of others
	*u = paths{counts: u.counts[:0], shapes: u.shapes[:0]}
}

// add adds what was counted of a path to its shapes.
func (u *paths) add(p *pathCount, shapes []uint32) {
	times := p.n + p.ends
	for i := range p.others {
		times += p.others[i].n
	}
	seq := p.seq
	for k, index := range shapes {
		s := &u.shapes[index]
		s.n += times
		if s.seq < 0 || seq < s.seq {
			s.seq = seq
		}
		seq += int64(u.log.Shapes[index].Count)
		if k > 0 {
			u.shapes[shapes[k-1]].goTo(u.address(index), times)
		}
	}
	u.shapes[shapes[0]].n -= p.begun
	last := &u.shapes[shapes[len(shapes)-1]]
	if p.n > 0 {
		last.goTo(p.target, p.n)
	}
	for _, x := range p.others {
		last.goTo(x.target, x.n)
	}
}

// address returns that of the first instruction of a shape.
func (u *paths) address(shape uint32) int64 {
	s := &u.log.Shapes[shape]
	return int64(u.blocks[s.Block].Address[s.First])
}

// goTo counts how often control went to an address after the shape.
func (s *unitShape) goTo(target, n int64) {
	if s.went.target < 0 {
		s.went.target = target
	}
	if s.went.target == target {
		s.went.n += n
		return
	}
	s.more = append(s.more, departure{target, n})
}

// addShape adds the sums of a shape of a unit.
func (c *counter) addShape(run *schema.Run, s *unitShape) {
	code := c.unit.blocks[run.Block]
	x := c.shape(formOf(run, c.unit.number[run.Block]), code, s.seq)
	x.seq = min(x.seq, s.seq)
	x.n += s.n
	c.depart(x, s.went)
	for _, d := range s.more {
		c.depart(x, d)
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
