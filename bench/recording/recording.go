// Package recording keeps executions as text that is small enough for a
// repository.
//
// Its API is not stable (docs/guide/library.md).
package recording

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/schema"
)

// A recording is an execution as text, small enough to be kept: the program has
// the opcodes, so a straight run is one line. There are four kinds of line:
//
//	context 2                         the context ID from here on
//	4000802c a32 7 1 3                seven instructions from there on, of which
//	                                  those at positions 1 and 3 failed
//	! irq 40008894 t32 40008018 a32   an exception: type, return, handler
//	. 40008200 a32                    the end: the next instruction
//
// Addresses are in hexadecimal, the rest in decimal. A run ends where the next
// instruction is not the following one, or the context ID changes.

// Write writes steps to w, all of which are in one security state and
// traced.
func Write(w io.Writer, steps step.Steps) error {
	out := bufio.NewWriter(w)
	var run []step.Step // not written yet
	var next step.Place
	var contextID uint32
	flush := func() {
		if len(run) == 0 {
			return
		}
		fmt.Fprintf(out, "%s %d", placeText(run[0].At), len(run))
		for i := range run {
			if run[i].Failed {
				fmt.Fprintf(out, " %d", i)
			}
		}
		fmt.Fprintln(out)
		run = run[:0]
	}
	for s, err := range steps {
		if err != nil {
			return err
		}
		if s.Trace != step.Traced {
			return fmt.Errorf("recording: the step at %s is not traced, and cannot be written", s.At)
		}
		if s.Entered || s.At != next || s.ContextID != contextID {
			flush()
		}
		if s.ContextID != contextID {
			contextID = s.ContextID
			fmt.Fprintf(out, "context %d\n", contextID)
		}
		if s.Entered {
			fmt.Fprintf(out, "! %s %s %s\n", s.Exception, placeText(s.At), placeText(s.Next))
		} else {
			run = append(run, s)
		}
		next = s.Next
		if !s.Entered && s.Following() != next {
			flush()
		}
	}
	flush()
	fmt.Fprintf(out, ". %s\n", placeText(next))
	return out.Flush()
}

func placeText(p step.Place) string { return fmt.Sprintf("%08x %s", p.Address, p.ISA) }

// Read reads what [Write] wrote of an execution of p in the
// given security state.
func Read(r io.Reader, p *program.Program, security schema.Security) step.Steps {
	return func(yield func(step.Step, error) bool) {
		rec := reader{program: p, security: security, yield: yield}
		lines := bufio.NewScanner(r)
		for n := 1; lines.Scan() && !rec.stopped; n++ {
			if err := rec.line(strings.Fields(lines.Text())); err != nil {
				yield(step.Step{}, fmt.Errorf("recording: line %d: %w", n, err))
				return
			}
		}
		switch {
		case rec.stopped:
		case lines.Err() != nil:
			yield(step.Step{}, fmt.Errorf("recording: %w", lines.Err()))
		case rec.last.OK:
			yield(step.Step{}, fmt.Errorf("recording: ends without a line of its end; the file was cut short"))
		}
	}
}

// A reader makes steps of lines. Where an instruction went is known when the next
// line is read.
type reader struct {
	program  *program.Program
	security schema.Security
	yield    func(step.Step, error) bool
	stopped  bool // yield wants no more

	last      schema.Null[step.Step] // its Next is not known yet
	contextID uint32
}

func (r *reader) line(fields []string) error {
	switch {
	case len(fields) == 2 && fields[0] == "context":
		id, err := strconv.ParseUint(fields[1], 10, 32)
		r.contextID = uint32(id)
		return err
	case len(fields) == 6 && fields[0] == "!":
		return r.exception(fields[1], fields[2:4], fields[4:6])
	case len(fields) == 3 && fields[0] == ".":
		end, err := r.place(fields[1:])
		if err != nil {
			return err
		}
		return r.finish(end)
	case len(fields) >= 3:
		return r.run(fields)
	}
	return fmt.Errorf("cannot read %q", strings.Join(fields, " "))
}

func (r *reader) place(fields []string) (step.Place, error) {
	address, err := strconv.ParseUint(fields[0], 16, 32)
	if err != nil {
		return step.Place{}, err
	}
	set := slices.Index(schema.ISANames, fields[1])
	if set < 0 {
		return step.Place{}, fmt.Errorf("unknown instruction set %q", fields[1])
	}
	return step.Place{Address: schema.Address(address), ISA: schema.ISA(set), Security: r.security}, nil
}

// exception reads a line of an exception. That of an undefined instruction returns
// to the instruction, whose step nevertheless continues after it.
func (r *reader) exception(name string, from, to []string) error {
	kind := slices.Index(schema.ExceptionTypeNames, name)
	if kind < 0 {
		return fmt.Errorf("unknown exception %q", name)
	}
	at, err := r.place(from)
	if err != nil {
		return err
	}
	handler, err := r.place(to)
	if err != nil {
		return err
	}
	next := at
	if schema.ExceptionType(kind) == schema.ExcUndefined && r.last.OK {
		next = r.last.V.Following()
	}
	if err := r.finish(next); err != nil {
		return err
	}
	r.emit(step.Step{Entered: true, At: at, Next: handler, Exception: schema.ExceptionType(kind), ContextID: r.contextID})
	return nil
}

// run reads a line of a straight run.
func (r *reader) run(fields []string) error {
	at, err := r.place(fields)
	if err != nil {
		return err
	}
	count, err := strconv.Atoi(fields[2])
	if err != nil {
		return err
	}
	failed := fields[3:]
	for i := range count {
		if err := r.finish(at); err != nil {
			return err
		}
		s := step.Step{At: at, ContextID: r.contextID}
		if s.Instruction, err = r.program.Instruction(at); err != nil {
			return err
		}
		if len(failed) > 0 && failed[0] == strconv.Itoa(i) {
			s.Failed, failed = true, failed[1:]
		}
		r.last = schema.Of(s)
		at = s.Following()
	}
	if len(failed) > 0 {
		return fmt.Errorf("no instruction %s in a run of %d", failed[0], count)
	}
	return nil
}

// finish emits the last instruction, which continued at next.
func (r *reader) finish(next step.Place) error {
	if !r.last.OK {
		return nil
	}
	s := r.last.V
	s.Next = next
	r.last.OK = false
	if err := s.Check(); err != nil {
		return err
	}
	r.emit(s)
	return nil
}

func (r *reader) emit(s step.Step) { r.stopped = r.stopped || !r.yield(s, nil) }
