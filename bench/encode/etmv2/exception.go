package etmv2

import (
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/schema"
)

// This file traces exceptions (§6.3), and what they cancel (§5.5).

// exception traces an exception entry: a branch to its vector.
func (e *Encoder) exception(s, _ *step.Step) {
	e.Wait(s)
	e.finishData()
	if s.Exception == schema.ExcDebug {
		e.endTrace(schema.ISyncDebugExit)
		return
	}
	if !e.begunAt.OK && e.interruptHalves(s) {
		cancels := e.cancels(s)
		p := packet{Packet: e.branch(s.Next, cancels)}
		p.row = func(sample, _ int64) { e.splitRow(sample, s, cancels) }
		e.idlePackets([]packet{p})
		return
	}
	if !e.begunAt.OK && e.cancels(s) {
		if in, err := e.opt.Program.Instruction(e.Reached); err == nil {
			e.begin(&step.Step{At: e.Reached, Instruction: in})
		}
	}
	p := packet{Packet: e.branch(s.Next, e.begunAt.OK)}
	p.row = func(sample, _ int64) { e.exceptionRow(sample, s) }
	e.idlePackets([]packet{p})
}

// cancels says whether an exception cancels an instruction that is no step. Faults
// and resets do, interrupts may.
func (e *Encoder) cancels(s *step.Step) bool {
	switch {
	case e.opt.Program == nil, s.Exception == schema.ExcSVC:
		return false
	case s.Exception == schema.ExcIRQ, s.Exception == schema.ExcFIQ:
		return e.Vary.Happens(e.Vary.Cancel)
	default:
		return true
	}
}

// begin traces an instruction that the next exception will cancel: it makes no row.
func (e *Encoder) begin(s *step.Step) {
	e.settleBefore(s)
	group := e.begunData(s)
	if len(group) == 0 && e.syncs(s, false) {
		e.implied(s)
		e.begunAt = schema.Of(s.At.Address)
		return
	}
	sample := e.status(s, group)
	e.phantomRow(sample)
	e.packetRows(sample, group)
	e.begunAt = schema.Of(s.At.Address)
}

// exceptionRow enters the rows of the exception s, whose branch address is in the
// group of a sample.
func (e *Encoder) exceptionRow(sample int64, s *step.Step) {
	returns := schema.Of(e.Reached.Address)
	if e.begunAt.OK {
		returns = e.begunAt
		e.Rows.Event(sample, schema.EventCancelled, e.begunAt, "")
		e.begunAt.OK = false
	}
	x, _ := e.Vector(s.Next)
	e.Rows.Exception(sample, x, s.Next.Address, returns)
	e.Reached = s.Next
}
