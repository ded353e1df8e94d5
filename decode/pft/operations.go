package pft

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file is appendix B.3: one function for each operation, by its name.

// restart sets LastState and CurrentState from an I-sync and empties the return
// stack: what analyze_isync() does whatever came before.
func (d *Decoder) restart(p *Packet) {
	d.address, d.isa, d.halted = p.Address, p.ISA, false
	d.Rec.NS, d.Rec.Hyp = p.NS, p.Hyp
	if d.cfg.ContextIDBytes > 0 {
		d.Rec.ContextID = schema.Of(p.ContextID)
	}
	d.EnterProcess()
	d.Walk.EmptyStack()
	d.Walk.Goto(decode.PC{Address: p.Address, ISA: p.ISA}, d.Rec.Security())
	d.recordContext(d.isa)
}

// analyzeISync is analyze_isync() for an I-sync inside a segment (§4.5.2).
func (d *Decoder) analyzeISync(p *Packet) {
	start := d.cfg.segmentStart(p, d.Offset)
	if p.Reason != schema.ISyncPeriodic {
		d.Rec.Restart(start, d.Walk.Seq)
	} else {
		reached := schema.Null[decode.Position]{V: decode.Position{PC: d.Walk.PC()}, OK: d.Walk.Known()}
		d.Rec.Periodic(d.Key(), reached, start.At.V)
	}
	d.restart(p)
}

// analyzeAtomHeader is analyze_atomheader().
func (d *Decoder) analyzeAtomHeader(p *Packet) {
	placed := true
	for i := uint8(0); i < p.AtomCount; i++ {
		executed := p.Atoms>>i&1 == 0
		if d.toWaypoint(p, executed) != flow.Arrived {
			placed = false
			break
		}
		d.leaveWaypoint(executed)
	}
	if !placed {
		d.Rec.Segment.Row.BytesUnplaced += int64(p.Len)
	}
	if p.HasCycles {
		d.countWaypoint(p, schema.CountAtom, placed)
	}
}

// leaveWaypoint continues after the waypoint of an atom.
func (d *Decoder) leaveWaypoint(executed bool) {
	w := d.Walk.Waypoint()
	switch {
	case !executed || w.Flow == isa.Barrier || w.Flow == isa.DataBarrier:
		d.Walk.Pass()
	case w.Flow == isa.Direct:
		if w.Link() && d.cfg.ReturnStack {
			d.Walk.Push()
		}
		d.Walk.Take()
	default:
		d.returnByStack()
	}
}

// returnByStack handles the E atom of an indirect branch: address, instruction set
// and security state of its target come from the return stack (§4.13, B.3.2).
func (d *Decoder) returnByStack() {
	if d.cfg.ReturnStack {
		if security, ok := d.Walk.Return(); ok {
			d.enterSecurity(security)
			return
		}
	}
	at := d.Walk.WaypointAddress()
	d.Walk.Lose()
	detail := "E atom on an indirect branch, but nothing fitting on the return stack"
	if !d.cfg.ReturnStack {
		detail = "E atom on an indirect branch, but the return stack is off"
	}
	d.Inconsistent(at, detail)
}

// enterSecurity sets the security state.
func (d *Decoder) enterSecurity(to schema.Security) {
	if to == d.Rec.Security() {
		return
	}
	d.Rec.SetSecurity(to)
	d.recordContext(d.Walk.ISA())
}

// branchNoExcp is branch_no_excp(): the packet is the E atom of the next
// waypoint, and its target. The return stack is not popped.
func (d *Decoder) branchNoExcp(p *Packet) {
	straight := d.Walk.PC()
	stop := d.toWaypoint(p, true)
	d.compareBranch(p, stop, straight)
	placed := stop == flow.Arrived
	if !placed {
		d.Rec.Segment.Row.BytesUnplaced += int64(p.Len)
	} else if d.cfg.ReturnStack && d.Walk.Waypoint().Link() {
		d.Walk.Push()
	}
	if p.HasCycles {
		d.countWaypoint(p, schema.CountBranch, placed)
	}
	d.branchTo(p)
}

// compareBranch counts whether a branch packet agrees with the instruction that it
// follows. The walk from straight to that instruction ended with stop.
func (d *Decoder) compareBranch(p *Packet, stop flow.Stop, straight decode.PC) {
	q := &d.Rec.Segment.Quality
	switch {
	case stop == flow.Missing:
		q.BranchesUnplaced++
		return
	case stop == flow.Arrived && d.Walk.Waypoint().Flow == isa.Indirect:
		q.IndirectBranch()
		return
	}
	state := d.branchISA(p)
	m := decode.Miss{Offset: d.Offset, Expected: straight, Found: decode.PC{Address: d.resolve(p, state), ISA: state}}
	if stop == flow.Arrived {
		m.After, m.Expected = schema.Of(d.Walk.WaypointAddress()), d.Walk.Onward()
	}
	q.Branch(m)
}

// branchWithExcp is branch_with_excp().
func (d *Decoder) branchWithExcp(p *Packet) {
	var returnTo schema.Null[schema.Address]
	if d.Walk.Known() {
		returnTo = schema.Of(d.Walk.PC().Address)
	}
	if p.HasCycles {
		d.count(p.Cycles, schema.CountBranch, d.Walk.Seq)
	}
	x := schema.Exception{
		Key: d.Key(), Number: schema.Of(p.Exception),
		Type: schema.Of(decode.ExceptionType(p.Exception)), ReturnAddress: returnTo,
		Cycles: schema.Null[uint32]{V: p.Cycles, OK: p.HasCycles},
	}
	if p.Exception == debugEntry {
		// The state fields are not valid (§5.3.8). An I-sync follows where the
		// core resumes.
		x.Target = schema.Of(d.resolve(p, d.branchISA(p)))
		d.halted = true
		d.Walk.Lose()
	} else {
		d.branchTo(p)
		x.Target = schema.Of(d.address)
	}
	d.Rec.Enter(x)
}

// debugEntry is the exception number of an entry to Debug state (§5.3.8).
const debugEntry = 1

// branchTo sets LastState and CurrentState from a branch packet.
func (d *Decoder) branchTo(p *Packet) {
	d.isa = d.branchISA(p)
	d.address = d.resolve(p, d.isa)
	d.branchContext(p)
	switch {
	case d.halted:
	case d.isa == schema.Jazelle:
		d.Rec.Event(d.Key(), schema.EventJazelle, schema.Of(d.address),
			"Jazelle state: nothing is traced up to the next I-sync")
		d.halted = true
		d.Walk.Lose()
	default:
		d.Walk.Goto(decode.PC{Address: d.address, ISA: d.isa}, d.Rec.Security())
	}
}

// branchISA returns the instruction set at the target of a branch packet: a
// fifth address byte states it, AltISA makes Thumb ThumbEE. Without information
// byte a five-byte Thumb address is plain Thumb (§4.5.2, §4.5.4).
func (d *Decoder) branchISA(p *Packet) schema.ISA {
	state := d.currentISA()
	if p.AddressBytes == 5 {
		state = p.ISA
	}
	if p.Info == 0 || state != schema.T32 && state != schema.T32EE {
		return state
	}
	if p.AltISA {
		return schema.T32EE
	}
	return schema.T32
}

// branchContext applies the security state and mode in the information bytes.
// Fields that are not sent do not change.
func (d *Decoder) branchContext(p *Packet) {
	before := d.Rec.Security()
	if p.Info > 0 {
		d.Rec.NS = p.NS
	}
	if p.Info > 1 {
		d.Rec.Hyp = p.Hyp
	}
	if d.Rec.Security() != before {
		d.recordContext(d.isa)
	}
}

// analyzeWaypointUpdate is analyze_waypoint_update(). The printed procedure
// returns without stepping over the instruction; taken literally, the instruction
// would be output again when execution continues, and return addresses would be
// one instruction early.
func (d *Decoder) analyzeWaypointUpdate(p *Packet) {
	if !d.Walk.Known() {
		d.Rec.Segment.Row.BytesUnplaced += int64(p.Len)
		return
	}
	target := d.resolve(p, d.branchISA(p))
	d.Rec.Settle()
	switch d.Walk.UpTo(target, &flow.Source{Offset: d.Offset}) {
	case flow.Arrived:
	case flow.Missing:
		d.unmapped()
		d.Rec.Segment.Row.BytesUnplaced += int64(p.Len)
	case flow.Endless:
		d.endless()
		d.Rec.Segment.Row.BytesUnplaced += int64(p.Len)
	case flow.Overshot:
		d.Inconsistent(d.Walk.PC().Address, "waypoint before the waypoint update's target "+target.Hex())
	}
}

// analyzeCID is analyze_cid() (§4.5.7): it applies to what is output after the
// packet.
func (d *Decoder) analyzeCID(p *Packet) {
	d.Rec.ContextID = schema.Of(p.ContextID)
	d.EnterProcess()
	d.recordContext(d.currentISA())
}

// analyzeVMID is analyze_vmid().
func (d *Decoder) analyzeVMID(p *Packet) {
	d.Rec.VMID = schema.Of(uint32(p.VMID))
	d.recordContext(d.currentISA())
}

// analyzeERet is analyze_eret(): the branch already output was an exception
// return.
func (d *Decoder) analyzeERet() { d.Rec.Return(d.Key()) }

// analyzeTimestamp is analyze_timestamp() (§4.14).
func (d *Decoder) analyzeTimestamp(p *Packet) {
	if p.HasCycles {
		d.count(p.Cycles, schema.CountTimestamp, d.Walk.Seq)
	}
	d.Rec.Timestamp(d.Key(), p.Timestamp, d.cfg.TimestampCode().BitsSent(p.TimestampBytes), p.ClockChange)
}

// toWaypoint walks to the next waypoint and outputs it with its outcome. If the
// position is unknown it returns Missing. If the walk does not arrive, it returns
// another stop, and the position becomes unknown.
func (d *Decoder) toWaypoint(p *Packet, executed bool) flow.Stop {
	if !d.Walk.Known() {
		return flow.Missing
	}
	d.Rec.Settle()
	source := flow.Source{Offset: d.Offset}
	if p.HasCycles {
		source.Cycles, source.Cycle, source.Flags = p.Cycles, d.Rec.Cycle+int64(p.Cycles), schema.RunHasCycles
	}
	stop := d.Walk.ToWaypoint(&source, executed)
	switch stop {
	case flow.Missing:
		d.unmapped()
	case flow.Endless:
		d.endless()
	}
	return stop
}

// unmapped records that the walk reached an instruction that is in no image.
func (d *Decoder) unmapped() {
	d.Unmapped(d.Walk.MissingAddress())
	d.Walk.Lose()
}

func (d *Decoder) endless() {
	d.Inconsistent(d.Walk.PC().Address, "no waypoint in straight code: wrong program image?")
	d.Walk.Lose()
}

// resolve returns the address of a packet: bits that are not sent are those of
// LastState (§4.5.2).
func (d *Decoder) resolve(p *Packet, state schema.ISA) schema.Address {
	var shift uint8
	switch state {
	case schema.A32:
		shift = 2
	case schema.T32, schema.T32EE:
		shift = 1
	case schema.Jazelle:
	}
	bits := p.AddressBits + shift
	if bits >= 32 {
		return (p.Address << shift).In32()
	}
	return d.address&^(1<<bits-1) | p.Address<<shift
}

// currentISA returns the instruction set of a short address: that of CurrentState,
// which direct branches and the return stack change too.
func (d *Decoder) currentISA() schema.ISA {
	if d.Walk.Known() {
		return d.Walk.ISA()
	}
	return d.isa
}

// countWaypoint records the count of an atom or branch packet: the cost of its
// waypoint, or of no instruction if the waypoint could not be placed.
func (d *Decoder) countWaypoint(p *Packet, kind schema.CountKind, placed bool) {
	seq := d.Walk.Seq
	if placed {
		seq-- // the ordinal of the last instruction in the packet
	}
	d.count(p.Cycles, kind, seq)
}

// count adds cycles to the ledger (§4.4: every count is the cycles since the
// previous count).
func (d *Decoder) count(cycles uint32, kind schema.CountKind, seq int64) {
	d.Rec.Cycle += int64(cycles)
	d.Rec.Count(schema.Key{Seq: seq, Offset: d.Offset}, int64(cycles), kind)
}

// recordContext records the context from here on.
func (d *Decoder) recordContext(state schema.ISA) {
	d.Rec.RecordContext(d.Key(), schema.Of(state))
}
