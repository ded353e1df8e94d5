package qemu

import (
	"errors"
	"fmt"
	"io"

	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// ReadUserLog reads what qemu-arm -singlestep -d exec,cpu,nochain
// (-one-insn-per-tb from QEMU 8.1 on) logs about an Arm Linux program of one
// thread, in non-secure state. It was written for the logs of QEMU 7.2 and 10.0.
//
// The steps are what a macrocell sees that traces the program alone. Not traced
// are the kernel and all code outside the program's memory, such as shared
// libraries and the page of code that the kernel gives each program. Each stay
// outside is one step.
//
//   - A system call is the SVC instruction, the entry of its exception at
//     Linux's high vectors, and the step of the kernel, which continues after the
//     SVC, or in the handler of a signal.
//   - A signal between two instructions is an IRQ, after which the kernel
//     continues in the handler.
//
// The last instruction of the log is no step, since what it did is not logged: in
// a program that ends it is the system call that ends the program. The signal of a
// fault is an error, since in the log it looks like an execution that contradicts
// the program; so are two threads or processes in one log, and a log that never
// reaches the program. Errors name the line.
func ReadUserLog(r io.Reader, p *program.Program) step.Steps {
	return func(yield func(step.Step, error) bool) {
		q := reader{program: p, security: schema.NonSecure, yield: yield, user: true}
		q.read(r)
	}
}

// Where Linux on Arm has its handlers: the vectors begin at 0xFFFF0000
// (SCTLR.V = 1).
const (
	svcVector = 0xFFFF0008
	irqVector = 0xFFFF0018
)

// userRecord emits the step of the last record of a user program, now that the
// next one is read.
func (q *reader) userRecord() error {
	here := q.place(&q.reading)
	_, err := q.program.Instruction(here)
	outside := err != nil
	switch {
	case q.away.OK && outside:
		return nil
	case q.away.OK:
		q.emit(q.untraced(q.away.V, here, leave(q.away.V)))
	case !q.begun:
	case q.last.executed:
		if err := q.userExecute(here); err != nil {
			return err
		}
	default: // at the same place the instruction is logged again
		if at := q.place(&q.last); at != here {
			q.kernel(schema.ExcIRQ, irqVector, at, here)
		}
	}
	q.away = schema.Null[step.Place]{V: here, OK: outside}
	q.home = q.home || !outside
	return nil
}

// errContradiction names the possible causes of an execution that is impossible.
var errContradiction = errors.New("is this the program of the log, one process, one instruction a record " +
	"(-singlestep or -one-insn-per-tb, nochain), and no fault?")

// userExecute emits the last record, which was executed, and after a system call
// the kernel.
func (q *reader) userExecute(here step.Place) error {
	s, err := q.step(&q.last)
	if err != nil {
		return err
	}
	call := s.Instruction.Kind == schema.KindSVC && !q.last.fails(s.Instruction, s.At.ISA)
	next := here
	if call {
		next = s.Following()
	}
	if err := q.execute(next); err != nil {
		return fmt.Errorf("%w: %w", err, errContradiction)
	}
	if call {
		q.kernel(schema.ExcSVC, svcVector, next, here)
	}
	return nil
}

// kernel emits an exception whose return address is at, and the kernel as one step
// that continues at next: MOVS PC,LR at the vector.
func (q *reader) kernel(x schema.ExceptionType, vector schema.Address, at, next step.Place) {
	handler := step.Place{Address: vector, ISA: schema.A32, Security: q.security}
	q.emit(step.Step{Entered: true, Exception: x, At: at, Next: handler, ContextID: q.contextID})
	s := q.untraced(handler, next, isa.PFT.A32(0xE1B0F00E, vector))
	s.Returns = true
	q.emit(s)
}

// untraced is one step for all that is executed from one place to another without
// being traced.
func (q *reader) untraced(from, to step.Place, in isa.Instruction) step.Step {
	return step.Step{At: from, Next: to, Instruction: in, ContextID: q.contextID, Trace: step.TraceOff}
}

// leave is BX LR.
func leave(at step.Place) isa.Instruction {
	if at.ISA == schema.T32 {
		return isa.PFT.T32(0x4770, 0, at.Address, false)
	}
	return isa.PFT.A32(0xE12FFF1E, at.Address)
}
