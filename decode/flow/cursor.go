package flow

import (
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file is for a loop over packets that holds the position in local variables:
// the same walk as ToWaypoint, Pass, Take, Push and Return make, as far as it needs
// nothing but blocks that are cached and linked. It is small methods that the
// compiler inlines. The loop goes back to those of Walker for all else.

// A Cursor is a position at the start of a block. The zero Cursor is none.
type Cursor struct{ b *block }

// Lend returns the position as a Cursor, and the number of the part for
// [Cursor.Ready]. It fails if the position is unknown, inside a block, or in one that
// [Walker.Admit] refuses.
func (w *Walker) Lend() (c Cursor, part uint32, ok bool) {
	c = Cursor{w.cur}
	if !w.known || w.cur == nil || w.pos != 0 || !w.Admit(c) {
		return Cursor{}, 0, false
	}
	return c, w.partStamp, true
}

// Resume continues at c, after seq instructions.
func (w *Walker) Resume(c Cursor, seq int64) {
	after := c.b.after()
	w.cur, w.pos, w.Seq = c.b, 0, seq
	w.at.Address, w.at.ISA, w.at.space = uint32(c.b.at), after.ISA, after.space
}

// Admit puts the block at c into the result. It fails if the block does not end at a
// waypoint, or if the result would exceed unitInstructions.
func (w *Walker) Admit(c Cursor) bool {
	if c.b.end != atWaypoint {
		return false
	}
	_, ok := w.use(c.b)
	return ok
}

// Find returns the position at an address, the zero Cursor if it has no block yet.
func (w *Walker) Find(address uint32, state schema.ISA, space image.Space) Cursor {
	at := locationID(address) | locationID(state)<<32 | locationID(space)<<40
	if b := *w.prog.slot(at); b != nil && b.at == at {
		return Cursor{b}
	}
	return Cursor{w.prog.find(at.key())}
}

// Known reports whether there is a block at c.
func (c Cursor) Known() bool { return c.b != nil }

// Ready reports whether the block at c ends at a waypoint and is in the result, in
// the part of that number.
func (c Cursor) Ready(part uint32) bool { return c.b.ready == part }

// Instructions returns how many instructions the block has.
func (c Cursor) Instructions() int64 { return int64(c.b.count) }

// ISA returns the instruction set.
func (c Cursor) ISA() schema.ISA { return c.b.at.isa() }

// Space returns the memory space.
func (c Cursor) Space() image.Space { return c.b.at.space() }

// Waypoint returns the flow of the waypoint, and whether it pushes its return
// address.
func (c Cursor) Waypoint() (f isa.Flow, link bool) { return c.b.flow, c.b.link }

// Special returns 1 if the waypoint, executed, may do more than branch to an address in
// its opcode, otherwise 0.
func (c Cursor) Special() uint8 { return c.b.special }

// Next returns the position after the waypoint: where it branches to if outcome is 1,
// after it if outcome is 0; the zero Cursor if the walk did not go there yet.
func (c Cursor) Next(outcome uint8) Cursor { return Cursor{c.b.links[outcome&1]} }

// Fill makes run that of the block, without cycles. The part must be ready for it.
func (c Cursor) Fill(run *schema.Run, offset int64, outcome uint8) {
	b := c.b
	run.Offset = offset
	run.Failed, run.Cycle, run.Cycles = 0, 0, 0
	run.Block = b.index
	run.First, run.Count = 0, uint16(b.count)
	run.Outcome, run.Flags = b.outcomes[outcome&1], 0
}

// PushCursor pushes the return address of the waypoint at c.
func (w *Walker) PushCursor(c Cursor) { w.stack.push(c.b) }

// Top returns the call on top of the return stack, the zero Cursor if it is empty.
func (w *Walker) Top() Cursor {
	if w.stack.n == 0 {
		return Cursor{}
	}
	return Cursor{w.stack.entries[(w.stack.top-1)%returnStackDepth]}
}

// Pop drops the top of the return stack, which is not empty.
func (w *Walker) Pop() {
	w.stack.n--
	w.stack.top--
}
