package etmv1

import (
	"github.com/tracelake/tracelake/bench/encode/pipestat"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file traces instructions (§6.2) and exceptions (§6.3).

// instruction traces an instruction, after which comes next.
func (e *Encoder) instruction(s, next *step.Step) {
	e.Wait(s)
	if next.Entered && next.Trace == step.Traced && e.joins(s, next) {
		e.held = schema.Of(*s)
		return
	}
	data := e.owedData(s)
	if has, forced := e.hasAddress(s, next); has {
		e.firstHalf(s)
		to, resumes := s.Next, e.Resumes(s, next)
		if resumes {
			to.Address += 2
		}
		e.branch(s, &data, e.targetOf(to, next, forced), next, func(at int64) { e.branchRow(at, s, &data) })
		e.halves.second = resumes
		return
	}
	e.firstHalf(s)
	e.sendEarly(&data)
	if next.Trace == step.Overflowed {
		e.loseData(&data)
	}
	status := uint8(statusIE)
	switch {
	case s.Failed:
		status = statusIN
	case data.owes:
		status = statusID
	}
	e.Room(len(data.bytes))
	at := e.clock(status, owed{data: data.bytes})
	e.instructionRow(at, s, &data)
	e.Reached = s.Next
}

// joins says whether an instruction and the exception after it have one status: that
// of a branch to the vector.
func (e *Encoder) joins(s, next *step.Step) bool {
	return pipestat.IsFaultOf(next, s) || next.Exception == schema.ExcSVC && s.Instruction.Kind == schema.KindSVC
}

// instructionRow enters the rows of an instruction, whose status is in a sample.
func (e *Encoder) instructionRow(at int64, s *step.Step, data *owedData) {
	e.endHalves()
	e.dataRows(at, e.InstructionRow(at, s), data)
}

// branchRow enters the rows of an instruction that branched with an address. One
// that is no direct branch, to a vector, looks like an exception (§6.3).
func (e *Encoder) branchRow(at int64, s *step.Step, data *owedData) {
	x, vector := e.Vector(s.Next)
	if !vector || s.Instruction.Flow == isa.Direct {
		e.instructionRow(at, s, data)
		return
	}
	e.exceptionRows(at, s, x, s.Next.Address)
}

// exception traces an exception entry: the status of the instruction that it
// interrupts is a branch to the vector.
func (e *Encoder) exception(s, next *step.Step) {
	e.Wait(s)
	if s.Exception == schema.ExcDebug { // as if trace went off
		e.On, e.Reason = false, schema.ISyncDebugExit
		return
	}
	in := e.interrupted()
	var data owedData
	if s.Exception == schema.ExcDataAbort {
		data = e.abortedData(&in)
	}
	e.interruptHalves(&in)
	x, _ := e.Vector(s.Next)
	e.branch(&in, &data, e.targetOf(s.Next, next, false), next,
		func(at int64) { e.exceptionRows(at, &in, x, s.Next.Address) })
}

// interrupted is the instruction that an exception interrupts, as a step.
func (e *Encoder) interrupted() step.Step {
	if e.held.OK {
		e.held.OK = false
		return e.held.V
	}
	s := step.Step{At: e.Reached}
	if e.opt.Program != nil {
		if in, err := e.opt.Program.Instruction(e.Reached); err == nil {
			s.Instruction = in
		}
	}
	return s
}

// exceptionRows enters the rows of an exception of type x at an instruction, by a
// branch whose status is in a sample: only an SVC was executed.
func (e *Encoder) exceptionRows(at int64, in *step.Step, x schema.ExceptionType, target schema.Address) {
	returns := in.At.Address
	if x == schema.ExcSVC && in.Instruction.Kind == schema.KindSVC {
		e.Rows.Instruction(at, in.At, &in.Instruction, true)
		returns += schema.Address(in.Instruction.Size)
	} else {
		returns = e.dropHalves(at, in)
		e.Rows.Event(at, schema.EventCancelled, schema.Of(returns), "")
	}
	e.Rows.Exception(at, x, target, schema.Of(returns))
}
