package pft

import (
	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth"
	codec "github.com/tracelake/tracelake/decode/pft"
	"github.com/tracelake/tracelake/schema"
)

// This file traces exceptions and Debug state (§5).

// exception traces an exception entry.
func (e *Encoder) exception(s *step.Step) {
	number := encode.ExceptionNumbers[s.Exception]
	from := e.leave(s.Exception == schema.ExcReset)
	p := e.branchPacket(s.Next, number)
	e.count(&p, e.now)
	sent := e.emit(p)
	e.waypointAt = e.now
	e.arrive(s.Next)
	e.contextRow(sent, s.Next.ISA) // a row of an exception has the state of the handler
	e.truth.entry(sent, truth.Exception{
		Number: schema.Of(number), Type: schema.Of(s.Exception),
		ReturnAddress: schema.Of(from), Target: schema.Of(s.Next.Address),
	})
	e.context(s)
	e.straight, e.timeDue = 0, true
}

// leave ends the flow of the program before an exception: an instruction that is
// no waypoint is upgraded (§5.2, §5.3), unless the exception is a reset, where
// the PTM does not know what was executed (§5.3.1). It returns the address that
// the core leaves, as far as the trace shows it.
func (e *Encoder) leave(reset bool) schema.Address {
	e.flush()
	switch {
	case len(e.waiting) == 0:
	case reset:
		from := e.waiting[0].at.Address // not before
		e.waiting = e.waiting[:0]
		return from
	default:
		e.updateWaypoint()
	}
	return e.core.next.Address
}

// enterDebug traces the entry to Debug state (§5.3.8), in which nothing is traced.
// The address in its packet is 0, and the state of the core in it is not valid: no
// row has it.
func (e *Encoder) enterDebug() {
	const number = 1
	from := e.leave(false)
	p := codec.Packet{Kind: codec.BranchAddress, Exception: number, Info: e.vary.more(e.vary.Information, 1, 2)}
	setAddress(&p, step.Place{}, encode.MaxAddressBytes)
	e.count(&p, e.now)
	e.truth.entry(e.emit(p), truth.Exception{
		Number: schema.Of[uint16](number), Type: schema.Of(schema.ExcDebug),
		ReturnAddress: schema.Of(from), Target: schema.Of[schema.Address](0),
	})
	e.straight, e.on, e.reason = 0, false, schema.ISyncDebugExit
}
