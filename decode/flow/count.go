package flow

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file walks as cursor.go does and makes no runs: it counts, in each block, how often
// control left it, by outcome, and after an indirect branch, in the block it came to, how
// often it came from there. The sums are the turns of a part (see [decode.Stretch]).

// A stretch is what is counted since BeginStretch.
type stretch struct {
	first *block // nil: there is no stretch
	seq   int64  // Seq at its start
	last  *block // that executed last; nil: none
	e     uint8  // its outcome
}

// BeginStretch begins to count at c.
func (w *Walker) BeginStretch(c Cursor) { w.stretch = stretch{first: c.b, seq: w.Seq} }

// CountAtoms walks from c on by packets of one byte each, as far as they are atoms: table
// has those of each byte, as [Walker.Atoms] takes them, or 0. It returns how many packets
// it walked, the last one in part if there are atoms left.
func (w *Walker) CountAtoms(c Cursor, packets []byte, table *[256]uint8) (to Cursor, n int, left uint8, p Pause) {
	b, part, seq, last, e := c.b, w.partStamp, int64(0), w.stretch.last, w.stretch.e
walk:
	for ; n < len(packets); n++ {
		left = table[packets[n]]
		if left == 0 {
			break
		}
		for left > 1 {
			if b.counted != part && !w.admitCounted(b, seq) {
				n++
				break walk
			}
			e = left & 1
			left >>= 1
			seq += int64(b.count)
			last = b
			next := b.links[e]
			if e&b.special != 0 {
				next = w.successor(b)
			}
			if next == nil {
				n, p = n+1, AfterFailed+Pause(e)
				break walk
			}
			if e&b.special != 0 && b.flow == isa.Indirect {
				w.arrive(b, next)
			} else {
				b.left[e]++
			}
			b = next
		}
	}
	w.Seq += seq
	w.stretch.last, w.stretch.e = last, e
	return Cursor{b}, n, left, p
}

// CountBranch walks as [Walker.Branch] does.
func (w *Walker) CountBranch(c Cursor, to decode.PC) (next Cursor, ok bool) {
	b := c.b
	if b.flow != isa.Indirect && (b.flow != isa.Direct || to.Address != b.last.Target || to.ISA != b.last.TargetISA) || b.counted != w.partStamp && !w.admitCounted(b, 0) {
		return Cursor{}, false
	}
	w.Seq += int64(b.count)
	w.stretch.last, w.stretch.e = b, taken
	if b.link && w.prog.rules.ReturnStack {
		w.stack.push(b)
	}
	next = w.find(b.at.inSpace(to))
	switch {
	case !next.Known():
	case b.flow == isa.Indirect:
		w.arrive(b, next.b)
	default:
		b.left[taken]++
	}
	return next, true
}

// admitCounted makes b ready to count in for the part, seq instructions after Seq. It
// fails as admit does.
func (w *Walker) admitCounted(b *block, seq int64) bool {
	if b.ready != w.partStamp && !w.admit(b) {
		return false
	}
	b.counted, b.first = w.partStamp, w.Seq+seq-w.partSeq
	b.left, b.from, b.came = [2]uint32{}, nil, 0
	w.counting = append(w.counting, b)
	return true
}

// arrive counts that control came from b, an indirect branch, to next.
func (w *Walker) arrive(b, next *block) {
	switch {
	case next.counted != w.partStamp:
	case next.from == b:
		next.came++
		return
	case next.came == 0:
		next.from, next.came = b, 1
		return
	}
	w.turn(b, taken, uint32(next.at), 1)
}

// turn adds a turn to the result.
func (w *Walker) turn(b *block, outcome uint8, to, n uint32) {
	w.result.Turns = append(w.result.Turns, decode.Turn{Block: b.index, To: to, N: int64(n), First: b.first, Outcome: b.outcomes[outcome]})
}

// EndStretch ends what BeginStretch began, at c, before or after its waypoint. It makes the
// last block a run from a packet: what follows may not be where control went. It returns
// whether anything executed.
func (w *Walker) EndStretch(c Cursor, p Pause, offset int64) {
	s := w.stretch
	if s.last == nil {
		return
	}
	if p == AtBlock {
		w.uncount(s.last, s.e, c.b)
	}
	if n := w.Seq - s.seq - int64(s.last.count); n > 0 {
		w.result.Stretches = append(w.result.Stretches, decode.Stretch{Run: len(w.result.Runs), Block: s.first.index, Instructions: n})
	}
	w.result.Runs = append(w.result.Runs, schema.Run{})
	s.last.fill(&w.result.Runs[len(w.result.Runs)-1], offset, s.e)
}

// uncount takes back that control left b last, for next.
func (w *Walker) uncount(b *block, e uint8, next *block) {
	switch {
	case e != taken || b.flow != isa.Indirect:
		b.left[e]--
	case next.counted == w.partStamp && next.from == b:
		next.came--
	default:
		w.result.Turns = w.result.Turns[:len(w.result.Turns)-1]
	}
}

// End ends the part: it makes turns of what was counted.
func (w *Walker) End() {
	for _, b := range w.counting {
		for e, n := range b.left {
			if n > 0 {
				w.turn(b, uint8(e), b.onward(e), n)
			}
		}
		if b.came > 0 {
			w.turn(b.from, taken, uint32(b.at), b.came)
		}
	}
	w.counting = w.counting[:0]
}

// onward returns the address that control goes to after b, which is no indirect branch if
// it was executed.
func (b *block) onward(e int) uint32 {
	if e == taken && b.flow == isa.Direct {
		return b.last.Target
	}
	return b.next
}
