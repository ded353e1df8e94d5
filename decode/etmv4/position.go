package etmv4

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// This file is the position of the flow: addresses (IHI 0064, Address elements), and the return
// stack.

// state is where the flow is, beside the walk. It is zero at the start of every segment.
type state struct {
	// The position is target if moved: an address was told, or the context changed, and no
	// instruction was fetched since. The instruction set is that of the context when one is: a
	// Context may come after its Address. fresh: an Address told it, another may replace it.
	moved, fresh bool
	// owed: the position is behind the waypoint that the walk is at, an indirect branch. The
	// next address is its target; without one, the return stack has it.
	owed bool
	// switches: another process may run from the position on.
	switches bool
	target   Target

	quiet bool // why the position is unknown was told

	sf bool // of the context: beside that of the recorder

	info       uint32             // of the last Trace Info
	overflowed schema.Null[int64] // the offset of an Overflow without a Trace On after it
	cleared    bool               // a Discard or Overflow dropped what is open, and no Trace Info came since

	// entry is the row of an exception. entering: the handler's address and context may
	// still come.
	entry    schema.Exception
	entering bool
	// marked is where a timestamp marker is whose timestamp may still come.
	marked schema.Null[place]
	// later is a timestamp that came since the exception, then: it is not of its row.
	later   schema.Null[element]
	laterAt schema.Point

	// restarted is the event of a restart, whose address may still come.
	restarted schema.Null[schema.Event]
}

// pc returns a target in the instruction set of the context.
func (d *Decoder) pc(t Target) decode.PC {
	in := schema.A32
	switch {
	case d.cfg.Profile == profileM:
		in = schema.T32
	case d.sf:
		in = schema.A64
	case t.IS1:
		in = schema.T32
	}
	return decode.PC{Address: in.Wrap(schema.Address(t.Address)), ISA: in}
}

// reached returns the position, if it is known.
func (d *Decoder) reached() (decode.PC, bool) {
	switch {
	case d.moved:
		return d.pc(d.target), true
	case d.owed || !d.Walk.Known():
		return decode.PC{}, false
	}
	return d.Walk.PC(), true
}

// goTo sets the position.
func (d *Decoder) goTo(t Target) {
	d.target, d.moved, d.fresh, d.owed = t, true, false, false
	d.endSwitch()
}

// endSwitch enters the process that runs from the position on, which is known by now, or lost.
func (d *Decoder) endSwitch() {
	if d.switches {
		d.switches = false
		d.EnterProcess()
	}
}

// lose makes the position unknown. told: an event says why.
func (d *Decoder) lose(told bool) {
	d.moved, d.fresh, d.owed, d.quiet = false, false, false, told
	d.Walk.Lose()
	d.endSwitch()
}

// arrive has the walk be at the position, as something needs it. It reports whether it is known.
func (d *Decoder) arrive() bool {
	d.fresh = false
	switch {
	case d.moved:
		d.Walk.Goto(d.pc(d.target), d.Rec.Security())
		d.moved = false
	case d.owed:
		d.pop()
	}
	return d.Walk.Known()
}

// pop takes the position from the return stack.
func (d *Decoder) pop() {
	d.owed = false
	at := d.Walk.WaypointAddress()
	if !d.cfg.ReturnStack {
		d.lose(false)
		return
	}
	space, ok := d.Walk.Return()
	if !ok {
		d.Inconsistent(at, "return_stack: it is empty, and no address was told")
		d.lose(true)
		return
	}
	d.endSwitch()
	if space != d.Rec.Security() || (d.Walk.ISA() == schema.A64) != d.sf {
		d.relocate()
	}
}

// relocate has the walk go on in the instruction set and the security state of the context.
func (d *Decoder) relocate() {
	at := d.Walk.PC()
	t := Target{uint64(at.Address), at.ISA == schema.T32 || at.ISA == schema.A64 && d.target.IS1}
	d.Walk.Goto(d.pc(t), d.Rec.Security())
}

// address takes an address: where the flow goes on.
func (d *Decoder) address(t Target) {
	d.CloseUnplaced()
	at, known := d.reached()
	to := d.pc(t)
	q := &d.Rec.Segment.Quality
	switch {
	case d.entering: // the handler's
	case d.owed:
		q.IndirectBranch()
		d.pushLink()
	case d.fresh: // it counts no more
	case !known && d.quiet:
		q.BranchesUnplaced++
	case known:
		d.compare(at, to)
	}
	d.goTo(t)
	d.fresh = true
}

// compare compares an address with the position, which no address had to tell.
func (d *Decoder) compare(at, to decode.PC) {
	if at.Address == to.Address {
		d.Rec.Segment.Quality.RepeatedBranch()
		return
	}
	d.Rec.Segment.Quality.Branch(decode.Miss{Offset: d.Offset, Expected: at, Found: to})
	d.Inconsistent(at.Address, "the next address is "+to.Address.Hex())
}

// pushLink pushes the return address of the waypoint, if that is a call.
func (d *Decoder) pushLink() {
	if d.cfg.ReturnStack && d.Walk.Waypoint().Link() {
		d.Walk.Push()
	}
}
