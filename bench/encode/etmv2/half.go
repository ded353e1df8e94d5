package etmv2

import (
	"github.com/tracelake/tracelake/bench/encode/pipestat"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/schema"
)

// This file traces the halves of a Thumb BL or BLX, and exceptions between them (§6.2).

// firstHalf is the clock of the first half of an instruction that is a pair, unless the
// flow is at the second one.
func (e *Encoder) firstHalf(s *step.Step) {
	if pipestat.IsPair(s) && !e.second {
		e.clock(statusIE, nil)
	}
	e.second = false
}

// interruptHalves traces the first half of the pair that the exception s comes in, if
// that is so.
func (e *Encoder) interruptHalves(s *step.Step) bool {
	if e.opt.Program == nil || s.Exception == schema.ExcSVC {
		return false
	}
	in, err := e.opt.Program.Instruction(e.Reached)
	pair := step.Step{At: e.Reached, Instruction: in}
	if err != nil || !pipestat.IsPair(&pair) || !e.Vary.Happens(e.Vary.Halves) {
		return false
	}
	e.firstHalf(&pair)
	e.Pairs = append(e.Pairs, e.Reached)
	return true
}

// splitRow enters the rows of the exception s between the halves of a pair, whose branch
// address is in the group of a sample. One that cancels the first half returns to it.
func (e *Encoder) splitRow(sample int64, s *step.Step, cancels bool) {
	at := e.Reached.Address
	e.Rows.Event(sample, schema.EventSplitInstruction, schema.Of(at), "")
	if !cancels {
		at += 2
	}
	x, _ := e.Vector(s.Next)
	e.Rows.Exception(sample, x, s.Next.Address, schema.Of(at))
	e.Reached = s.Next
}
