// Package qemu reads executions from logs of QEMU: of a board ([ReadLog]), and of a
// Linux program ([ReadUserLog]).
//
// Its API is not stable (docs/guide/library.md).
package qemu

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/schema"
)

// ReadLog reads what QEMU's -singlestep -d exec,cpu,int,nochain logs about one Arm
// core: before each instruction its address and the core registers, and exceptions
// by name. It was written for the log of QEMU 7.2, whatever the core.
//
// All steps are in the given security state. The last instruction of the log is
// no step, since what it did is not logged. An exception other than IRQ, FIQ,
// SVC, undefined instruction, data abort and BKPT is an error; so are an
// execution that contradicts the program, a log of two cores, and one that is
// empty or ends within a record. Errors name the line.
func ReadLog(r io.Reader, p *program.Program, security schema.Security) step.Steps {
	return func(yield func(step.Step, error) bool) {
		q := reader{program: p, security: security, yield: yield}
		q.read(r)
	}
}

// A record is a core right before an instruction.
type record struct {
	pc  schema.Address
	psr uint32
	r   [16]uint32
	// executed says that the core did execute the instruction, as far as the
	// log was read.
	executed bool
	// second says that it is of the second half of the BL or BLX that is at pc.
	second bool
}

const (
	psrThumb = 1 << 5
	lr       = 14
)

// An exception is how QEMU's name for an exception is to be read.
type exception struct {
	name string
	as   schema.ExceptionType
	kind exceptionKind
	// lr is the value of the banked LR less the preferred return address, from
	// A32 and from T32 (DDI 0406C, table B1-7).
	lr [2]uint32
}

// An exceptionKind says what became of the record before an exception.
type exceptionKind uint8

const (
	interrupt exceptionKind = iota // rewound; the exception returns to it
	abort                          // not executed; the exception returns to it
	call                           // executed; the exception returns after it
	undefined                      // counts as executed; the exception returns to it
)

var exceptions = []exception{
	{"IRQ", schema.ExcIRQ, interrupt, [2]uint32{4, 4}},
	{"FIQ", schema.ExcFIQ, interrupt, [2]uint32{4, 4}},
	{"SVC", schema.ExcSVC, call, [2]uint32{0, 0}},
	{"Undefined Instruction", schema.ExcUndefined, undefined, [2]uint32{4, 2}},
	{"Data Abort", schema.ExcDataAbort, abort, [2]uint32{8, 8}},
	{"Breakpoint", schema.ExcPrefetchAbort, abort, [2]uint32{4, 4}},
}

// A reader makes steps of the lines of a log. What an instruction did is known
// when the next record is read.
type reader struct {
	program  *program.Program
	security schema.Security
	yield    func(step.Step, error) bool
	stopped  bool // yield wants no more
	user     bool // the log is of a Linux program alone, without the kernel

	core      string // the one that is logged
	reading   record
	open      bool // not all lines of it were read
	registers int  // so many of it were
	begun     bool // there is a last one
	last      record
	exception *exception // its handler is the next record
	returnTo  step.Place
	contextID uint32

	away schema.Null[step.Place] // of a user program: where it left its memory
	home bool                    // of a user program: it was there
}

// read reads a log to its end, or to an error, which it yields.
func (q *reader) read(r io.Reader) {
	lines := bufio.NewScanner(r)
	n := 1
	for ; lines.Scan(); n++ {
		if err := q.line(lines.Bytes()); err != nil {
			q.yield(step.Step{}, fmt.Errorf("line %d: %w", n, err))
			return
		}
		if q.stopped {
			return
		}
	}
	err := lines.Err()
	if err == nil {
		err = q.end()
	}
	if err != nil {
		q.yield(step.Step{}, fmt.Errorf("line %d: %w", n, err))
	}
}

// end says what is wrong with a log that ends here.
func (q *reader) end() error {
	switch {
	case q.open:
		return errors.New("the log ends within a record: it was cut short")
	case !q.begun:
		return errors.New("the log ends without an instruction: QEMU logs them with -d exec,cpu,nochain")
	case q.user && !q.home:
		return errors.New("the log ends without an instruction of the program: it is of another one, or of one that was " +
			"loaded elsewhere")
	}
	return nil
}

func (q *reader) line(line []byte) error {
	ok := true
	switch {
	case bytes.HasPrefix(line, []byte("R0")), bytes.HasPrefix(line, []byte("R1")):
		ok = q.readRegisters(line)
	case bytes.HasPrefix(line, []byte("PSR=")):
		if q.open {
			return q.closeRecord(line)
		}
	case bytes.HasPrefix(line, []byte("Trace ")):
		return q.openRecord(line)
	case bytes.HasPrefix(line, []byte("Stopped ")), bytes.HasPrefix(line, []byte("cpu_io_recompile")):
		ok = q.rewind(line)
	case bytes.HasPrefix(line, []byte("Taking exception ")):
		var name string
		if name, ok = readException(line); ok {
			return q.taking(name)
		}
	} // others are of no interest: mode switches, fault status
	if !ok {
		return notQEMU(line)
	}
	return nil
}

// notQEMU says that a line is damaged, or of another log.
func notQEMU(line []byte) error { return fmt.Errorf("no line of a QEMU log: %.80q", line) }

// openRecord begins a record with its first line.
func (q *reader) openRecord(line []byte) error {
	core, pc, ok := readTrace(line)
	switch {
	case !ok:
		return notQEMU(line)
	case q.open:
		return errors.New("the record before has no registers: QEMU logs them with -d cpu")
	case q.core == "":
		q.core = string(core)
	case q.core != string(core):
		return fmt.Errorf("a record of core or thread %s after those of %s: only one can be read", core, q.core)
	}
	q.reading, q.registers, q.open = record{pc: pc, executed: true}, 0, true
	return nil
}

// readRegisters reads a line of registers, if it is part of a record.
func (q *reader) readRegisters(line []byte) bool {
	if !q.open {
		return true
	}
	r, ok := readRegisters(line, q.registers)
	q.registers += copy(q.reading.r[q.registers:], r[:])
	return ok
}

// closeRecord ends the record that is being read with its last line.
func (q *reader) closeRecord(line []byte) error {
	var ok bool
	if q.reading.psr, ok = readPSR(line); !ok {
		return notQEMU(line)
	}
	if q.registers < len(q.reading.r) {
		return fmt.Errorf("the record has %d registers, not %d: lines are missing", q.registers, len(q.reading.r))
	}
	var err error
	switch {
	case q.secondHalf():
		q.reading.pc, q.reading.second = q.last.pc, true
	case q.user:
		err = q.userRecord()
	default:
		err = q.boardRecord()
	}
	q.last, q.exception, q.open, q.begun = q.reading, nil, false, true
	return err
}

// secondHalf says whether the record being read is of the second half of the BL or
// BLX of the last one. A core whose T32 has no other instructions of 32 bits
// executes the two apart where they are in different pages.
func (q *reader) secondHalf() bool {
	at := q.place(&q.last)
	if !q.last.executed && !q.last.second || at.ISA != schema.T32 || q.reading.pc != at.Address+2 ||
		q.reading.psr&psrThumb == 0 {
		return false
	}
	in, err := q.program.Instruction(at)
	return err == nil && in.Size == 4 && in.Kind == schema.KindCall
}

// rewind reads a line that says that the last record was not executed after all.
func (q *reader) rewind(line []byte) bool {
	pc, ok := readRewound(line)
	last := q.last.pc
	if q.last.second {
		last += 2
	}
	ok = ok && !q.open && q.last.executed && pc == last
	q.last.executed = false
	return ok
}

// boardRecord emits the step of the last record of a core, now that the next one is
// read.
func (q *reader) boardRecord() error {
	here := q.place(&q.reading)
	switch {
	case q.exception != nil:
		return q.enter(here)
	case q.last.executed:
		return q.execute(here)
	case q.begun && here != q.place(&q.last):
		return fmt.Errorf("the core is at %s, but stopped before %s", here, q.place(&q.last))
	}
	return nil
}

// taking emits or drops the last record as the kind of the exception demands, and
// notes where the exception returns to.
func (q *reader) taking(name string) error {
	i := slices.IndexFunc(exceptions, func(x exception) bool { return x.name == name })
	switch {
	case q.user:
		return fmt.Errorf("exception %q: a user program takes none; this is the log of qemu-system-arm", name)
	case i < 0 || q.exception != nil:
		return fmt.Errorf("exception %q: unknown here, or right after another", name)
	}
	if q.last.second && !q.last.executed {
		return fmt.Errorf("%s between the halves of the instruction at %s: a step is a whole one", name, q.place(&q.last))
	}
	q.exception = &exceptions[i]
	q.returnTo = q.place(&q.last)
	switch q.exception.kind {
	case interrupt:
		if q.last.executed {
			return fmt.Errorf("%s, but the instruction it stopped is not logged", name)
		}
		return nil
	case abort:
		return nil
	}
	s, err := q.step(&q.last)
	if err != nil {
		return err
	}
	if q.exception.kind == call {
		q.returnTo = s.Following()
	}
	return q.execute(s.Following())
}

// enter emits the current exception; the record being read is its handler's first.
func (q *reader) enter(handler step.Place) error {
	offset := q.exception.lr[0]
	if q.returnTo.ISA == schema.T32 {
		offset = q.exception.lr[1]
	}
	if got := schema.Address(q.reading.r[lr] - offset); got != q.returnTo.Address {
		return fmt.Errorf("%s returns to 0x%08x by LR, to %s by what was executed", q.exception.name, got, q.returnTo)
	}
	q.emit(step.Step{Entered: true, At: q.returnTo, Next: handler, Exception: q.exception.as, ContextID: q.contextID})
	return nil
}

// execute emits the last record, which was executed and continued at next.
func (q *reader) execute(next step.Place) error {
	s, err := q.step(&q.last)
	if err != nil {
		return err
	}
	s.Next = next
	s.Failed = q.last.fails(s.Instruction, s.At.ISA)
	if err := s.Check(); err != nil {
		return err
	}
	q.emit(s)
	if !s.Failed && program.WritesContextID(s.Instruction, s.At.ISA) {
		q.contextID = q.last.r[s.Instruction.Opcode>>12&15]
	}
	return nil
}

// step returns the instruction of r as a step without Next.
func (q *reader) step(r *record) (step.Step, error) {
	at := q.place(r)
	in, err := q.program.Instruction(at)
	return step.Step{At: at, Instruction: in, ContextID: q.contextID}, err
}

// place is where the core of r is.
func (q *reader) place(r *record) step.Place {
	p := step.Place{Address: r.pc, ISA: schema.A32, Security: q.security}
	if r.psr&psrThumb != 0 {
		p.ISA = schema.T32
	}
	return p
}

func (q *reader) emit(s step.Step) { q.stopped = q.stopped || !q.yield(s, nil) }
