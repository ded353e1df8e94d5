package etmv1

import (
	"github.com/tracelake/tracelake/bench/encode/pipestat"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/schema"
)

// This file traces the halves of a Thumb BL or BLX, and exceptions between them (§6.2).

// halves is how much of a pair is traced.
type halves struct {
	first  bool // its first half
	second bool // the next status is that of its second half
}

// firstHalf is the clock of the first half of an instruction that is a pair, unless the
// flow is at the second one.
func (e *Encoder) firstHalf(s *step.Step) {
	if pipestat.IsPair(s) && !e.halves.second {
		e.clock(statusIE, owed{})
		e.halves.first, e.halves.second = true, true
	}
}

// endHalves ends the pair.
func (e *Encoder) endHalves() { e.halves.first, e.halves.second = false, false }

// interruptHalves lets an exception come between the halves of the instruction that it
// interrupts, if that is so.
func (e *Encoder) interruptHalves(in *step.Step) {
	if pipestat.IsPair(in) && e.Vary.Happens(e.Vary.Halves) {
		e.firstHalf(in)
		e.Pairs = append(e.Pairs, in.At)
	}
}

// dropHalves ends the pair of an instruction that is not executed, whose status is in a
// sample, and returns where it was interrupted.
func (e *Encoder) dropHalves(at int64, in *step.Step) schema.Address {
	address := in.At.Address
	if e.halves.second {
		address += 2
	}
	if e.halves.first {
		e.Rows.Event(at, schema.EventSplitInstruction, schema.Of(in.At.Address), "")
	}
	e.endHalves()
	return address
}
