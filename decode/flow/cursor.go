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
func (c Cursor) ISA() schema.ISA { return c.b.at.isa() }

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
	w.cur, w.pos = c.b, 0
	w.at = location{decode.PC{Address: uint32(c.b.at), ISA: c.b.at.isa()}, c.b.at.space()}
}

// A Pause is where a warm walk paused.
type Pause uint8

// The pauses. After a waypoint, the walk continues with Pass, Take, Return, Goto or Lose.
const (
	AtBlock       Pause = iota // at the Cursor: all is walked, or the block is not warm
	AfterFailed                // after the waypoint of the block there, which failed its condition
	AfterExecuted              // after that waypoint, which was executed
)

// Ready reports whether the block at c is in the result of a part, and Leave can leave it by an atom.
func (c Cursor) Ready(part uint32, e uint8) bool {
	return c.b.ready == part && e&c.b.special == 0 && c.b.wholes[e&1] != 0
}

// Leave is Step where Ready says so. It returns the number of the path, too: see [Walker.Whole].
func (c Cursor) Leave(e uint8) (path uint32, next Cursor) {
	return c.b.wholes[e&1] - 1, Cursor{c.b.links[e&1]}
}

// Step walks to the waypoint of the block at c and on by one atom, which is 1 if it is E. The
// Cursor that it returns is zero if the walk pauses after the waypoint. It fails, and does
// nothing, if the block is not warm.
func (w *Walker) Step(c Cursor, e uint8) (next Cursor, ok bool) {
	b := c.b
	if b.ready != w.partStamp && !w.admit(b) {
		return Cursor{}, false
	}
	if e&b.special != 0 {
		return Cursor{w.successor(b)}, true
	}
	return Cursor{b.links[e&1]}, true
}

// Branch walks to the waypoint of the block at c, which branches to an address that the
// trace has. The Cursor that it returns is zero if there is no block yet
// at that address. It fails, and does nothing, if the block is not warm, or if its waypoint
// branches to another address or not at all.
func (w *Walker) Branch(c Cursor, to decode.PC) (next Cursor, ok bool) {
	b := c.b
	leads := b.flow == isa.Indirect || b.flow == isa.Direct && to.Address == b.last.Target && to.ISA == b.last.TargetISA
	if !leads || b.ready != w.partStamp && !w.admit(b) {
		return Cursor{}, false
	}
	if b.link && w.prog.rules.ReturnStack {
		w.stack.push(b)
	}
	return w.find(b.at.inSpace(to)), true
}

// find returns the position at the start of a block, the zero Cursor if it is not cached.
func (w *Walker) find(at locationID) Cursor {
	if b := *w.prog.slot(at); b != nil && b.at == at {
		return Cursor{b}
	}
	return Cursor{w.prog.find(at.key())}
}

// admit makes b ready for the part. It fails if b does not end at a waypoint, or if the
// result would exceed unitInstructions.
func (w *Walker) admit(b *block) bool {
	if b.end != atWaypoint {
		return false
	}
	_, ok := w.use(b)
	return ok
}

// Fill makes run that of all of the block at c, which is in the result, without cycles.
func (c Cursor) Fill(run *schema.Run, offset int64, outcome uint8) {
	b := c.b
	run.Offset = offset
	run.Failed, run.Cycle, run.Cycles = 0, 0, 0
	run.Block = b.index
	run.First, run.Count = 0, uint16(b.count)
	run.Outcome, run.Flags = b.outcomes[outcome&1], 0
}

// successor returns where the waypoint of b leads, if it is special and was executed. It
// returns nil, and does nothing, if the walk did not go there yet, or into another memory
// space.
func (w *Walker) successor(b *block) *block {
	stack := w.prog.rules.ReturnStack
	switch next := b.links[taken]; {
	case b.flow == isa.Direct:
		if stack && next != nil {
			w.stack.push(b)
		}
		return next
	case b.flow != isa.Indirect:
		return b.links[fallThrough]
	case b.link || !stack:
		return nil
	}
	caller := w.stack.pop()
	if caller == nil {
		return nil
	}
	next := caller.links[fallThrough]
	if next == nil || caller.at.space() != b.at.space() {
		w.stack.push(caller)
		return nil
	}
	return next
}

// inSpace returns the location of a PC in the memory space of i.
func (i locationID) inSpace(to decode.PC) locationID {
	return identify(schema.BlockKey{Address: to.Address, ISA: to.ISA, Space: uint8(i.space())})
}
