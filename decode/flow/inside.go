package flow

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file is for loops over packets whose atoms trace each instruction, as those of
// ETMv3: they hold a Cursor and the position in its block. The walk is that of Executed
// and Atom, as far as it is warm.

// LendInside returns the position as a Cursor and the position in its block. The Cursor is
// zero if the position is unknown. It fails if the block of the position is not cached, or
// if blocks have to be short.
func (w *Walker) LendInside() (c Cursor, pos int, ok bool) {
	switch {
	case w.prog.short:
		return Cursor{}, 0, false
	case !w.known:
		return Cursor{}, 0, true
	case w.cur == nil:
		w.cur, w.pos = w.prog.known(w.at), 0
	}
	return Cursor{w.cur}, w.pos, w.cur != nil
}

// ResumeInside continues at a position in the block at c, after a pause there.
func (w *Walker) ResumeInside(c Cursor, pos int, p Pause) {
	if w.known, w.open = true, false; c.b != w.cur {
		w.Resume(c)
	}
	switch w.pos = pos; p {
	case AtBlock:
	case AfterFailed:
		w.Pass()
	case AfterExecuted:
		w.Take()
	}
}

// Inside walks n atoms of one packet from a position in the block at c on: as far as they
// go in a block at once. Bits of failed say which failed their condition, the oldest in bit
// 0. It writes the runs, without costs, into runs, which has room for n, and returns how
// many there are, and the position. It may pause after the last atom; Seq is the caller's, and the
// first atom is seq instructions after it. If the walk is not warm, there are no runs.
func (w *Walker) Inside(c Cursor, pos int, runs []schema.Run, n int, failed uint64, offset, seq int64) (to Cursor, at, walked int, p Pause) {
	b, part := c.b, w.partStamp
	for b.ready == part || !w.isMixed(b) && w.includeWhole(b) {
		size := int(b.count)
		k := min(n, size-pos)
		last := uint(k-1) & 63 // it is at most 15; and &63 spares a check of the shift
		run := &runs[walked]
		b.fillInside(run, offset, pos, k, failed&(2<<last-1))
		walked++
		fails := failed >> last & 1
		if pos, n = pos+k, n-k; pos < size {
			run.Outcome = insideOutcomes[fails]
			return Cursor{b}, pos, walked, AtBlock
		}
		e := uint8(fails ^ 1)
		run.Outcome = b.outcomes[e]
		next := b.links[e]
		if next == nil {
			next = w.link(b, e)
		}
		seq += int64(k)
		if b.closed>>e&1 != 0 {
			w.noteStep(b, e, next, seq)
		}
		switch {
		case next == nil && n > 0:
			return Cursor{}, 0, 0, AtBlock
		case next == nil:
			return Cursor{b}, pos, walked, AfterFailed + Pause(e)
		case n == 0:
			return Cursor{next}, 0, walked, AtBlock
		}
		b, pos = next, 0
		failed = failed >> last >> 1
	}
	return Cursor{}, 0, 0, AtBlock
}

// includeWhole makes b ready for the part. It fails if b does not end at a waypoint, or if
// the blocks after it would have to be short: see include.
func (w *Walker) includeWhole(b *block) bool {
	if b.end != atWaypoint || w.unitWeight+b.len() > unitInstructions {
		return false
	}
	w.include(b)
	return true
}

// link returns the block that b leads to, by the outcome of its last atom, where no walk
// went there yet: nil if it is not cached, or after an indirect branch.
func (w *Walker) link(b *block, outcome uint8) *block {
	to := b.at().key()
	to.Address = b.next()
	if outcome == taken {
		if b.flow != isa.Direct {
			return nil
		}
		to.Address, to.ISA = b.last.Target, b.last.TargetISA
	}
	next := w.prog.known(to)
	if !b.dropped {
		b.links[outcome] = next
	}
	return next
}

// fillInside makes run n instructions of b from a position on, as if others followed them
// in b. The outcome of its last atom remains to be set.
func (b *block) fillInside(run *schema.Run, offset int64, pos, n int, failed uint64) {
	run.Offset, run.Failed, run.Cycle = offset, failed, 0
	run.Cycles, run.Block = 0, b.index
	run.First, run.Count = uint16(pos), uint16(n)
	run.Flags = schema.RunHasFailed
}

// insideOutcomes are the outcomes of a run that ends inside a block, by its last atom.
var insideOutcomes = [2]schema.Outcome{schema.Passed, schema.NotTaken}

// AddressCursor returns the position at an address from the trace, the zero Cursor if it
// has no block yet.
func (w *Walker) AddressCursor(to decode.PC, security schema.Security) Cursor {
	return w.find(locate(to, security))
}

// Within returns the index in the result of the block at c, and its instructions: none if
// there is no block, or the part does not have it yet.
func (c Cursor) Within(part uint32) (index uint32, instructions int) {
	if c.b == nil || c.b.ready != part {
		return 0, 0
	}
	return c.b.index, int(c.b.count)
}

// After returns where the block at c leads by its last atom: the zero Cursor if no walk went
// there yet, or after an indirect branch.
func (c Cursor) After(e uint8) Cursor { return Cursor{c.b.links[e&1]} }

// Outcome returns that of the last instruction of the block at c, by its atom.
func (c Cursor) Outcome(e uint8) schema.Outcome { return c.b.outcomes[e&1] }

// ExceptionReturn reports whether the waypoint of the block at c returns from an exception.
func (c Cursor) ExceptionReturn() bool { return c.b.last.Kind == schema.KindExceptionReturn }
