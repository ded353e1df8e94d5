package synth

import (
	"fmt"
	"io"
	"math"

	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/decode/pft"
	"github.com/tracelake/tracelake/schema"
)

// PFTOptions say what a PTM traces and how.
type PFTOptions struct {
	pft.Config
	Source uint8 // CoreSight trace ID

	// SyncBytes is how many bytes of packets there are between two A-syncs, at
	// least: those after which one is sent as soon as it may be. 0 is never.
	SyncBytes int
	// ReturnStackDepth is how many entries the return stack of the PTM has.
	ReturnStackDepth int
	// BranchBroadcast makes taken direct branches branch packets (ETMCR[8]).
	BranchBroadcast bool
	// Timestamps sends timestamps after each synchronisation and each entry to
	// and return from an exception. The clock starts at TimestampBase and
	// ticks every CyclesPerTick cycles.
	Timestamps    bool
	TimestampBase uint64
	CyclesPerTick uint64
	// TraceVMID sends VMID after each synchronisation (ETMCR[30], 1.1).
	TraceVMID bool
	VMID      uint8
}

// PFT is a PTM: an encoder of Program Flow Trace 1.1. Section numbers are of
// ARM IHI 0035B. It goes by these rules, which are what hardware does:
// everything as soon as it may be sent, addresses and numbers in as few bytes
// as they need, atoms in packets of five.
//
// Of PFT 1.0 it has what 1.1 has too, but for timestamps, which 1.0 places and
// counts in another way. It knows no trace gaps, no Debug state, no Jazelle and
// no triggers.
type PFT struct {
	opt PFTOptions
	out io.Writer
	err error // of out, the first

	truth *Truth
	buf   []byte

	on   bool
	next Place // where the last step left the core

	stated  stated
	stack   []Place // return stack, top last
	atoms   uint8   // not sent yet: bit i is atom i, 1 is N
	atomsN  uint8
	rows    []instructionRow // not sent yet; the last len(rows)-settled are no waypoints
	settled int              // those that atoms tell

	straight  uint32 // bytes executed since the last waypoint
	cycles    uint64 // since the last count
	now       uint64 // cycles since the start
	sinceSync int    // bytes
	timeDue   bool
}

// stated is what the stream said last: what a decoder goes on from.
type stated struct {
	Place            // of the last I-sync or branch packet: LastState
	updated   uint32 // address of a waypoint update since then, else Place's
	contextID *uint32
	vmid      *uint8
	timestamp uint64 // as sent
}

// NewPFT returns an encoder that writes to w.
func NewPFT(w io.Writer, o PFTOptions) *PFT {
	return &PFT{opt: o, out: w, truth: newTruth(o.Source, o.CycleAccurate)}
}

// Truth is what the stream tells so far.
func (e *PFT) Truth() *Truth { return e.truth }

// Encode traces all steps. It fails if a step has an error or cannot be traced.
func (e *PFT) Encode(steps Steps) error {
	for s, err := range steps {
		if err != nil {
			return err
		}
		if err := e.Step(&s); err != nil {
			return err
		}
	}
	return e.Close()
}

// Close sends what waits to be sent. Instructions behind the last waypoint stay
// untold: nothing says they ran.
func (e *PFT) Close() error {
	e.flush()
	return e.err
}

// Step traces one step. It fails if s does not go on from where the step before
// left the core, cannot be traced, or the writer failed.
func (e *PFT) Step(s *Step) error {
	if !e.on {
		e.start(s)
	}
	e.now += uint64(s.Cycles)
	e.cycles += uint64(s.Cycles)
	if e.cycles > math.MaxUint32 {
		return fmt.Errorf("synth: at %s: more cycles since the last count than a count holds", s.At)
	}
	if s.Entered {
		return e.exception(s)
	}
	if s.At != e.next {
		return fmt.Errorf("synth: instruction at %s, but the core is at %s", s.At, e.next)
	}
	e.instruction(s)
	e.next = s.Next
	e.synchronise()
	return e.err
}

// instruction traces an instruction.
func (e *PFT) instruction(s *Step) {
	e.rows = append(e.rows, instructionRow{step: *s, outcome: untold})
	e.straight += uint32(s.Instruction.Size)
	switch {
	case !e.isWaypoint(s.Instruction.Flow):
		if e.straight > maxStraight {
			e.updateWaypoint()
		}
		return
	case s.Failed:
		e.atom(failed)
	case s.Instruction.Flow == isa.Indirect:
		e.indirect(s)
	case s.Instruction.Flow == isa.Direct && (e.opt.BranchBroadcast || s.Next.Security != e.stated.Security):
		e.branch(s.Next)
		e.link(s)
	case s.Instruction.Flow == isa.Direct:
		e.atom(executed)
		e.link(s)
	default: // barrier
		e.atom(executed)
	}
	e.straight = 0
	e.context(s.ContextID)
}

// maxStraight is how many bytes may lie between waypoints before the PTM
// upgrades an instruction to one (§2.3).
const maxStraight = 4096

// isWaypoint says whether an instruction of flow f is a waypoint (§2.2).
func (e *PFT) isWaypoint(f isa.Flow) bool {
	switch f {
	case isa.None:
		return false
	case isa.Direct, isa.Indirect, isa.Barrier:
		return true
	case isa.DataBarrier:
		return e.opt.DataBarriers
	}
	panic(fmt.Sprintf("synth: flow %d", f))
}

// indirect traces an indirect branch that was executed: an E atom if the return
// stack knows the target, else a branch packet, which leaves the stack alone
// (§4.13). An exception return always has a packet, so that the packet that
// says what it is can follow.
func (e *PFT) indirect(s *Step) {
	top := len(e.stack) - 1
	exceptionReturn := s.Instruction.Kind == schema.KindExceptionReturn
	if top >= 0 && e.stack[top] == s.Next && !exceptionReturn {
		e.stack = e.stack[:top]
		e.atom(executed)
	} else {
		e.branch(s.Next)
	}
	e.link(s)
	if exceptionReturn && e.opt.Minor >= 1 {
		e.emit(pft.Packet{Kind: pft.ExceptionReturn})
		e.truth.exceptionReturn()
		e.timeDue = true
	}
}

// link pushes the return address of a branch with link, after what it popped.
// The oldest entry of a full stack goes.
func (e *PFT) link(s *Step) {
	if !s.Instruction.Link || !e.opt.ReturnStack || e.opt.ReturnStackDepth == 0 {
		return
	}
	if len(e.stack) == e.opt.ReturnStackDepth {
		e.stack = append(e.stack[:0], e.stack[1:]...)
	}
	e.stack = append(e.stack, s.following())
}

// exceptionNumbers are the numbers of exceptions in branch packets (table 4.9).
var exceptionNumbers = map[schema.ExceptionType]uint16{
	schema.ExcSMC: 2, schema.ExcHyp: 3, schema.ExcAsyncDataAbort: 4, schema.ExcThumbEE: 5, schema.ExcReset: 8,
	schema.ExcUndefined: 9, schema.ExcSVC: 10, schema.ExcPrefetchAbort: 11, schema.ExcDataAbort: 12,
	schema.ExcGeneric: 13, schema.ExcIRQ: 14, schema.ExcFIQ: 15,
}

// exception traces an exception entry: after an instruction that is no waypoint
// that one is upgraded (§5.2, §5.3), unless the exception is a reset, where the
// PTM does not know what was executed (§5.3.1).
func (e *PFT) exception(s *Step) error {
	number, ok := exceptionNumbers[s.Exception]
	if !ok {
		return fmt.Errorf("synth: at %s: exception %s is not traced here", s.At, s.Exception)
	}
	if returns := e.returnsTo(s); s.At != returns {
		return fmt.Errorf("synth: %s returns to %s, but the core is at %s", s.Exception, s.At, returns)
	}
	e.flush()
	returnTo := e.next.Address
	switch {
	case len(e.rows) == 0:
	case s.Exception == schema.ExcReset:
		returnTo = e.rows[0].step.At.Address // all that is known: not before
		e.rows = e.rows[:0]
	default:
		e.updateWaypoint()
	}
	cycles := e.count(schema.CountBranch)
	e.emit(e.branchPacket(s.Next, number, cycles))
	e.truth.entry(s.Exception, number, returnTo, s.Next.Address)
	e.arrive(s.Next)
	e.next, e.straight, e.timeDue = s.Next, 0, true
	e.tellContext()
	e.synchronise()
	return e.err
}

// returnsTo is the preferred return address that exception s must have: that of
// the undefined instruction, which the core has gone past in the sense of the
// trace, else where the core is. A reset has none.
func (e *PFT) returnsTo(s *Step) Place {
	switch {
	case s.Exception == schema.ExcReset:
		return s.At
	case s.Exception == schema.ExcUndefined && len(e.rows) > 0:
		return e.rows[len(e.rows)-1].step.At
	}
	return e.next
}

// updateWaypoint upgrades the last instruction to a waypoint (§4.5.6).
func (e *PFT) updateWaypoint() {
	e.flush()
	last := e.rows[len(e.rows)-1].step.At
	e.emit(e.waypointPacket(last))
	e.tell(len(e.rows), nil)
	e.stated.updated = last.Address
	e.straight = 0
}

// atom traces the last instruction, a waypoint, as an atom: by itself with its
// cycles, or with up to four others (§4.5.3).
func (e *PFT) atom(o outcome) {
	e.settle(o)
	e.atoms |= btou(o == failed) << e.atomsN
	e.atomsN++
	if e.opt.CycleAccurate || e.atomsN == maxAtoms {
		e.flush()
	}
}

const maxAtoms = 5

func btou(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// settle gives the last instruction its outcome: the next packet tells it.
func (e *PFT) settle(o outcome) {
	e.rows[len(e.rows)-1].outcome = o
	e.settled = len(e.rows)
}

// flush sends the atoms that wait.
func (e *PFT) flush() {
	if e.atomsN == 0 {
		return
	}
	p := pft.Packet{Kind: pft.Atom, Atoms: e.atoms, AtomCount: e.atomsN}
	e.atoms, e.atomsN = 0, 0
	p.CyclesTold = e.opt.CycleAccurate
	cycles := e.count(schema.CountAtom)
	if cycles != nil {
		p.Cycles, p.CycleBytes = *cycles, countBytes(*cycles)-1
	}
	e.emit(p)
	e.tell(e.settled, cycles)
}

// branch traces the last instruction, a waypoint, as a branch to a place
// (§4.5.4).
func (e *PFT) branch(to Place) {
	e.flush()
	e.settle(executed)
	cycles := e.count(schema.CountBranch)
	e.emit(e.branchPacket(to, 0, cycles))
	e.tell(e.settled, cycles)
	e.arrive(to)
	e.tellContext()
}

// arrive makes a place the last one stated.
func (e *PFT) arrive(at Place) { e.stated.Place, e.stated.updated = at, at.Address }

// tell enters the first n waiting rows into the truth: a packet told them. The
// last has its cycles.
func (e *PFT) tell(n int, cycles *uint32) {
	for i := range e.rows[:n] {
		if i == n-1 {
			e.rows[i].cycles = cycles
		}
		e.truth.instruction(&e.rows[i])
	}
	e.rows = append(e.rows[:0], e.rows[n:]...)
	e.settled = 0
}

// count takes the cycles since the last count, for a packet that has one (§4.4).
func (e *PFT) count(kind schema.CountKind) *uint32 {
	if !e.opt.CycleAccurate {
		return nil
	}
	cycles := uint32(e.cycles)
	e.cycles = 0
	e.truth.count(kind, cycles)
	return &cycles
}

// emit sends a packet.
func (e *PFT) emit(p pft.Packet) {
	e.buf = e.opt.Append(e.buf[:0], p)
	e.truth.Bytes += int64(len(e.buf))
	e.sinceSync += len(e.buf)
	if e.err == nil {
		_, e.err = e.out.Write(e.buf)
	}
}
