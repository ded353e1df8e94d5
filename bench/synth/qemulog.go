package synth

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/schema"
)

// ReadQEMULog reads what QEMU's -singlestep -d exec,cpu,int,nochain tells about
// one Arm core: before each instruction its address and the core registers, and
// exceptions by name. It was written for the log of QEMU 7.2.
//
// All steps are in the given security state. The last instruction of the log is
// no step, since nothing tells what it did. An exception other than IRQ, FIQ,
// SVC, undefined instruction, data abort and BKPT is an error; so is an
// execution that contradicts the program.
func ReadQEMULog(r io.Reader, p *Program, security schema.Security) Steps {
	return func(yield func(Step, error) bool) {
		q := qemuReader{program: p, security: security, yield: yield}
		lines := bufio.NewScanner(r)
		for n := 1; lines.Scan(); n++ {
			if err := q.line(lines.Text()); err != nil {
				yield(Step{}, fmt.Errorf("line %d: %w", n, err))
				return
			}
			if q.stopped {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(Step{}, err)
		}
	}
}

// A qemuRecord is a core right before an instruction.
type qemuRecord struct {
	pc, psr uint32
	r       [16]uint32
	// executed says that the core did execute the instruction, as far as the
	// log was read.
	executed bool
}

const (
	psrThumb = 1 << 5
	lr       = 14
)

// A qemuException is how QEMU's name for an exception is to be read.
type qemuException struct {
	name string
	as   schema.ExceptionType
	kind qemuExceptionKind
	// lr is the value of the banked LR less the preferred return address, from
	// A32 and from T32 (DDI 0406C, table B1-7).
	lr [2]uint32
}

// A qemuExceptionKind says what became of the record in front of an exception.
type qemuExceptionKind uint8

const (
	qemuInterrupt qemuExceptionKind = iota // taken back; it is where to return to
	qemuAbort                              // not executed; likewise
	qemuCall                               // executed; the return is behind it
	qemuUndefined                          // counts as executed; the return is to it
)

var qemuExceptions = []qemuException{
	{"IRQ", schema.ExcIRQ, qemuInterrupt, [2]uint32{4, 4}},
	{"FIQ", schema.ExcFIQ, qemuInterrupt, [2]uint32{4, 4}},
	{"SVC", schema.ExcSVC, qemuCall, [2]uint32{0, 0}},
	{"Undefined Instruction", schema.ExcUndefined, qemuUndefined, [2]uint32{4, 2}},
	{"Data Abort", schema.ExcDataAbort, qemuAbort, [2]uint32{8, 8}},
	{"Breakpoint", schema.ExcPrefetchAbort, qemuAbort, [2]uint32{4, 4}},
}

// A qemuReader makes steps of the lines of a log. What an instruction did is
// known with the record behind it.
type qemuReader struct {
	program  *Program
	security schema.Security
	yield    func(Step, error) bool
	stopped  bool // yield wants no more

	reading   qemuRecord // of which not all lines were read
	last      qemuRecord
	exception *qemuException // its handler is the next record
	returnTo  Place
	contextID uint32
}

var (
	qemuTrace    = regexp.MustCompile(`^Trace \d+: \S+ \[[0-9a-f]+/([0-9a-f]{8})/`)
	qemuTakeBack = regexp.MustCompile(`^(?:Stopped execution of TB chain before \S+ \[|cpu_io_recompile: rewound execution of TB to )([0-9a-f]{8})`)
	qemuTaking   = regexp.MustCompile(`^Taking exception \d+ \[(.*)\]`)
	qemuRegister = regexp.MustCompile(`R(\d\d)=([0-9a-f]{8})`)
	qemuPSR      = regexp.MustCompile(`^PSR=([0-9a-f]{8})`)
)

func (q *qemuReader) line(s string) error {
	switch {
	case strings.HasPrefix(s, "R0"), strings.HasPrefix(s, "R1"):
		for _, m := range qemuRegister.FindAllStringSubmatch(s, 4) {
			n, _ := strconv.Atoi(m[1])
			q.reading.r[n&15] = hex32(m[2])
		}
		return nil
	case strings.HasPrefix(s, "Trace "):
		if m := qemuTrace.FindStringSubmatch(s); m != nil {
			q.reading = qemuRecord{pc: hex32(m[1]), executed: true}
			return nil
		}
	case strings.HasPrefix(s, "PSR="):
		if m := qemuPSR.FindStringSubmatch(s); m != nil {
			q.reading.psr = hex32(m[1])
			return q.record()
		}
	case strings.HasPrefix(s, "Stopped "), strings.HasPrefix(s, "cpu_io_recompile"):
		if m := qemuTakeBack.FindStringSubmatch(s); m != nil && q.last.executed && hex32(m[1]) == q.last.pc {
			q.last.executed = false
			return nil
		}
	case strings.HasPrefix(s, "Taking exception "):
		if m := qemuTaking.FindStringSubmatch(s); m != nil {
			return q.taking(m[1])
		}
	default:
		return nil // of no interest: mode switches, fault status
	}
	return fmt.Errorf("no line of a QEMU log: %q", s)
}

// hex32 reads the eight hexadecimal digits that a pattern matched.
func hex32(s string) uint32 {
	v, err := strconv.ParseUint(s, 16, 32)
	if err != nil {
		panic(err)
	}
	return uint32(v)
}

// record tells what came of the last record, now that the next one is there.
func (q *qemuReader) record() error {
	here := q.place(&q.reading)
	var err error
	switch {
	case q.exception != nil:
		err = q.enter(here)
	case q.last.executed:
		err = q.execute(here)
	}
	q.last, q.exception = q.reading, nil
	return err
}

// taking settles the last record as the exception demands and notes where it is
// to return to.
func (q *qemuReader) taking(name string) error {
	i := slices.IndexFunc(qemuExceptions, func(x qemuException) bool { return x.name == name })
	if i < 0 || q.exception != nil {
		return fmt.Errorf("exception %q: unknown here, or right behind another", name)
	}
	q.exception = &qemuExceptions[i]
	q.returnTo = q.place(&q.last)
	switch q.exception.kind {
	case qemuInterrupt:
		if q.last.executed {
			return fmt.Errorf("%s, but the instruction it stopped is not told", name)
		}
		return nil
	case qemuAbort:
		return nil
	}
	s, err := q.step(&q.last)
	if err != nil {
		return err
	}
	if q.exception.kind == qemuCall {
		q.returnTo = s.following()
	}
	return q.execute(s.following())
}

// enter tells the exception at hand; the record being read is its handler's
// first.
func (q *qemuReader) enter(handler Place) error {
	behind := q.exception.lr[0]
	if q.returnTo.ISA == schema.T32 {
		behind = q.exception.lr[1]
	}
	if got := q.reading.r[lr] - behind; got != q.returnTo.Address {
		return fmt.Errorf("%s returns to 0x%08x by LR, to %s by what was executed", q.exception.name, got, q.returnTo)
	}
	q.tell(Step{Entered: true, At: q.returnTo, Next: handler, Exception: q.exception.as, ContextID: q.contextID})
	return nil
}

// execute tells the last record, which was executed and went on to next.
func (q *qemuReader) execute(next Place) error {
	s, err := q.step(&q.last)
	if err != nil {
		return err
	}
	s.Next = next
	s.Failed = q.last.fails(s.Instruction, s.At.ISA)
	if err := s.check(); err != nil {
		return err
	}
	q.tell(s)
	if !s.Failed && s.Instruction.Size == 4 && s.Instruction.Opcode&^0xF000F000 == contextIDWrite {
		q.contextID = q.last.r[s.Instruction.Opcode>>12&15]
	}
	return nil
}

// contextIDWrite is MCR p15, 0, Rt, c13, c0, 1, without condition and Rt. T32
// has the same encoding with 14 in place of the condition.
const contextIDWrite = 0x0E0D0F30

// step returns the instruction of r as a step that goes on nowhere yet.
func (q *qemuReader) step(r *qemuRecord) (Step, error) {
	at := q.place(r)
	in, err := q.program.Instruction(at)
	return Step{At: at, Instruction: in, ContextID: q.contextID}, err
}

// place is where the core of r stands.
func (q *qemuReader) place(r *qemuRecord) Place {
	p := Place{Address: r.pc, ISA: schema.A32, Security: q.security}
	if r.psr&psrThumb != 0 {
		p.ISA = schema.T32
	}
	return p
}

func (q *qemuReader) tell(s Step) { q.stopped = q.stopped || !q.yield(s, nil) }
