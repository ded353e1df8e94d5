package synth

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

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
// instruction is not the one behind, or the context ID changes.

// WriteRecording writes steps to w, all of which are in one security state and
// traced.
func WriteRecording(w io.Writer, steps Steps) error {
	out := bufio.NewWriter(w)
	var run []Step // not written yet
	var next Place
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
		if s.Trace != Traced {
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
		if !s.Entered && s.following() != next {
			flush()
		}
	}
	flush()
	fmt.Fprintf(out, ". %s\n", placeText(next))
	return out.Flush()
}

func placeText(p Place) string { return fmt.Sprintf("%08x %s", p.Address, p.ISA) }

// ReadRecording reads what [WriteRecording] wrote of an execution of p in the
// given security state.
func ReadRecording(r io.Reader, p *Program, security schema.Security) Steps {
	return func(yield func(Step, error) bool) {
		rec := recordingReader{program: p, security: security, yield: yield}
		lines := bufio.NewScanner(r)
		for n := 1; lines.Scan() && !rec.stopped; n++ {
			if err := rec.line(strings.Fields(lines.Text())); err != nil {
				yield(Step{}, fmt.Errorf("recording: line %d: %w", n, err))
				return
			}
		}
		switch {
		case rec.stopped:
		case lines.Err() != nil:
			yield(Step{}, fmt.Errorf("recording: %w", lines.Err()))
		case rec.last.OK:
			yield(Step{}, fmt.Errorf("recording: ends without a line of its end; the file was cut short"))
		}
	}
}

// A recordingReader makes steps of lines. Where an instruction went is known
// with the line behind it.
type recordingReader struct {
	program  *Program
	security schema.Security
	yield    func(Step, error) bool
	stopped  bool // yield wants no more

	last      schema.Null[Step] // its Next is not known yet
	contextID uint32
}

func (r *recordingReader) line(fields []string) error {
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

func (r *recordingReader) place(fields []string) (Place, error) {
	address, err := strconv.ParseUint(fields[0], 16, 32)
	if err != nil {
		return Place{}, err
	}
	set := slices.Index(schema.ISANames, fields[1])
	if set < 0 {
		return Place{}, fmt.Errorf("unknown instruction set %q", fields[1])
	}
	return Place{Address: uint32(address), ISA: schema.ISA(set), Security: r.security}, nil
}

// exception reads a line of an exception. An undefined instruction is returned
// to, but went on behind itself.
func (r *recordingReader) exception(name string, from, to []string) error {
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
		next = r.last.V.following()
	}
	if err := r.finish(next); err != nil {
		return err
	}
	r.tell(Step{Entered: true, At: at, Next: handler, Exception: schema.ExceptionType(kind), ContextID: r.contextID})
	return nil
}

// run reads a line of a straight run.
func (r *recordingReader) run(fields []string) error {
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
		s := Step{At: at, ContextID: r.contextID}
		if s.Instruction, err = r.program.Instruction(at); err != nil {
			return err
		}
		if len(failed) > 0 && failed[0] == strconv.Itoa(i) {
			s.Failed, failed = true, failed[1:]
		}
		r.last = schema.Of(s)
		at = s.following()
	}
	if len(failed) > 0 {
		return fmt.Errorf("no instruction %s in a run of %d", failed[0], count)
	}
	return nil
}

// finish tells the last instruction, which went on to next.
func (r *recordingReader) finish(next Place) error {
	if !r.last.OK {
		return nil
	}
	s := r.last.V
	s.Next = next
	r.last.OK = false
	if err := s.check(); err != nil {
		return err
	}
	r.tell(s)
	return nil
}

func (r *recordingReader) tell(s Step) { r.stopped = r.stopped || !r.yield(s, nil) }
