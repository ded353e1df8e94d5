package etmv4

import (
	"fmt"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// state is where the flow is, beside the walk. It is zero at the start of every segment.
type state struct {
	// The position is target if moved: an address was told, or the context changed, and no
	// instruction was fetched since. The instruction set is that of the context when one is: a
	// Context may come after its Address. fresh: an Address told it, another may replace it.
	moved, fresh bool
	// owed: the position is behind the waypoint that the walk is at, an indirect branch. The
	// next address is its target; without one, the return stack has it.
	owed   bool
	target Target

	quiet bool // why the position is unknown was told

	// What rows may have of the context beside that of the recorder.
	sf          bool
	el          uint8
	transaction bool

	overflowed bool // an Overflow came, and no Trace On after it

	// entry is the row of an exception. entering: the handler's address and context may
	// still come.
	entry    schema.Exception
	entering bool
}

// apply does what an element says. c is its cycle count, if it is a P0 element and has one.
func (d *Decoder) apply(e *element, c *counted) {
	d.Offset = e.offset
	switch e.kind {
	case Atoms:
		for ; e.p0 > 0; e.p0-- {
			d.atom(e.atoms&1 != 0, nil, &e.bytes)
			e.atoms >>= 1
		}
		return
	case SourceAddress:
		d.sourceAddress(e, c)
		return
	case Exception:
		d.exception(e)
	case Q:
		d.q(e)
	case Address:
		d.address(e.target)
	case Context:
		d.context(&e.context)
	case TraceOn:
		d.traceOn()
	case TraceInfo:
		d.Walk.EmptyStack()
		d.transaction = d.inTransaction(uint32(e.value))
	case ExceptionReturn:
		d.enter()
		d.Rec.Return(d.Key())
	case TransactionStart, TransactionCommit:
		d.changeTransaction(e.kind)
	case Timestamp:
		d.timestamp(e)
	case CycleCount:
		d.count(e.count.V, d.Walk.Seq)
	case Event:
		d.events(e.mask)
	case Instrumentation:
		d.event(schema.EventInstrumentation, "el%d 0x%x", e.context.EL, e.value)
	default: // FunctionReturn, and what was cancelled
	}
	if c != nil {
		d.count(*c, d.Walk.Seq)
	}
}

// contradiction records a contradiction that has no address.
func (d *Decoder) contradiction(format string, args ...any) {
	d.event(schema.EventInconsistent, format, args...)
}

// event records an event that has no address.
func (d *Decoder) event(kind schema.EventKind, format string, args ...any) {
	d.Rec.Event(d.Key(), kind, schema.Null[schema.Address]{}, fmt.Sprintf(format, args...))
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
func (d *Decoder) goTo(t Target) { d.target, d.moved, d.fresh, d.owed = t, true, false, false }

// lose makes the position unknown. told: an event says why.
func (d *Decoder) lose(told bool) {
	d.moved, d.fresh, d.owed, d.quiet = false, false, false, told
	d.Walk.Lose()
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
	if _, ok := d.Walk.Return(); !ok {
		d.Inconsistent(at, "return_stack: it is empty, and no address was told")
		d.lose(true)
		return
	}
	d.relocate()
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
	case d.entering:
		d.entry.Target = schema.Of(to.Address)
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

// pushLink pushes the return address of the indirect branch whose target was told.
func (d *Decoder) pushLink() {
	if d.cfg.ReturnStack && d.Walk.Waypoint().Link() {
		d.Walk.Push()
	}
}

// context takes a context.
func (d *Decoder) context(x *ContextInfo) {
	before, sf, el, space := d.Rec.Context, d.sf, d.el, d.Rec.Security()
	d.setContext(x)
	if (sf != d.sf || space != d.Rec.Security()) && !d.moved && !d.owed && d.Walk.Known() {
		d.relocate()
	}
	if before == d.Rec.Context && sf == d.sf && el == d.el {
		return
	}
	in := d.pc(d.target).ISA
	if at, ok := d.reached(); ok {
		in = at.ISA
	}
	d.Rec.RecordContext(d.Key(), schema.Of(in))
}

// setContext takes what a context says. Fields that are not sent stay.
func (d *Decoder) setContext(x *ContextInfo) {
	if !x.Sent {
		return
	}
	d.sf, d.el = x.SF, x.EL
	d.Rec.NS, d.Rec.NSE = x.NS, x.NSE
	if x.HasVMID && d.cfg.VMIDBytes > 0 {
		d.Rec.VMID = schema.Of(x.VMID)
	}
	if x.HasID && d.cfg.ContextIDBytes > 0 {
		d.Rec.ContextID = schema.Of(x.ContextID)
	}
}

// conditional reports whether an instruction can fail its condition. In T32 any may be in an IT
// block.
func (d *Decoder) conditional(in *isa.Instruction) bool {
	state := d.Walk.ISA()
	return state == schema.T32 || in.Conditional(state)
}
