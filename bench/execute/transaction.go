package execute

import (
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// A transaction is that of the core, if it is in one.
type transaction struct {
	depth   int        // of TSTART in one another; 0: none
	restart step.Place // after the outermost TSTART
	failed  bool       // it failed: what TSTART returns is not looked at yet
	since   int64      // value of executed
	flow    flow       // as it was then
}

const (
	transactionLimit = 1000 // instructions in one
	transactionFails = 16   // one in so many instructions, for no reason of the program
)

// What the instructions of transactions do to them.
const (
	tstart  = 0xD5233060 // and a register
	tcommit = 0xD503307F
	tcancel = 0xD4600000 // and 16 bits from bit 5 on
)

// breaks says whether the transaction that the core is in fails before the instruction of s,
// which may be nil: what interrupts, and what calls for an exception, is not done in one.
func (e *executor) breaks(s *site) bool {
	if s == nil || e.pending != 0 || e.switches || e.executed-e.transaction.since > transactionLimit {
		return true
	}
	switch s.in.Kind {
	case schema.KindSVC, schema.KindHVC, schema.KindSMC, schema.KindBKPT, schema.KindUDF, schema.KindExceptionReturn:
		return true
	}
	return s.in.Flow == isa.Wait || e.random.IntN(transactionFails) == 0
}

// transact lets the executed instruction of step begin or end a transaction, before it is
// emitted. Its failure is to follow if transact says so.
func (e *executor) transact(s *step.Step) (cancels bool) {
	t := &e.transaction
	switch w := s.Instruction.Opcode; {
	case s.At.ISA != schema.A64:
	case w&^0x1F == tstart:
		if t.depth++; t.depth == 1 {
			s.Transaction = step.Starts
			t.restart, t.since, t.flow, t.failed = s.Next, e.executed, *e.flow(), false
		}
	case w == tcommit && t.depth > 0:
		if t.depth--; t.depth == 0 {
			s.Transaction = step.Commits
		}
	case w&^(0xFFFF<<5) == tcancel:
		return t.depth > 0
	}
	return false
}

// failTransaction undoes the transaction: the core goes on after the outermost TSTART.
func (e *executor) failTransaction() {
	t := &e.transaction
	s := e.step(e.at)
	s.Transaction, s.Next = step.Fails, t.restart
	*e.flow() = t.flow
	t.depth, t.failed = 0, true
	e.at, e.next = t.restart, nil
	e.emit(&s)
}

// afterTSTART decides whether the branch after TSTART fails, which goes to where a failure is
// dealt with, if that is what s is.
func (e *executor) afterTSTART(s *site) (fails, is bool) {
	t := &e.transaction
	if !s.conditional || s.at != t.restart || t.depth == 0 && !t.failed {
		return false, false
	}
	fails = !t.failed
	t.failed = false
	return fails, true
}
