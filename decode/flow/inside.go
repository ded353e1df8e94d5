package flow

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file is for a loop over packets of ETMv3 atoms, which trace each instruction: the
// same walk as Executed and Atom make, from a position inside a block, as far as blocks
// are cached and linked.

// LendInside returns the position as a Cursor and the position in its block, and the
// number of the part for [Cursor.Ready]. The Cursor is zero if the position is unknown. It
// fails if the block of the position is not cached, or blocks have to be short.
func (w *Walker) LendInside() (c Cursor, pos int, part uint32, ok bool) {
	switch {
	case w.prog.short:
		return Cursor{}, 0, 0, false
	case !w.known:
		return Cursor{}, 0, w.partStamp, true
	case w.cur == nil:
		w.cur, w.pos = w.prog.known(w.at), 0
	}
	return Cursor{w.cur}, w.pos, w.partStamp, w.cur != nil
}

// ResumeInside continues at a position in the block at c, after seq instructions, or with
// the position unknown if c is zero. The run of the next instruction is a new one.
func (w *Walker) ResumeInside(c Cursor, pos int, seq int64) {
	if w.open = false; !c.Known() {
		w.Lose()
		w.Seq = seq
		return
	}
	if c.b != w.cur {
		w.known = true
		w.Resume(c)
	}
	w.pos, w.Seq = pos, seq
}

// Include puts the block at c into the result. It fails if the block does not end at a
// waypoint, or if the blocks after it would have to be short: see include.
func (w *Walker) Include(c Cursor) bool {
	if c.b.end != atWaypoint || w.unitWeight+c.b.len() > unitInstructions {
		return false
	}
	w.include(c.b)
	return true
}

// Find returns the position at an address, the zero Cursor if no block there is cached.
func (w *Walker) Find(address uint32, state schema.ISA, space image.Space) Cursor {
	return w.find(identify(schema.BlockKey{Address: address, ISA: state, Space: uint8(space)}))
}

// Ready reports whether the block at c ends at a waypoint and is in the result, in the
// part of that number.
func (c Cursor) Ready(part uint32) bool { return c.b.ready == part }

// Next returns the position after the waypoint: where it branches to if outcome is 1,
// after it if outcome is 0; the zero Cursor if the walk did not go there yet.
func (c Cursor) Next(outcome uint8) Cursor { return Cursor{c.b.links[outcome&1]} }

// Link is Next after an atom that a walk did not follow from there yet, if the block that
// it leads to is cached.
func (w *Walker) Link(c Cursor, outcome uint8) Cursor {
	b := c.b
	to := location{decode.PC{Address: b.next, ISA: b.at.isa()}, b.at.space()}
	if outcome == taken {
		if b.flow != isa.Direct {
			return Cursor{}
		}
		to.PC = decode.PC{Address: b.last.Target, ISA: b.last.TargetISA}
	}
	next := w.prog.known(to)
	if !b.dropped {
		b.links[outcome] = next
	}
	return Cursor{next}
}

// FillInside makes run the n instructions of the block from a position on, not the last
// one, without costs. Bits of failed say which failed their condition.
func (c Cursor) FillInside(run *schema.Run, offset int64, pos, n int, failed uint64) {
	run.Offset, run.Failed, run.Cycle = offset, failed, 0
	run.Cycles, run.Block = 0, c.b.index
	run.First, run.Count = uint16(pos), uint16(n)
	run.Outcome, run.Flags = insideOutcomes[failed>>(n-1)&1], schema.RunHasFailed
}

// insideOutcomes are the outcomes of a run that ends inside a block, by its last atom.
var insideOutcomes = [2]schema.Outcome{schema.Passed, schema.NotTaken}

// Indirect reports whether the waypoint at c is an indirect branch, ExceptionReturn
// whether it returns from an exception.
func (c Cursor) Indirect() bool        { return c.b.flow == isa.Indirect }
func (c Cursor) ExceptionReturn() bool { return c.b.last.Kind == schema.KindExceptionReturn }

// Outcome returns that of a run that ends at the waypoint at c, by the outcome of its
// atom.
func (c Cursor) Outcome(atom uint8) schema.Outcome { return c.b.outcomes[atom&1] }
