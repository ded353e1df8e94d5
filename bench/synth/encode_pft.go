package synth

import (
	"fmt"
	"io"
	"math"

	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/decode/pft"
	"github.com/tracelake/tracelake/schema"
)

// PFTOptions say what a PTM traces and how. What PFT 1.0 does not have (VMID,
// timestamps of 64 bits or in natural binary) is not there with Minor 0,
// whatever the options say.
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
	// TraceVMID sends VMID packets after each synchronisation and where the VMID
	// changes (ETMCR[30], 1.1).
	TraceVMID bool

	// Lost is how many bytes of the stream, from its start, are gone, as in a ring
	// that wrapped: the truth is that of the rest.
	Lost int64
	// Variation is what the PTM does otherwise than hardware does.
	Variation PFTVariation
}

// PFT is a PTM: an encoder of Program Flow Trace 1.0 and 1.1. Section numbers
// are of ARM IHI 0035B. Without variation it goes by these rules, which are
// what hardware does: everything as soon as it may be sent, addresses and
// numbers in as few bytes as they need, atoms in packets of five.
//
// It knows no Jazelle state.
type PFT struct {
	opt PFTOptions
	out io.Writer
	err error // the first

	truth pftTruth
	vary  *variation
	buf   []byte
	bytes int64 // of the stream so far

	// Whether it traces; if not, the reason of the I-sync to come (§4.3).
	on     bool
	reason schema.ISyncReason

	core struct { // where the last step left the core
		known bool
		next  Place
		last  schema.Null[Place] // of the last step, if that was an instruction
	}
	stated   stated
	stack    []Place // return stack, top last
	atoms    uint8   // not sent yet: bit i is atom i, 1 is N
	atomsN   uint8
	waiting  []waiting // instructions no packet told yet
	settled  int       // those up to the last waypoint: atoms tell them
	straight uint32    // bytes executed since the last waypoint

	now        uint64 // cycles since the start
	counted    uint64 // of them, those that counts told
	waypointAt uint64 // time of the last waypoint, exception or I-sync

	sinceSync  int  // bytes since the last A-sync
	asyncSent  bool // an A-sync, and no I-sync since
	timeDue    bool
	triggerDue bool
}

// waiting is an instruction that no packet told yet.
type waiting struct {
	at          Place
	instruction isa.Instruction
	executed    schema.Null[bool] // as the packet will say
	// returned is where the return stack led, if that changed the security state.
	returned schema.Null[Place]
}

// stated is what the stream said last: what a decoder goes on from.
type stated struct {
	Place                     // of the last I-sync or branch packet: LastState
	updated   Place           // of a waypoint update since then, else the same
	security  schema.Security // of an entry of the return stack since then, else the same
	contextID schema.Null[uint32]
	vmid      schema.Null[uint8]
	timestamp uint64 // as sent
}

// NewPFT returns an encoder that writes a stream to w and its truth to rows. An
// Instruction it gives them holds until the next one.
func NewPFT(w io.Writer, rows Rows, o PFTOptions) *PFT {
	if o.Minor == 0 {
		o.Timestamp64, o.TimestampGray, o.TraceVMID = false, true, false
	}
	return &PFT{
		opt: o, out: w, reason: schema.ISyncTraceOn, vary: newVariation(&o.Variation),
		truth: newPFTTruth(rows, &o),
	}
}

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

// Close sends what waits to be sent and ends the stream. Instructions behind the
// last waypoint stay untold: nothing says they ran.
func (e *PFT) Close() error {
	e.flush()
	e.truth.end(e.bytes)
	return e.err
}

// Step traces one step. It fails if s does not go on from where the step before
// left the core, cannot be traced, or the writer failed.
func (e *PFT) Step(s *Step) error {
	if err := e.check(s); err != nil {
		return err
	}
	e.gate(s)
	if e.on && s.Entered && s.Exception == schema.ExcDebug {
		e.halt()
	}
	e.now += uint64(s.Cycles)
	if e.countDue() && e.now-e.counted > math.MaxUint32 {
		return fmt.Errorf("synth: at %s: more cycles since the last count than a count holds", s.At)
	}
	switch {
	case !e.on:
	case s.Entered:
		e.exception(s)
	default:
		e.instruction(s)
	}
	e.core.known, e.core.next = true, s.Next
	e.core.last = schema.Null[Place]{V: s.At, OK: !s.Entered}
	if e.on {
		e.synchronise()
	}
	return e.err
}

// check says why a step cannot be traced.
func (e *PFT) check(s *Step) error {
	if s.Entered {
		if _, ok := exceptionNumbers[s.Exception]; !ok {
			return fmt.Errorf("synth: at %s: exception %s is not traced here", s.At, s.Exception)
		}
	}
	if s.At.ISA == schema.Jazelle || s.Next.ISA == schema.Jazelle {
		return fmt.Errorf("synth: at %s: Jazelle state is not traced here", s.At)
	}
	from := e.core.next
	switch {
	case !e.core.known || s.Exception == schema.ExcReset && s.Entered: // a reset has no return address
		return nil
	case s.Entered && s.Exception == schema.ExcUndefined && e.core.last.OK:
		from = e.core.last.V // the core has gone past it, in the sense of the trace
	}
	switch {
	case s.At == from:
		return nil
	case s.Entered:
		return fmt.Errorf("synth: %s returns to %s, but the core is at %s", s.Exception, s.At, from)
	}
	return fmt.Errorf("synth: instruction at %s, but the core is at %s", s.At, from)
}

// gate turns trace on and off before s, and sends a trigger that occurs there:
// while the FIFO is full, and before there is a stream, it has to wait.
func (e *PFT) gate(s *Step) {
	e.triggerDue = e.triggerDue || s.Trigger
	switch s.Trace {
	case Traced:
		if !e.on {
			e.start(s)
		}
	case TraceOff:
		e.stop(schema.ISyncTraceOn)
	case Overflowed:
		e.stop(schema.ISyncOverflow)
	}
	if e.triggerDue && e.bytes > 0 && (e.on || e.reason != schema.ISyncOverflow) {
		e.triggerDue = false
		e.flush()
		e.truth.event(e.emit(pft.Packet{Kind: pft.Trigger}), schema.EventTrigger, schema.Null[uint32]{})
	}
}

// instruction traces an instruction.
func (e *PFT) instruction(s *Step) {
	security := e.stated.security
	e.waiting = append(e.waiting, waiting{at: s.At, instruction: s.Instruction})
	e.straight += uint32(s.Instruction.Size)
	switch {
	case !e.isWaypoint(s.Instruction.Flow):
		if e.straight > maxStraight || e.vary.chance(e.vary.Updates) {
			e.updateWaypoint()
			e.context(s)
		}
		return
	case s.Failed:
		e.atom(false)
	case s.Instruction.Flow == isa.Indirect:
		e.indirect(s)
	case s.Instruction.Flow == isa.Direct && (e.opt.BranchBroadcast || s.Next.Security != security):
		e.branch(s.Next)
		e.link(s, security)
	case s.Instruction.Flow == isa.Direct:
		e.atom(true)
		e.link(s, security)
	default: // barrier
		e.atom(true)
	}
	e.straight = 0
	e.context(s)
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
// stack has the target, with its instruction set and security state; else a branch
// packet, which leaves the stack alone (§4.13). The packet that says that it is an
// exception return follows.
func (e *PFT) indirect(s *Step) {
	security := e.stated.security
	if top := len(e.stack) - 1; top >= 0 && e.stack[top] == s.Next {
		e.stack = e.stack[:top]
		e.returnTo(s.Next)
		e.atom(true)
	} else {
		e.branch(s.Next)
	}
	e.link(s, security)
	if s.Instruction.Kind == schema.KindExceptionReturn && e.opt.Minor >= 1 {
		e.flush()
		e.truth.exceptionReturn(e.emit(pft.Packet{Kind: pft.ExceptionReturn}))
		e.timeDue = true
	}
}

// returnTo says that the last instruction takes its target from the return stack,
// which may change the security state (B.3.2).
func (e *PFT) returnTo(to Place) {
	if to.Security != e.stated.security {
		e.stated.security = to.Security
		e.waiting[len(e.waiting)-1].returned = schema.Of(to)
	}
}

// link pushes the return address of a branch with link, after what it popped.
// The oldest entry of a full stack goes. Of the security state it has what the
// stream had said of the branch, since that is what a decoder pushes (B.3.2): a
// change that no packet told yet may be told by the branch itself.
func (e *PFT) link(s *Step, security schema.Security) {
	if !s.Instruction.Link || !e.opt.ReturnStack || e.opt.ReturnStackDepth == 0 {
		return
	}
	if len(e.stack) == e.opt.ReturnStackDepth {
		e.stack = append(e.stack[:0], e.stack[1:]...)
	}
	entry := s.following()
	entry.Security = security
	e.stack = append(e.stack, entry)
}

// updateWaypoint upgrades the last instruction to a waypoint (§4.5.6).
func (e *PFT) updateWaypoint() {
	e.flush()
	last := e.waiting[len(e.waiting)-1].at
	e.tell(len(e.waiting), e.emit(e.waypointPacket(last)))
	e.stated.updated = last
	e.straight, e.waypointAt = 0, e.now
}

// atom traces the last instruction, a waypoint, as an atom: by itself with its
// cycles, or with up to four others (§4.5.3).
func (e *PFT) atom(executed bool) {
	e.settle(executed)
	if !executed {
		e.atoms |= 1 << e.atomsN
	}
	e.atomsN++
	if e.opt.CycleAccurate || e.atomsN == maxAtoms || e.vary.chance(e.vary.Atoms) {
		e.flush()
	}
}

const maxAtoms = 5

// settle gives the last instruction, a waypoint, its outcome: the next packet
// tells it.
func (e *PFT) settle(executed bool) {
	e.waiting[len(e.waiting)-1].executed = schema.Of(executed)
	e.settled, e.waypointAt = len(e.waiting), e.now
}

// flush sends the atoms that wait.
func (e *PFT) flush() {
	if e.atomsN == 0 {
		return
	}
	p := pft.Packet{Kind: pft.Atom, Atoms: e.atoms, AtomCount: e.atomsN}
	e.atoms, e.atomsN = 0, 0
	e.count(&p, e.now)
	e.tell(e.settled, e.emit(p))
}

// branch traces the last instruction, a waypoint, as a branch to a place
// (§4.5.4).
func (e *PFT) branch(to Place) {
	e.flush()
	e.settle(true)
	p := e.branchPacket(to, 0)
	e.count(&p, e.now)
	told := e.emit(p)
	e.tell(e.settled, told)
	e.arrive(to)
	e.tellContext(told, to.ISA)
}

// arrive makes a place the last one stated.
func (e *PFT) arrive(at Place) {
	e.stated.Place, e.stated.updated, e.stated.security = at, at, at.Security
}

// tell enters the first n waiting instructions into the truth.
func (e *PFT) tell(n int, by told) {
	e.truth.instructions(e.waiting[:n], by)
	e.waiting = append(e.waiting[:0], e.waiting[n:]...)
	e.settled = 0
}

// count gives p the cycles from the last count up to a time, if cycles are
// traced (§4.4).
func (e *PFT) count(p *pft.Packet, until uint64) {
	if !e.opt.CycleAccurate {
		return
	}
	p.CyclesTold, p.Cycles = true, uint32(min(until-e.counted, math.MaxUint32))
	p.CycleBytes = e.countBytes(p)
	e.counted = until
}

// countDue says whether the next count must be right: there is a stream that
// has counts, and what comes is not an I-sync whose count is unknown.
func (e *PFT) countDue() bool {
	return e.opt.CycleAccurate && e.bytes > 0 && (e.on || e.countKnown(e.reason))
}

// countKnown says whether the count of an I-sync means something. After
// overflow and Debug state it does in PFT 1.0 alone (§4.4).
func (e *PFT) countKnown(reason schema.ISyncReason) bool {
	return e.opt.Minor == 0 || reason == schema.ISyncTraceOn
}

// emit sends a packet, and returns what the rows it tells need to know of it.
func (e *PFT) emit(p pft.Packet) told {
	e.ignore()
	by := told{offset: e.bytes, cycles: schema.Null[uint32]{V: p.Cycles, OK: p.CyclesTold}, kind: countKinds[p.Kind]}
	e.send(p)
	return by
}

func (e *PFT) send(p pft.Packet) {
	e.buf = e.opt.Append(e.buf[:0], p)
	e.bytes += int64(len(e.buf))
	e.sinceSync += len(e.buf)
	if e.err == nil {
		_, e.err = e.out.Write(e.buf)
	}
}

// countKinds are the kinds of the counts in packets.
var countKinds = map[pft.Kind]schema.CountKind{
	pft.Atom: schema.CountAtom, pft.BranchAddress: schema.CountBranch,
	pft.ISync: schema.CountISync, pft.Timestamp: schema.CountTimestamp,
}
