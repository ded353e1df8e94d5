package flow

import (
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file walks as cursor.go does and makes no runs: it counts, in each block, how often
// control left it, by outcome, and after an indirect branch, in the block it came to, how
// often it came from there. The sums are the turns of a part (see [decode.Stretch]).

// A Stretch is what was counted from a Cursor on: what a loop over packets holds beside its
// position.
type Stretch struct {
	First Cursor // where it began
	Last  Cursor // of the block that executed last; zero: none
	E     uint8  // outcome of Last
	N     int64  // instructions
}

// Part is the number of the part, for [Cursor.Ready].
func (w *Walker) Part() uint32 { return w.partStamp }

// BeginStretch begins to count at c.
func (w *Walker) BeginStretch(c Cursor) Stretch {
	if w.paths == nil {
		w.paths = new(paths)
	}
	return Stretch{First: c}
}

// Ready reports whether the block at c is one to count in, in a part, and its waypoint one
// that Leave can leave by an atom: see Special.
func (c Cursor) Ready(part uint32, e uint8) bool {
	return c.b.counted == part && c.b.closed>>(e&1)&1 == 0
}

// Leave walks to the waypoint and on by an atom, which is 1 if it is E.
func (c Cursor) Leave(e uint8) Cursor {
	c.b.left[e&1]++
	return Cursor{c.b.links[e&1]}
}

// Special does so where Ready says no, seq instructions after Seq. It fails, and does
// nothing, if the block is not warm.
func (w *Walker) Special(c Cursor, e uint8, seq int64) (next Cursor, ok bool) {
	b := c.b
	if b.counted != w.partStamp && !w.admitCounted(b, seq) {
		return c, false
	}
	to := w.leaveClosed(b, e, seq+int64(b.count))
	if e == taken && b.flow == isa.Indirect {
		w.arrive(b, to)
	} else {
		b.left[e&1]++
	}
	return Cursor{to}, true
}

// BranchTo walks as [Walker.Branch] does, seq instructions after Seq.
func (w *Walker) BranchTo(c Cursor, to decode.PC, seq int64) (next Cursor, ok bool) {
	b := c.b
	if b.flow != isa.Indirect && (b.flow != isa.Direct || to.Address != b.last.Target || to.ISA != b.last.TargetISA) || b.counted != w.partStamp && !w.admitCounted(b, seq) {
		return c, false
	}
	if b.link && w.prog.rules.ReturnStack {
		w.stack.push(b)
	}
	next = w.find(locate(to, b.state.security()))
	if b.flow == isa.Indirect {
		w.arrive(b, next.b)
	} else {
		b.left[taken]++
	}
	w.noteStep(b, taken, next.b, seq+int64(b.count))
	return next, true
}

// Arrive counts that control came to next from the indirect branch that ends the block at c, seq
// instructions after Seq.
func (w *Walker) Arrive(c, next Cursor, seq int64) {
	w.arrive(c.b, next.b)
	w.noteStep(c.b, taken, next.b, seq)
}

// admitCounted makes b ready to count in for the part, seq instructions after Seq. It
// fails as admit does.
func (w *Walker) admitCounted(b *block, seq int64) bool {
	if b.ready != w.partStamp && !w.admit(b) {
		return false
	}
	w.beginCounting(b, seq)
	return true
}

// beginCounting begins to count in b, which was entered seq instructions after Seq.
func (w *Walker) beginCounting(b *block, seq int64) {
	b.counted, b.first = w.partStamp, w.before+w.Seq+seq
	w.result.Firsts = append(w.result.Firsts, decode.First{Block: b.index, At: w.Seq + seq - w.partSeq})
	b.left, b.came, b.others = [2]uint32{}, arrivals{}, b.others[:0]
	if w.timed {
		b.beginCycles()
	}
	w.counting = append(w.counting, b)
}

// arrivals are how often control came to a block from an indirect branch.
type arrivals struct {
	from *block
	n    uint32
}

// arrivalsFrom returns those of b from another block, if it counts them in a part.
func (b *block) arrivalsFrom(from *block, part uint32) *arrivals {
	switch i := b.arrivalFrom(from, part); {
	case i < 0:
		return nil
	case i == 0:
		return &b.came
	default:
		return &b.others[i-1]
	}
}

// maxOthers is how many indirect branches a block counts arrivals of, beside the first.
const maxOthers = 7

// arrive counts that control came from b, an indirect branch, to next, unless that is nil.
func (w *Walker) arrive(b, next *block) {
	switch {
	case next == nil:
	case next.counted == w.partStamp && next.came.from == b:
		next.came.n++
	default:
		w.arriveSlow(b, next)
	}
}

// arriveSlow is arrive from elsewhere than the first time.
func (w *Walker) arriveSlow(b, next *block) {
	if next.counted != w.partStamp {
		w.turn(b, taken, next.place(), 1, 0)
		return
	}
	if next.came.from == nil {
		next.came = arrivals{from: b, n: 1}
		return
	}
	if x := next.arrivalsFrom(b, w.partStamp); x != nil {
		x.n++
		return
	}
	if len(next.others) < maxOthers {
		next.others = append(next.others, arrivals{from: b, n: 1})
		return
	}
	w.turn(b, taken, next.place(), 1, 0)
}

// turn adds a turn to the result.
func (w *Walker) turn(b *block, outcome uint8, to schema.Address, n uint32, cycles int64) {
	w.result.Turns = append(w.result.Turns, decode.Turn{
		Block: b.index, To: to, N: int64(n), Outcome: b.outcomes[outcome], Timed: w.timed, Cycles: cycles,
		Told: w.told || b.state.isa() == schema.A64,
	})
}

// EndStretch ends a stretch, of which some executed, at a position. The last block becomes a
// run from a packet: what follows may not be where control went.
func (w *Walker) EndStretch(s *Stretch, at Cursor, offset int64) {
	b := s.Last.b
	w.uncount(b, s.E, at.b, s.N-int64(b.count))
	if n := s.N - int64(b.count); n > 0 {
		w.endSteps(decode.Stretch{Run: len(w.result.Runs), Block: s.First.b.index, Instructions: n})
	}
	w.result.Runs = append(w.result.Runs, schema.Run{})
	b.fill(&w.result.Runs[len(w.result.Runs)-1], offset, s.E)
	w.Seq += s.N
}

// Exit returns where the walk is that a loop left at a position, or after the waypoint of Last.
func (s *Stretch) Exit(at Cursor) (Cursor, Pause) {
	if at.b == nil {
		return s.Last, AfterFailed + Pause(s.E)
	}
	return at, AtBlock
}

// uncount takes back that b executed last, seq instructions after Seq, and that control
// left it for next, which is nil if unknown.
func (w *Walker) uncount(b *block, e uint8, next *block, seq int64) {
	if e != taken || b.flow != isa.Indirect {
		b.left[e]--
	} else if next != nil {
		w.unarrive(b, next)
	}
	w.unstep(b, seq+int64(b.count))
	if b.first == w.before+w.Seq+seq { // it was the first time: nothing else is counted in b
		b.counted = 0
		i := len(w.counting) - 1
		for w.counting[i] != b {
			i--
		}
		last := len(w.counting) - i // of those and of Firsts
		w.counting = slices.Delete(w.counting, i, i+1)
		i = len(w.result.Firsts) - last
		w.result.Firsts = slices.Delete(w.result.Firsts, i, i+1)
	}
}

// unarrive takes back the last arrive.
func (w *Walker) unarrive(b, next *block) {
	if x := next.arrivalsFrom(b, w.partStamp); x != nil {
		x.n--
		return
	}
	w.result.Turns = w.result.Turns[:len(w.result.Turns)-1]
}

// maxWaiting is how many instructions the blocks of a result may have, so that what is
// counted in them waits for its next part.
const maxWaiting = 1 << 16

// End ends the part. It makes turns of what was counted, unless more is to come into the
// result: then the parts share blocks.
func (w *Walker) End(more bool) {
	w.before += w.Seq
	if w.more = more && w.unitWeight <= maxWaiting; w.more {
		return
	}
	w.endPaths()
	w.endInside()
	for _, b := range w.counting {
		for e, n := range b.left {
			if n > 0 {
				w.turn(b, uint8(e), b.onward(e), n, b.leftTook(e))
			}
		}
		if b.came.n > 0 {
			w.turn(b.came.from, taken, b.place(), b.came.n, b.cameTook(0))
		}
		for i, x := range b.others {
			if x.n > 0 {
				w.turn(x.from, taken, b.place(), x.n, b.cameTook(i+1))
			}
		}
	}
	for _, b := range w.failing {
		for _, x := range b.failing {
			if x.n > 0 {
				w.failure(b, x)
			}
		}
	}
	w.forgetCounts()
}

// forgetCounts forgets what was counted.
func (w *Walker) forgetCounts() {
	for _, b := range w.failing {
		b.failing = b.failing[:0]
	}
	w.counting, w.failing = w.counting[:0], w.failing[:0]
	w.paths.clear()
	w.inside.clear()
}

// onward returns the place that control goes to after b, which is no indirect branch if
// it was executed.
func (b *block) onward(e int) schema.Address {
	if e == taken && b.flow == isa.Direct {
		return b.last.Target + b.code.Moved
	}
	return b.next() + b.code.Moved
}
