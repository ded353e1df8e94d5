package flow

import (
	"math/bits"

	"github.com/tracelake/tracelake/decode/isa"
)

// This file remembers what packets of atoms do where they come again and again: which
// blocks they leave and how, what they pop from the return stack and push. To take all of
// that in one step leaves the processor one thing to predict in place of one a block.

// A Path is what a packet of atoms does from the start of a block on.
type Path struct {
	To, Last Cursor // where it leads, zero: that is not told yet; and the block that it leaves last,
	E        uint8  // by that outcome
	atoms    uint8  // as Atoms takes them
	pushes   uint8
	pops     bool   // the top of the return stack is pop
	Steps    bool   // it has steps: see PathSteps
	slot     uint16 // of the path
	room     uint32 // as many entries stay on the return stack of those before
	N        uint32 // instructions
	part     uint32 // in which it holds
	n        uint32 // how often it was taken and not counted in its blocks
	from     *block
	pop      *block
	push     [2]*block
}

// A departure is how a path leaves a block.
type departure struct {
	from, to *block
	e        uint8
}

// maxPathAtoms is how many atoms a path has at most.
const maxPathAtoms = 5

// pathBits is how many bits the index of a path has.
const pathBits = 10

// paths are the paths of a walker.
type paths struct {
	at         [1 << pathBits]Path
	departures [1 << pathBits][maxPathAtoms]departure
	steps      [1 << pathBits]pathSteps
	used       []uint32 // those that hold in the part
	missed     int      // packets without a path, as long as it is looked for
}

// maxMissed is how many packets of a part may have no path before no more is looked for:
// code that is hard to predict has a new one almost each time.
const maxMissed = 2048

// Path takes the path of atoms from c, if it is remembered, and returns it; nil if not.
func (w *Walker) Path(c Cursor, atoms uint8) *Path {
	if w.paths.missed > maxMissed {
		return nil
	}
	i := (c.b.index<<6 | uint32(atoms)) * 0x9e3779b1 >> (32 - pathBits)
	p := &w.paths.at[i]
	if p.from != c.b || p.atoms != atoms || p.part != w.partStamp {
		if !w.newPath(i, c.b, atoms) {
			return nil
		}
	}
	s := &w.stack
	if p.pops && (s.n == 0 || s.entries[(s.top-1)%returnStackDepth] != p.pop) {
		return nil
	}
	p.n++
	s.n = min(s.n, p.room)
	if p.pops {
		s.n--
		s.top--
	}
	if p.pushes > 0 {
		s.push(p.push[0])
		if p.pushes > 1 {
			s.push(p.push[1])
		}
	}
	return p
}

// newPath makes the path of atoms from b, where it comes the second time. It fails if not
// all of it is warm and counted, or if it pops or pushes too much.
func (w *Walker) newPath(i uint32, b *block, atoms uint8) bool {
	p := &w.paths.at[i]
	w.paths.missed++
	switch {
	case b.counted != w.partStamp:
		return false
	case p.part == w.partStamp: // of another block, or other atoms
		return false
	case p.from != b || p.atoms != atoms:
		p.from, p.atoms = b, atoms
		return false
	}
	x := Path{from: b, atoms: atoms, part: w.partStamp, room: returnStackDepth, slot: uint16(i)}
	d, steps := &w.paths.departures[i], &w.paths.steps[i]
	*steps = (*steps)[:0]
	last := bits.Len8(atoms) - 2
	for k := range last + 1 {
		e := atoms >> k & 1
		var next *block
		if k < last || !w.owes(b, e) {
			if next = w.foresee(&x, b, e); next == nil {
				return false
			}
		} else if b.counted != w.partStamp {
			return false
		}
		d[k] = departure{b, next, e}
		x.N += b.count
		if next != nil {
			w.addStep(steps, b, e, next, x.N)
		}
		x.Last.b, x.E = b, e
		b = next
	}
	x.To.b, x.Steps = b, len(*steps) > 0
	*p = x
	w.paths.used = append(w.paths.used, i)
	return true
}

// owes reports whether b was left by an atom that does not tell where control goes.
func (w *Walker) owes(b *block, e uint8) bool {
	return w.prog.rules.TargetsFollow && e == taken && b.flow == isa.Indirect
}

// foresee returns where b leads by an atom after what is in the path, nil if it cannot be
// remembered.
func (w *Walker) foresee(p *Path, b *block, e uint8) *block {
	next := b.links[e]
	switch {
	case b.counted != w.partStamp:
		return nil
	case b.special>>(e&1)&1 == 0:
		return next
	case e == fallThrough:
		return nil
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
	if next == nil || !caller.state.alike(b.state) || next.arrivalsFrom(b, w.partStamp) == nil {
		return nil
	}
	return next
}

// endPaths counts in blocks how often paths were taken.
func (w *Walker) endPaths() {
	if w.paths == nil {
		return
	}
	for _, i := range w.paths.used {
		p := &w.paths.at[i]
		for k := range bits.Len8(p.atoms) - 1 {
			d := &w.paths.departures[i][k]
			switch {
			case d.e != taken || d.from.flow != isa.Indirect:
				d.from.left[d.e] += p.n
			case d.to != nil:
				d.to.arrivalsFrom(d.from, w.partStamp).n += p.n
			}
		}
	}
}

// clear forgets what was taken.
func (p *paths) clear() {
	if p == nil {
		return
	}
	for _, i := range p.used {
		p.at[i] = Path{}
	}
	p.used, p.missed = p.used[:0], 0
}
