package flow

import (
	"math/bits"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file remembers what packets do where they come again and again: which instructions run,
// with which outcomes, and what they pop from the return stack and push. To take all of
// that at once leaves the processor one thing to predict in place of one a block, and the log
// (decode/log.go) one entry.

// A Path is what a packet does from a position in a block on. It fills a line of the cache.
type Path struct {
	from *block // nil: none
	when uint32 // the position and the packet: see whenOf
	part uint32 // in which ID holds

	To      Cursor         // where it leads, zero: after an indirect branch
	Last    Cursor         // the block that it is in last
	ID      uint32         // of decode.Path
	Seed    uint32         // of where it leads: see Cursor.Seed
	N       uint32         // instructions
	Pos     uint16         // the position in To
	Outcome schema.Outcome // of its last instruction
	touches bool           // it pops or pushes
	*steps                 // nil: it came once
	tried   uint32         // the last part in which it could not be made
}

// steps are what a path consists of.
type steps struct {
	shapes [maxShapes]*shape
	count  uint8 // of shapes
	pops   bool  // the top of the return stack is pop
	pushes uint8
	room   uint32 // as many entries stay on the return stack of those before
	pop    *block
	push   [2]*block
}

// maxShapes is how many shapes a path has at most.
const maxShapes = 8

// A shape is a run without its packet.
type shape struct {
	shapeKey
	part  uint32 // in which index holds
	index uint32 // of Result.Shapes
}

type shapeKey struct {
	block        *block
	first, count uint16
	failed       uint64
	outcome      schema.Outcome
	flags        schema.RunFlags
}

// Paths are the paths of a walker. They stay from one work unit to the next: what a unit
// takes of them gets a number in its result.
type Paths struct {
	at      [1 << pathBits]Path
	shapes  map[shapeKey]*shape
	dropped int // Program.dropped when they were made
	making  steps
	trial
}

const (
	// pathBits is how many bits the index of a path has.
	pathBits = 13
	// missesAllowed is how many packets of a unit may have no path, beside one of eight,
	// before no more is looked for: code that is hard to predict has a new one too often.
	missesAllowed = 256
	// maxPause is how many units no path is looked for at most, where that did not pay.
	maxPause = 31
	// maxHeldShapes is how many shapes are held from unit to unit.
	maxHeldShapes = 1 << 14
)

// A trial is whether it pays to look for paths.
type trial struct {
	taken, missed int // packets of the unit
	rest, pause   int // units without paths: to come, and in all
	share         int // of so many packets, one may have no path, or have it for the first time in the unit
}

// Pay reports whether it pays to look for paths.
func (t *trial) Pay() bool { return t.rest == 0 && t.missed <= missesAllowed+t.taken/t.share }

// Took says how many packets took paths, or lay between those that did.
func (t *trial) Took(n int) { t.taken += n }

// endUnit ends a unit.
func (t *trial) endUnit() {
	switch {
	case t.rest > 0:
		t.rest--
	case t.Pay():
		t.pause = 0
	default:
		t.pause = min(2*t.pause+1, maxPause)
		t.rest = t.pause
	}
	t.taken, t.missed = 0, 0
}

// Paths returns the paths of w. They are looked for as long as all but one of so many packets have
// one.
func (w *Walker) Paths(share int) *Paths {
	if w.paths == nil {
		w.paths = &Paths{shapes: map[shapeKey]*shape{}, trial: trial{share: share}}
	}
	return w.paths
}

// beginUnit readies the paths for a work unit. It forgets them if they may hold blocks that the
// program does not.
func (t *Paths) beginUnit(dropped int) {
	if t == nil {
		return
	}
	t.endUnit()
	if len(t.shapes) > maxHeldShapes || t.dropped != dropped {
		t.dropped = dropped
		t.at = [1 << pathBits]Path{}
		clear(t.shapes)
	}
}

// Part is the number of the part: paths and blocks have a number in its result if they have
// that of the part.
func (w *Walker) Part() uint32 { return w.partStamp }

// Seed returns what Take asks for of a position in the block at c.
func (c Cursor) Seed(pos int) uint32 { return c.b.seed(pos) }

func (b *block) seed(pos int) uint32 { return (uint32(b.at) + uint32(pos)<<16) * 0x9e3779b1 }

// slotOf returns the index of the path of a packet from a position on.
func slotOf(seed uint32, packet uint8) uint32 {
	return (seed + uint32(packet)*0x85ebca6b) >> (32 - pathBits)
}

func whenOf(pos int, packet uint8) uint32 { return uint32(pos)<<8 | uint32(packet) }

// Take returns the path of a packet from a position in the block at c on: nil if it is not
// remembered, or not numbered in the part yet. Equal packets have equal atoms.
func (t *Paths) Take(c Cursor, pos int, seed uint32, packet uint8, part uint32) *Path {
	p := &t.at[slotOf(seed, packet)]
	if p.from != c.b || p.when != whenOf(pos, packet) || p.part != part {
		return nil
	}
	return p
}

// Learn returns the path of a packet that Take does not have: where it comes the second time
// it is remembered. Its atoms are those of Inside. It returns nil if there is none, or if not all
// of it is warm.
func (w *Walker) Learn(c Cursor, pos int, packet uint8, n int, failed uint64) *Path {
	t, when := w.paths, whenOf(pos, packet)
	p := &t.at[slotOf(c.Seed(pos), packet)]
	switch {
	case p.from != c.b || p.when != when:
		if p.part != w.partStamp {
			*p = Path{from: c.b, when: when}
		}
	case p.steps != nil:
		if p.part != w.partStamp && w.number(p) {
			return p
		}
	case p.tried == w.partStamp:
	case w.make(p, pos, n, failed):
		if w.number(p) {
			return p
		}
	default:
		p.tried = w.partStamp
	}
	t.missed++
	return nil
}

// make makes the path of atoms, n of them, as Inside walks them.
func (w *Walker) make(p *Path, pos, n int, failed uint64) bool {
	x, b := *p, p.from
	x.steps = w.paths.scratch(steps{})
	for n > 0 {
		if b.end != atWaypoint {
			return false
		}
		k := min(n, b.len()-pos)
		key := shapeKey{block: b, first: uint16(pos), count: uint16(k), flags: schema.RunHasFailed}
		key.failed = failed & (1<<k - 1)
		fails := failed >> (k - 1) & 1
		x.Last.b, x.To.b, x.Pos, key.outcome = b, b, uint16(pos+k), insideOutcomes[fails]
		if n, pos = n-k, pos+k; pos == b.len() {
			e := uint8(fails ^ 1)
			key.outcome = b.outcomes[e]
			next := b.links[e]
			if next == nil {
				next = w.link(b, e)
			}
			if next == nil && (e == fallThrough || b.flow != isa.Indirect || n > 0 || b.returns) {
				return false
			}
			x.To.b, x.Pos, b, pos = next, 0, next, 0
		}
		if !x.add(w.paths, key) {
			return false
		}
		failed >>= k
	}
	return x.finish(p)
}

// finish has p be the path that was made.
func (x *Path) finish(p *Path) bool {
	if x.To.b != nil {
		x.Seed = x.To.b.seed(int(x.Pos))
	}
	made := *x.steps
	x.steps = &made
	*p = *x
	return true
}

// scratch returns the memory of steps that are being made.
func (t *Paths) scratch(s steps) *steps {
	t.making = s
	return &t.making
}

// add adds a shape to the path. It fails if there are too many.
func (x *Path) add(t *Paths, key shapeKey) bool {
	if x.count == maxShapes {
		return false
	}
	s := t.shapes[key]
	if s == nil {
		s = &shape{shapeKey: key}
		t.shapes[key] = s
	}
	x.shapes[x.count] = s
	x.count++
	x.N += uint32(key.count)
	x.Outcome = key.outcome
	return true
}

// number gives the path a number in the result. It fails if blocks of it are no longer
// cached, or if the result would exceed unitInstructions: then it is forgotten.
func (w *Walker) number(p *Path) bool {
	shapes := p.shapes[:p.count]
	if p.To.b != nil && p.To.b.dropped || p.pops && p.pop.dropped {
		*p = Path{}
		return false
	}
	for _, s := range shapes {
		if b := s.block; b.dropped || b.ready != w.partStamp && !w.includeWhole(b) {
			*p = Path{}
			return false
		}
	}
	w.paths.missed++ // all that reads the log has to learn it, too
	first := len(w.result.PathShapes)
	for _, s := range shapes {
		w.result.PathShapes = append(w.result.PathShapes, w.indexShape(s))
	}
	p.part, p.ID = w.partStamp, uint32(len(w.result.Paths))
	path := decode.Path{First: uint32(first), Count: uint32(p.count), Instructions: p.N}
	w.result.Paths = append(w.result.Paths, path)
	return true
}

// indexShape returns the index of a shape in the result, and adds it if necessary.
func (w *Walker) indexShape(s *shape) uint32 {
	if s.part != w.partStamp {
		s.part, s.index = w.partStamp, uint32(len(w.result.Shapes))
		w.result.Shapes = append(w.result.Shapes, schema.Run{
			Failed: s.failed, Block: s.block.index, First: s.first, Count: s.count, Outcome: s.outcome, Flags: s.flags,
		})
	}
	return s.index
}

// whole returns one more than the number of the path that is all of b, which is in the result,
// with an outcome.
func (w *Walker) whole(b *block, e uint8) uint32 {
	r := w.result
	r.Paths = append(r.Paths, decode.Path{First: uint32(len(r.PathShapes)), Count: 1, Instructions: b.count})
	r.PathShapes = append(r.PathShapes, uint32(len(r.Shapes)))
	r.Shapes = append(r.Shapes, schema.Run{Block: b.index, Count: uint16(b.count), Outcome: b.outcomes[e]})
	b.wholes[e] = uint32(len(r.Paths))
	return b.wholes[e]
}

// Whole returns the number of the path that is all of the block at c, which is in the result, by
// the atom of its waypoint, which is 1 if it is E.
func (w *Walker) Whole(c Cursor, e uint8) uint32 {
	n := c.b.wholes[e&1]
	if n == 0 {
		n = w.whole(c.b, e&1)
	}
	return n - 1
}

// AtomPath is Take and Learn for packets of atoms to waypoints, as the loop of PFT has them: the
// oldest in bit 0 under a stop bit, 1 is E. It does to the return stack what they do.
func (w *Walker) AtomPath(c Cursor, seed uint32, atoms uint8) *Path {
	p := w.paths.Take(c, 0, seed, atoms, w.partStamp)
	if p == nil {
		if p = w.learnAtoms(c, seed, atoms); p == nil {
			return nil
		}
	}
	if p.touches {
		if !w.leadsAlong(p) {
			return nil
		}
		w.touchStack(p)
	}
	return p
}

// leadsAlong reports whether the return stack leads along a path.
func (w *Walker) leadsAlong(p *Path) bool {
	s := &w.stack
	return !p.pops || s.n > 0 && s.entries[(s.top-1)%returnStackDepth] == p.pop
}

// touchStack does to the return stack what a path does.
func (w *Walker) touchStack(p *Path) {
	s := &w.stack
	s.n = min(s.n, p.room)
	if p.pops {
		s.n--
		s.top--
	}
	for _, b := range p.push[:p.pushes] {
		s.push(b)
	}
}

// learnAtoms is Learn for AtomPath.
func (w *Walker) learnAtoms(c Cursor, seed uint32, atoms uint8) *Path {
	t, when := w.paths, whenOf(0, atoms)
	p := &t.at[slotOf(seed, atoms)]
	switch {
	case p.from != c.b || p.when != when:
		if p.part != w.partStamp {
			*p = Path{from: c.b, when: when}
		}
	case p.steps != nil:
		if p.part != w.partStamp && w.leadsAlong(p) && w.number(p) {
			return p
		}
	case p.tried == w.partStamp:
	case w.makeAtoms(p, atoms):
		if w.number(p) {
			return p
		}
	default:
		p.tried = w.partStamp
	}
	t.missed++
	return nil
}

// makeAtoms makes the path of atoms to waypoints.
func (w *Walker) makeAtoms(p *Path, atoms uint8) bool {
	x, b := *p, p.from
	x.steps = w.paths.scratch(steps{room: returnStackDepth})
	for k := range bits.Len8(atoms) - 1 {
		e := atoms >> k & 1
		if b.end != atWaypoint {
			return false
		}
		next := w.foresee(&x, b, e)
		if next == nil || !x.add(w.paths, shapeKey{block: b, count: uint16(b.count), outcome: b.outcomes[e]}) {
			return false
		}
		x.Last.b = b
		b = next
	}
	x.To.b = b
	x.touches = x.pops || x.pushes > 0 || x.room < returnStackDepth
	return x.finish(p)
}

// foresee returns where b leads by an atom after what is in the path, nil if it cannot be
// remembered.
func (w *Walker) foresee(p *Path, b *block, e uint8) *block {
	next := b.links[e]
	switch {
	case e&b.special == 0:
		return next
	case b.flow == isa.Direct:
		if int(p.pushes) == len(p.push) {
			return nil
		}
		p.push[p.pushes] = b
		p.pushes++
		height := uint32(p.pushes)
		if p.pops {
			height--
		}
		p.room = min(p.room, returnStackDepth-height)
		return next
	case b.flow != isa.Indirect:
		return b.links[fallThrough]
	case b.link || !w.prog.rules.ReturnStack:
		return nil
	}
	var caller *block
	switch {
	case p.pushes > 0:
		p.pushes--
		caller = p.push[p.pushes]
	case p.pops || w.stack.n == 0:
		return nil
	default:
		caller = w.stack.entries[(w.stack.top-1)%returnStackDepth]
		p.pops, p.pop = true, caller
	}
	next = caller.links[fallThrough]
	if next == nil || caller.at.space() != b.at.space() {
		return nil
	}
	return next
}
