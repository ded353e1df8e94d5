package flow

import (
	"math/bits"

	"github.com/tracelake/tracelake/decode/isa"
)

// This file remembers, as path.go does, what packets do whose atoms trace each instruction:
// which blocks they leave and how, and which instructions inside blocks fail.

// An InsidePath is what the atoms of a packet do from a position in a block on. It fills a
// line of the cache.
type InsidePath struct {
	from *block // nil: none
	when uint32 // the position and the packet: see whenInside
	n    uint32 // how often it was taken and not counted in its blocks

	To        Cursor // where it leads, zero: after an indirect branch
	Pos, Size uint16 // the position in To, and how many instructions To has
	Seed      uint32 // see Cursor.Seed
	N         uint32 // instructions of the blocks that it leaves

	Last, Prev Cursor // the last two blocks that it leaves, as in Visits; zero: not as many
	E          uint8  // likewise
	steps      uint8
	ready      bool // otherwise it came once
	Leaves     bool // it has steps: see InsideSteps
}

// An insideStep is how a path leaves a block, or an instruction inside a block that fails.
type insideStep struct {
	b     *block
	pos   uint16
	e     uint8
	fails bool
}

const (
	// maxInsideSteps is how many steps a path has at most.
	maxInsideSteps = 8
	// missesAllowed is how many packets of a unit may have no path, beside one of eight,
	// before no more is looked for: code that is hard to predict has a new one too often.
	missesAllowed = 256
	// maxPause is how many units no path is looked for at most, where that did not pay.
	maxPause = 31
)

// A trial is whether it pays to look for paths.
type trial struct {
	taken, missed int // packets of the unit
	rest, pause   int // units without paths: to come, and in all
}

// Pay reports whether it pays to look for paths.
func (t *trial) Pay() bool { return t.rest == 0 && t.missed <= missesAllowed+t.taken/8 }

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

// InsidePaths are the paths of a walker.
type InsidePaths struct {
	at    [1 << pathBits]InsidePath // at the start of a line
	steps [1 << pathBits][maxInsideSteps]insideStep
	used  []uint32 // those that are not zero
	left  [1 << pathBits]pathSteps
	trial
}

// InsideSteps notes the steps of the path of a packet that was taken, before whose block
// there were n instructions.
func (w *Walker) InsideSteps(seed uint32, packet uint8, n int64) {
	w.noteSteps(w.inside.left[slotInside(seed, packet)], n)
}

// InsidePaths returns the paths of w.
func (w *Walker) InsidePaths() *InsidePaths {
	if w.inside == nil {
		w.inside = new(InsidePaths)
	}
	return w.inside
}

// Seed returns what Take asks for of a position in the block at c.
func (c Cursor) Seed(pos int) uint32 { return c.b.seed(pos) }

func (b *block) seed(pos int) uint32 { return (uint32(b.address) + uint32(pos)<<16) * 0x9e3779b1 }

// slotInside returns the index of the path of a packet from a position on.
func slotInside(seed uint32, packet uint8) uint32 {
	return (seed + uint32(packet)*0x85ebca6b) >> (32 - pathBits)
}

func whenInside(pos int, packet uint8) uint32 { return uint32(pos)<<8 | uint32(packet) }

// Take takes the path of a packet from a position in the block at c on, and returns it: nil
// if it is not remembered. Equal packets have equal atoms.
func (t *InsidePaths) Take(c Cursor, pos int, seed uint32, packet uint8) *InsidePath {
	p := &t.at[slotInside(seed, packet)]
	if p.from != c.b || p.when != whenInside(pos, packet) || !p.ready {
		return nil
	}
	p.n++
	return p
}

// Remember makes the path of a packet that Take does not have, where it comes the second
// time. Its atoms are as those of Inside.
func (w *Walker) Remember(c Cursor, pos int, packet uint8, n int, failed uint64) {
	t, when := w.inside, whenInside(pos, packet)
	t.missed++
	i := slotInside(c.Seed(pos), packet)
	switch p := &t.at[i]; {
	case p.ready:
	case p.from == c.b && p.when == when:
		w.rememberInside(p, &t.steps[i], &t.left[i], n, failed)
	default:
		if p.from == nil {
			t.used = append(t.used, i)
		}
		p.from, p.when = c.b, when
	}
}

// rememberInside makes the path p of atoms. There is none if not all of it is warm and
// counted, if it makes a row, if it has too many steps, or if it leads to a block that is not
// counted in.
func (w *Walker) rememberInside(p *InsidePath, steps *[maxInsideSteps]insideStep, left *pathSteps, n int, failed uint64) {
	x, b, pos := *p, p.from, int(p.when>>8)
	*left = (*left)[:0]
	for n > 0 {
		k := min(n, b.len()-pos)
		all := x.addFails(steps, b, pos, failed&(1<<k-1))
		if pos += k; all && pos < b.len() {
			break
		}
		e := uint8(failed>>(k-1)&1 ^ 1)
		if !all || b.counted != w.partStamp || !x.add(steps, insideStep{b: b, e: e}) {
			return
		}
		x.N += b.count
		x.Prev, x.Last, x.E = x.Last, Cursor{b}, e
		n -= k
		failed >>= k
		next := b.links[e]
		if e == taken && b.flow == isa.Indirect {
			if n > 0 || b.returns {
				return
			}
			next = nil
		} else if next == nil || next.ready != w.partStamp || w.isMixed(next) { // one that the result does not hold may be dropped
			return
		}
		if next != nil {
			w.addStep(left, b, e, next, x.N)
		}
		b, pos = next, 0
	}
	x.Leaves = len(*left) > 0
	if b != nil {
		x.To.b, x.Pos, x.Size, x.Seed = b, uint16(pos), uint16(b.count), b.seed(pos)
	}
	x.ready = true
	*p = x
}

// add adds a step to p. It fails if there are too many.
func (p *InsidePath) add(steps *[maxInsideSteps]insideStep, s insideStep) bool {
	if p.steps == maxInsideSteps {
		return false
	}
	steps[p.steps] = s
	p.steps++
	return true
}

// addFails adds the instructions of b, from a position on, that failed, but for its last.
func (p *InsidePath) addFails(steps *[maxInsideSteps]insideStep, b *block, pos int, failed uint64) bool {
	for ; failed != 0; failed &= failed - 1 {
		at := pos + bits.TrailingZeros64(failed)
		if at < b.len()-1 && !p.add(steps, insideStep{b: b, pos: uint16(at), fails: true}) {
			return false
		}
	}
	return true
}

// endInside counts in blocks how often paths were taken in a unit.
func (w *Walker) endInside() {
	t := w.inside
	if t == nil {
		return
	}
	for _, i := range t.used {
		p := &t.at[i]
		for _, s := range t.steps[i][:p.steps] {
			switch {
			case s.fails:
				w.fail(s.b, int(s.pos), int64(p.n))
			case s.e == fallThrough || s.b.flow != isa.Indirect: // otherwise ArriveAt counts
				s.b.left[s.e] += p.n
			}
		}
	}
	t.endUnit()
}

// clear forgets all paths.
func (t *InsidePaths) clear() {
	if t == nil {
		return
	}
	for _, i := range t.used {
		t.at[i] = InsidePath{}
	}
	t.used = t.used[:0]
}
