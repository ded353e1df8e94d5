// Package step has the words in which a core's execution is written: places,
// steps, transfers. Recordings and the executor produce steps, encoders trace them.
//
// Its API is not stable (docs/guide/library.md).
package step

import (
	"fmt"
	"iter"

	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// A Place is where and in which state a core executes.
type Place struct {
	Address  schema.Address // without a T bit
	ISA      schema.ISA
	Security schema.Security
	// Level is the exception level, 0 to 3, of a core that ETMv4 or ETE traces; of others 0.
	Level uint8
}

func (p Place) String() string { return fmt.Sprintf("0x%08x %s", p.Address, p.ISA) }

// A Step is one thing a core did: it executed an instruction, it entered an
// exception, or its transaction failed.
type Step struct {
	// Entered says that this is an exception entry.
	Entered bool
	// At is the place of the instruction; of an exception the preferred return
	// address as the architecture has it (DDI 0406C, table B1-6), which for an
	// undefined instruction and for aborts is the faulting one. So it is in AArch64.
	At Place
	// Next is where the core continues, or would have without an exception; for
	// an exception its handler. For an entry to debug state it is where the core
	// continues when it leaves debug state.
	Next Place

	// Instruction is the one executed. An instruction that aborts was not, and
	// is no step; an undefined one is, but not for ETMv4.
	Instruction isa.Instruction
	// Failed says that it failed its condition, or that CBZ or CBNZ did not
	// branch.
	Failed bool
	// Returns says that it returns from an exception; on v7-M that does not follow
	// from its opcode.
	Returns bool
	// Transfers are the data it moved, in ascending order of address; of an
	// exception of v7-M, and of a return from one, those of the stack frame.
	Transfers []Transfer

	// Exception is the one entered; [schema.ExcDebug] is an entry to debug
	// state. Number is that of a v7-M interrupt, from 0.
	Exception schema.ExceptionType
	Number    uint16

	// Transaction is what the step does to the transaction of the core. The step that
	// [Fails] is no instruction: At is what would come next, Next is after TSTART.
	Transaction Transaction

	// ContextID and VMID are those of the core during the step.
	ContextID uint32
	VMID      uint32
	// Cycles is the cost of the step, for debug state the time spent there.
	Cycles uint32

	// Moves says what became of the calls of the core with the step, and Task is the
	// number of the task that runs after it: of executions that were made up.
	Moves Moves
	Task  int

	// Trace says whether the macrocell traces the step.
	Trace Tracing
	// Trigger says that the trigger event occurs right before the step.
	Trigger bool
}

// Moves says what a step does to the calls of the task or handler that runs.
type Moves uint8

// What a step does. An entry to an exception says so by [Step.Entered].
const (
	Stays   Moves = iota // in the function at hand
	Calls                // it calls a function
	Returns              // it returns to where the function at hand was called
	Leaves               // it returns from the last exception
	Lost                 // the core goes on elsewhere: what was called does not return
)

// Transaction says what a step does to a transaction of ETE, the outermost one.
type Transaction uint8

// What a step does.
const (
	Keeps   Transaction = iota // nothing
	Starts                     // it is TSTART
	Commits                    // it is TCOMMIT
	Fails                      // what was done since TSTART is undone
)

// Tracing says what becomes of a step in the trace.
type Tracing uint8

// The fates of steps.
const (
	Traced     Tracing = iota
	TraceOff           // tracing is disabled: nothing of the step is traced
	Overflowed         // the FIFO is full: the trace of the step is lost
)

// A Transfer is a word, halfword or byte that a load or store moved; a
// doubleword is two.
type Transfer struct {
	Address schema.Address // of its lowest byte; of a register transfer 0
	Value   uint32
	Size    uint8 // 1, 2 or 4 bytes
	Access  schema.Access
	// Register says that it is between core and coprocessor: no address.
	Register bool
	// StoreFailed says that it is of a STREX that did not store.
	StoreFailed bool
}

// Steps is an execution, in order. A step with an error is the last one.
type Steps = iter.Seq2[Step, error]

// Following is the place right after the instruction of s.
func (s *Step) Following() Place {
	p := s.At
	p.Address = p.ISA.Wrap(p.Address + schema.Address(s.Instruction.Size))
	return p
}

// Check says what is impossible about an instruction: recordings are read with
// rules of their own, and a slip in them would be truth.
func (s *Step) Check() error {
	to := s.Following()
	taken := !s.Failed && (s.Instruction.Flow == isa.Direct || s.Instruction.Flow == isa.Indirect)
	switch {
	case taken && s.Instruction.Flow == isa.Indirect:
		return nil
	case taken:
		to.Address, to.ISA = s.Instruction.Target, s.Instruction.TargetISA
	}
	if to != s.Next {
		return fmt.Errorf("%s (%s, opcode 0x%x) continues at %s, not at %s", s.At, s.Instruction.Kind, s.Instruction.Opcode,
			s.Next, to)
	}
	return nil
}

// Until ends steps before the first one at address.
func Until(steps Steps, address schema.Address) Steps {
	return func(yield func(Step, error) bool) {
		for s, err := range steps {
			if err == nil && s.At.Address == address || !yield(s, err) {
				return
			}
		}
	}
}
