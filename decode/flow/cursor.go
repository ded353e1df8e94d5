package flow

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file is for loops over packets that hold the position in a local variable. The
// walk is that of ToWaypoint, Pass, Take, Push and Return, as far as it is warm: its
// blocks are cached, linked, and end at waypoints. Where it is not it pauses, and those
// go on after [Walker.Resume].

// A Cursor is a position at the start of a block. The zero Cursor is none.
type Cursor struct{ b *block }

// Known reports whether there is a block at c.
func (c Cursor) Known() bool { return c.b != nil }

// ISA returns the instruction set at c.
func (c Cursor) ISA() schema.ISA { return c.b.state.isa() }

// Instructions returns how many instructions there are up to the next waypoint, with it.
func (c Cursor) Instructions() int64 { return int64(c.b.count) }

// Indirect reports whether the waypoint can branch to an address that is not in its opcode.
func (c Cursor) Indirect() bool { return c.b.flow == isa.Indirect }

// Lend returns the position as a Cursor: the zero Cursor if it is unknown, inside a
// block, or in one that is not cached.
func (w *Walker) Lend() Cursor {
	if !w.known || w.pos != 0 {
		return Cursor{}
	}
	if w.cur == nil {
		w.cur = w.prog.known(w.at)
	}
	return Cursor{w.cur}
}

// Resume continues at c.
func (w *Walker) Resume(c Cursor) {
	w.known, w.cur, w.pos, w.at = true, c.b, 0, c.b.at().key()
}

// A Pause is where a warm walk paused.
type Pause uint8

// The pauses. After a waypoint, the walk continues with Pass, Take, Return, Goto or Lose.
const (
	AtBlock       Pause = iota // at the Cursor: all is walked, or the block is not warm
	AfterFailed                // after the waypoint of the block there, which failed its condition
	AfterExecuted              // after that waypoint, which was executed
)

// Atoms walks from c on by atoms, and writes a run for each into runs, which has room for
// all. The atoms are those of one packet under a stop bit, the oldest in bit 0; 1 is E. It
// returns those that are left, which follow the pause, and how many runs it wrote.
func (w *Walker) Atoms(c Cursor, runs []schema.Run, atoms uint8, offset int64) (to Cursor, walked int, left uint8, p Pause) {
	b, part, seq, room := c.b, w.partStamp, int64(0), len(runs)
	for atoms > 1 && len(runs) > 0 {
		if b.ready != part && !w.admit(b) {
			break
		}
		e := atoms & 1
		b.fill(&runs[0], offset, e)
		runs = runs[1:] // &runs[i] the compiler would compute again for each field
		atoms >>= 1
		seq += int64(b.count)
		next := b.links[e]
		if b.closed>>e&1 != 0 {
			next = w.leaveClosed(b, e, seq)
		}
		if next == nil {
			p = AfterFailed + Pause(e)
			break
		}
		b = next
	}
	w.Seq += seq
	return Cursor{b}, room - len(runs), atoms, p
}

// Step walks to the waypoint of the block at c and on by one atom, which is 1 if it is E,
// and writes its run. The Cursor that it returns is zero if the walk pauses after the
// waypoint. It fails, and does nothing, if the block is not warm.
func (w *Walker) Step(c Cursor, run *schema.Run, e uint8, offset int64) (next Cursor, ok bool) {
	b := c.b
	if b.ready != w.partStamp && !w.admit(b) {
		return Cursor{}, false
	}
	b.fill(run, offset, e)
	w.Seq += int64(b.count)
	if b.special>>(e&1)&1 != 0 {
		return Cursor{w.successor(b, e)}, true
	}
	return Cursor{b.links[e&1]}, true
}

// Branch walks to the waypoint of the block at c, which branches to an address that the
// trace has, and writes its run. The Cursor that it returns is zero if there is no block yet
// at that address. It fails, and does nothing, if the block is not warm, or if its waypoint
// branches to another address or not at all.
func (w *Walker) Branch(c Cursor, run *schema.Run, offset int64, to decode.PC) (next Cursor, ok bool) {
	b := c.b
	if b.flow != isa.Indirect && (b.flow != isa.Direct || to.Address != b.last.Target || to.ISA != b.last.TargetISA) || b.ready != w.partStamp && !w.admit(b) {
		return Cursor{}, false
	}
	b.fill(run, offset, taken)
	w.Seq += int64(b.count)
	if b.link && w.prog.rules.ReturnStack {
		w.stack.push(b)
	}
	next = w.find(locate(to, b.state.security()))
	if b.closed>>taken&1 != 0 {
		w.noteStep(b, taken, next.b, 0)
	}
	return next, true
}

// leaveClosed returns where the walk leaves b for by an outcome that is closed, and notes the step,
// n instructions after Seq: nil, if the walk pauses there.
func (w *Walker) leaveClosed(b *block, e uint8, n int64) *block {
	next := b.links[e&1]
	if b.special>>(e&1)&1 != 0 {
		next = w.successor(b, e)
	}
	w.noteStep(b, e, next, n)
	return next
}

// find returns the position at the start of a block, the zero Cursor if it is not cached.
func (w *Walker) find(at location) Cursor {
	if b := *w.prog.slot(at); b != nil && b.address == at.address && b.state == at.state {
		return Cursor{b}
	}
	return Cursor{w.prog.find(at.key())}
}

// admit makes b ready for the part. It fails if b does not end at a waypoint, if it is mixed, or if the
// result would exceed unitInstructions.
func (w *Walker) admit(b *block) bool {
	if b.end != atWaypoint || w.isMixed(b) {
		return false
	}
	_, ok := w.use(b)
	return ok
}

// fill makes run that of b, which is in the result.
func (b *block) fill(run *schema.Run, offset int64, outcome uint8) {
	run.Offset = offset
	run.Failed, run.Cycle, run.Cycles = 0, 0, 0
	run.Block = b.index
	run.First, run.Count = 0, uint16(b.count)
	run.Outcome, run.Flags = b.outcomes[outcome&1], 0
	if b.state.isa() == schema.A64 {
		tellAll(run)
	}
}

// successor returns where the waypoint of b leads by an outcome that is special. It
// returns nil, and does nothing, if the walk did not go there yet, or into another security
// state.
func (w *Walker) successor(b *block, e uint8) *block {
	stack := w.prog.rules.ReturnStack
	switch next := b.links[taken]; {
	case e == fallThrough: // without a condition
		return nil
	case b.flow == isa.Direct:
		if stack && next != nil {
			w.stack.push(b)
		}
		return next
	case b.flow != isa.Indirect:
		return b.links[fallThrough]
	case b.link || !stack || w.prog.rules.TargetsFollow:
		return nil
	}
	return w.popWarm(b)
}

// popWarm returns where the return stack leads from b, which is no call: nil, as successor does.
func (w *Walker) popWarm(b *block) *block {
	caller := w.stack.pop()
	if caller == nil {
		return nil
	}
	next := caller.links[fallThrough]
	if next == nil || !caller.state.alike(b.state) {
		w.stack.push(caller)
		return nil
	}
	return next
}

// Popped goes from the indirect branch that ends the block at c, after its atom, to the top of the
// return stack. The Cursor is zero, and nothing happened, if that is not warm.
func (w *Walker) Popped(c Cursor) Cursor {
	if c.b.link || !w.prog.rules.ReturnStack {
		return Cursor{}
	}
	return Cursor{w.popWarm(c.b)}
}

// PushFrom has the indirect branch that ends the block at c, after its atom, push its return
// address, if it is a call.
func (w *Walker) PushFrom(c Cursor) {
	if c.b.link && w.prog.rules.ReturnStack {
		w.stack.push(c.b)
	}
}
