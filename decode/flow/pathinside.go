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
	from *block
	when uint32 // position and atoms: see whenInside
	n    uint32 // how often it was taken and not counted in its blocks

	To        Cursor // where it leads, zero after an indirect branch; and the position in it
	Pos, Size uint16 // and how many instructions To has
	onward    uint32 // seed of To and Pos
	N         uint32 // instructions of the blocks that it leaves

	// As in Visits, of the blocks that it leaves: zero if there are not as many.
	Last, Prev Cursor
	E          uint8
	steps      uint8
	ready      bool // it may be taken
}

// An insideStep is how a path leaves a block, or which instruction of it fails.
type insideStep struct {
	b    *block
	pos  uint16
	e    uint8
	fail bool
}

// maxInsideSteps is how many steps a path has at most.
const maxInsideSteps = 8

// InsidePaths are those of a walker.
type InsidePaths struct {
	at     [1 << pathBits]InsidePath
	steps  [1 << pathBits][maxInsideSteps]insideStep
	used   []uint32
	missed int
}

func (t *InsidePaths) Looking() bool { return t.missed <= maxMissed }

func whenInside(pos int, header uint8) uint32 { return uint32(pos)<<8 | uint32(header) }

func (b *block) seed(pos int) uint32 { return (uint32(b.at) + uint32(pos)<<16) * 0x9e3779b1 }

func indexInside(seed uint32, header uint8) uint32 {
	return (seed + uint32(header)*0x85ebca6b) >> (32 - pathBits)
}

// Seed is what Take wants of a position in the block at c.
func (c Cursor) Seed(pos int) uint32 { return c.b.seed(pos) }

// Take returns the path of a packet from a position in the block at c on, and takes it; nil
// if it is not remembered.
func (t *InsidePaths) Take(c Cursor, pos int, seed uint32, header uint8) *InsidePath {
	p := &t.at[indexInside(seed, header)]
	if p.from != c.b || p.when != whenInside(pos, header) || !p.ready {
		return nil
	}
	p.n++
	return p
}

// Seed is that of the position that p leads to.
func (p *InsidePath) Seed() uint32 { return p.onward }

// InsidePaths returns the paths of w.
func (w *Walker) InsidePaths() *InsidePaths {
	if w.inside == nil {
		w.inside = new(InsidePaths)
	}
	return w.inside
}

// Remember makes the path of n atoms, as Inside has them, where it comes the second time.
// There is none if not all of it is warm and counted, if it makes a row, or if it has too
// many steps.
func (w *Walker) Remember(c Cursor, pos int, header uint8, n int, failed uint64) {
	b := c.b
	i := indexInside(b.seed(pos), header)
	p := &w.inside.at[i]
	w.inside.missed++
	switch when := whenInside(pos, header); {
	case p.ready || b.counted != w.partStamp:
		return
	case p.from != b || p.when != when:
		p.from, p.when = b, when
		return
	}
	x := InsidePath{from: b, when: p.when, ready: true}
	steps := &w.inside.steps[i]
	add := func(s insideStep) bool {
		if x.steps == maxInsideSteps || s.b.counted != w.partStamp {
			return false
		}
		steps[x.steps] = s
		x.steps++
		return true
	}
	for n > 0 {
		k := min(n, b.len()-pos)
		for f := failed & (1<<k - 1); f != 0; f &= f - 1 {
			at := pos + bits.TrailingZeros64(f)
			if at < b.len()-1 && !add(insideStep{b: b, pos: uint16(at), fail: true}) {
				return
			}
		}
		if pos += k; pos < b.len() {
			break
		}
		e := uint8(failed>>(k-1)&1 ^ 1)
		if !add(insideStep{b: b, e: e}) {
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
		} else if next == nil || next.ready != w.partStamp {
			return
		}
		b, pos = next, 0
	}
	if b != nil {
		x.To.b, x.Pos, x.Size, x.onward = b, uint16(pos), uint16(b.count), b.seed(pos)
	}
	for _, s := range steps[:x.steps] {
		if s.fail {
			w.fail(s.b, int(s.pos), 0) // what EndVisits takes back has a place
		}
	}
	*p = x
	w.inside.used = append(w.inside.used, i)
}

// endInside counts in blocks how often paths were taken.
func (w *Walker) endInside() {
	if w.inside == nil {
		return
	}
	for _, i := range w.inside.used {
		p := &w.inside.at[i]
		for _, s := range w.inside.steps[i][:p.steps] {
			switch {
			case s.fail:
				w.fail(s.b, int(s.pos), int64(p.n))
			case s.e == taken && s.b.flow == isa.Indirect: // ArriveAt counts it
			default:
				s.b.left[s.e] += p.n
			}
		}
	}
}

// clear forgets what was taken.
func (t *InsidePaths) clear() {
	if t == nil {
		return
	}
	for _, i := range t.used {
		t.at[i] = InsidePath{}
	}
	t.used, t.missed = t.used[:0], 0
}
