package etmv1

import (
	"github.com/tracelake/tracelake/bench/encode/pipestat"
	"github.com/tracelake/tracelake/bench/step"
	codec "github.com/tracelake/tracelake/decode/etmv1"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/schema"
)

// This file makes branches with addresses (§4.3 to §4.6), where trace starts, and
// cuts (§7.1).

// A target is the address of a branch, and what comes with it.
type target struct {
	to      step.Place
	bytes   uint8 // of the address
	reason  codec.Reason
	context uint32 // Context ID, with full addresses that have one
}

// reasons are those of starts of trace, as the schema has them.
var reasons = map[schema.ISyncReason]codec.Reason{
	schema.ISyncTraceOn: codec.TraceOn, schema.ISyncOverflow: codec.Overflow, schema.ISyncDebugExit: codec.DebugExit,
}

// enter turns trace on at s (§4.8).
func (e *Encoder) enter(s *step.Step) {
	if e.Reason == schema.ISyncOverflow || !e.Vary.Happens(e.Vary.Restart) {
		e.drain()
	}
	e.On, e.ownerless = true, false
	e.Data.Full = true
	t := target{to: s.At, bytes: codec.MaxAddressBytes, reason: reasons[e.Reason], context: e.Traced(s.ContextID)}
	if t.reason != codec.Overflow || !e.abandoned(t) {
		e.Room(mostAddress)
	}
	bytes := e.address(&t)
	apo := e.offset()
	e.cutDue.OK = false // this sample is a cut itself
	at, triggered := e.drive(statusBE, owed{address: bytes})
	if apo != tooMany {
		e.Rows.Cut(at, s.At.Address, e.Reason)
	}
	if triggered {
		e.TriggerRow(at)
	}
	e.Rows.Restart(at, e.Reason, s.At.Address)
	if e.opt.ContextIDBytes > 0 {
		e.SetContext(at, t.context, t.to.ISA)
	}
	e.Reached, e.Reason = s.At, schema.ISyncTraceOn
	e.window(apo)
}

// address is the bytes of the address of a branch, with its Context ID: t.Bytes, or
// as many as have changed bits. It becomes the last one sent.
func (e *Encoder) address(t *target) []byte {
	bits := withThumb(t.to)
	if t.bytes == 0 {
		t.bytes = e.Vary.Bytes(e.Vary.Longer, uint8(port.DataAddressBytes(bits, e.base)), codec.MaxAddressBytes)
	}
	a := codec.Address{Address: bits, Bytes: t.bytes, Reason: t.reason}
	b := codec.AppendAddress(nil, a)
	if a.HasContextID() {
		for i := range e.opt.ContextIDBytes {
			b = append(b, byte(t.context>>(8*i)))
		}
	}
	e.base = bits
	if a.Full() {
		e.SinceSync = 0
	}
	return b
}

// targetOf is the address of a branch to a place, where the Context ID is that of the
// next step. Forced says that it is sent for the sake of being full.
func (e *Encoder) targetOf(to step.Place, next *step.Step, forced bool) target {
	t := target{to: to, context: e.ContextID.V}
	switch {
	case e.ContextChanges(next):
		t.bytes, t.reason, t.context = codec.MaxAddressBytes, codec.Periodic, e.Traced(next.ContextID)
	case forced || e.syncDue(1):
		t.bytes = codec.MaxAddressBytes
		if e.opt.Number >= version12 {
			t.reason = codec.Periodic
		}
	}
	return t
}

// withThumb is a place as an address has it: bit 0 is Thumb.
func withThumb(p step.Place) schema.Address {
	if p.ISA == schema.T32 {
		return p.Address | 1
	}
	return p.Address
}

// syncDue says whether a full address is due, so many half periods late.
func (e *Encoder) syncDue(late int) bool {
	period := e.opt.SyncPeriod
	return period > 0 && e.SinceSync >= period+(late-1)*(period/2) || e.Vary.Happens(e.Vary.Sync/8)
}

// hasAddress says whether an instruction that branches does so with an address: an
// indirect one; a direct one with branch output, for a new Context ID, or, which is
// forced, as an indirect one is long in coming (§4.1).
func (e *Encoder) hasAddress(s, next *step.Step) (has, forced bool) {
	direct := s.Instruction.Flow == isa.Direct && !s.Failed
	switch {
	case s.Failed:
		return false, false
	case direct && (e.opt.BranchOutput || e.ContextChanges(next)):
		return true, false
	case direct:
		forced = e.syncDue(2)
		return forced, forced
	default:
		return s.Instruction.Flow == isa.Indirect, false
	}
}

// branch is the clocks of a branch to t, as the status of an instruction, after which
// comes next. Row enters the rows of the instruction, whose status is in the sample
// that it is given.
func (e *Encoder) branch(s *step.Step, data *owedData, t target, next *step.Step, row func(at int64)) {
	abandons := e.abandoned(t)
	if !abandons {
		e.sendEarly(data)
		e.Room(len(data.bytes) + mostAddress)
	}
	status := uint8(statusBE)
	if data.owes {
		status = statusBD
	}
	if next.Trace == step.Overflowed && e.Vary.Happens(e.Vary.Overflow) {
		e.withoutAddress(status, s, data)
		return
	}
	bytes := owed{data.bytes, e.address(&t)}
	apo := e.offset()
	at := e.clock(status, bytes)
	e.Data.Known = max(e.Data.Known, data.bits) // though it may be in no row
	row(at)
	full := t.bytes == codec.MaxAddressBytes
	if full && t.reason != codec.Branch && e.opt.ContextIDBytes > 0 {
		e.SetContext(at, t.context, t.to.ISA)
	}
	e.Reached = t.to
	e.window(apo)
	if full && apo != tooMany && at >= e.opt.Lost {
		e.cutDue = schema.Of(t)
	}
}

// withoutAddress is the clocks of a branch whose address an overflow takes (§4.3).
func (e *Encoder) withoutAddress(status uint8, s *step.Step, data *owedData) {
	apo := e.offset()
	at := e.clock(status, owed{data: data.bytes})
	e.Data.Known = max(e.Data.Known, data.bits)
	branches := s.Instruction.Flow == isa.Direct || s.Instruction.Flow == isa.Indirect ||
		s.Instruction.Kind == schema.KindSVC
	if branches && (e.halves.second || !pipestat.IsPair(s)) {
		e.instructionRow(at, s, data)
	} else {
		e.Rows.Event(at, schema.EventCancelled, schema.Of(e.dropHalves(at, s)), "")
	}
	e.window(apo)
	e.ownerless = true
}

// cutAt begins a segment with a sample, if the branch before it was a cut.
func (e *Encoder) cutAt(at int64) {
	if !e.cutDue.OK {
		return
	}
	c := e.cutDue.V
	e.cutDue.OK = false
	if !e.Rows.Cut(at, c.to.Address, schema.ISyncPeriodic) {
		return
	}
	e.Rows.Restart(at, schema.ISyncPeriodic, c.to.Address)
	e.Data.Known = 0
	if c.reason != codec.Branch && e.opt.ContextIDBytes > 0 {
		e.Rows.Context(at, c.context, c.to.ISA)
	}
}

// mostAddress is how many bytes an address has at the most, with its Context ID.
const mostAddress = codec.MaxAddressBytes + 4

// abandoned is a branch that the one to t abandons, if that is so: its address comes
// out all the same.
func (e *Encoder) abandoned(t target) bool {
	if !e.Vary.Happens(e.Vary.Abandon) {
		return false
	}
	t.to.Address = (t.to.Address + schema.Address(1+e.Vary.UpTo(1<<e.Vary.UpTo(20)))<<2).In32()
	if t.reason != codec.Overflow {
		t.bytes, t.reason = 0, codec.Branch
		if e.Vary.UpTo(3) == 0 {
			t.bytes = codec.MaxAddressBytes
		}
	}
	bytes := e.address(&t)
	e.Room(2 * mostAddress)
	apo := e.offset()
	at := e.clock(statusBE, owed{address: bytes})
	e.Rows.Event(at, schema.EventCancelled, schema.Null[schema.Address]{}, "abandoned")
	if e.Vary.UpTo(1) == 0 {
		e.clock(uint8(apo&3), owed{})
	}
	return true
}
