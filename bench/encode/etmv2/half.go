package etmv2

import (
	"github.com/tracelake/tracelake/bench/encode/pipestat"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/schema"
)

// This file traces the halves of a Thumb BL or BLX, and exceptions between them (§6.2).

// halves is how much of a pair is traced.
type halves struct {
	second bool // the next status is that of its second half
	// at are the pairs between whose halves exceptions came: who returns there may go on
	// with the second half.
	at []step.Place
}

// firstHalf is the clock of the first half of an instruction that is a pair, unless the
// flow is at the second one.
func (e *Encoder) firstHalf(s *step.Step) {
	if pipestat.IsPair(s) && !e.halves.second {
		e.clock(statusIE, nil)
	}
	e.halves.second = false
}

// interruptHalves traces the first half of the pair that the exception s comes in, if
// that is so.
func (e *Encoder) interruptHalves(s *step.Step) bool {
	if e.opt.Program == nil || s.Exception == schema.ExcSVC {
		return false
	}
	in, err := e.opt.Program.Instruction(e.reached)
	pair := step.Step{At: e.reached, Instruction: in}
	if err != nil || !pipestat.IsPair(&pair) || !e.vary.Happens(e.vary.Halves) {
		return false
	}
	e.firstHalf(&pair)
	e.halves.at = append(e.halves.at, e.reached)
	return true
}

// splitRow enters the rows of the exception s between the halves of a pair, whose branch
// address is in the group of a sample. One that cancels the first half returns to it.
func (e *Encoder) splitRow(sample int64, s *step.Step, cancels bool) {
	at := e.reached.Address
	e.rows.Event(sample, schema.EventSplitInstruction, schema.Of(at), "")
	if !cancels {
		at += 2
	}
	x, _ := pipestat.Vector(s.Next, e.opt.Vectors())
	e.rows.Exception(sample, x, s.Next.Address, schema.Of(at))
	e.reached = s.Next
}

// resumes says whether an instruction returns to the second half of the pair that comes
// next.
func (e *Encoder) resumes(s, next *step.Step) bool {
	return pipestat.ReturnsToPair(s, next, e.halves.at) && e.vary.Happens(e.vary.Halves)
}
