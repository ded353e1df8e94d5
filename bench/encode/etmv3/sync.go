package etmv3

import (
	"math"
	"math/bits"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth"
	codec "github.com/tracelake/tracelake/decode/etmv3"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file is what an ETM sends beside the flow of the program:
// synchronisation, restarts of trace, context and time.

// syncDue is the synchronisation that waits to be sent.
type syncDue struct {
	bytes, cycles uint64              // since the last A-sync
	isync         schema.Null[uint64] // how many bytes after it the I-sync shall be
	timestamp     bool                // a whole one
	late          schema.Null[lateCount]
}

// A lateCount is a cycle count for an I-sync that had none.
type lateCount struct {
	seq    int64 // of the first instruction after the I-sync
	reason schema.ISyncReason
	cycles uint32 // 0: unknown
}

// enter turns trace on at s, or at a load or store before s that is still in
// progress.
func (e *Encoder) enter(s *step.Step) {
	if e.reason != schema.ISyncOverflow || !e.vary.Happens(e.vary.LateCounts) {
		e.lateCount()
	}
	e.sync.late.OK = false
	if e.truth.bytes == 0 || e.vary.Happens(e.vary.Sync) {
		e.aSync()
	}
	if e.vary.Happens(e.vary.Ignore) {
		e.emit(codec.Packet{Kind: codec.Ignore})
		e.trigger()
	}
	e.on = true
	d, inProgress := e.inProgress(s)
	switch {
	case !inProgress:
		e.restart(s.At, s, nil)
		e.afterISync(s)
	case e.vary.UpTo(1) == 0:
		e.restart(d.At, s, &d)
		e.afterISync(s)
		e.instructionData(&d)
	default:
		// The instruction now executing is not known yet: a branch packet will have
		// its address.
		if e.gap > 0 {
			e.gap--
			e.cost(1)
		}
		e.restart(d.At, s, nil)
		e.afterISync(s)
		e.execute(&d)
		e.owes = true
	}
}

// inProgress is the load or store before s that is traced as in progress.
func (e *Encoder) inProgress(s *step.Step) (step.Step, bool) {
	d := e.last.V
	if !e.last.OK || s.Entered || e.opt.DataOnly || e.isTwo(&d) || !e.vary.Happens(e.vary.LSiP) {
		return step.Step{}, false
	}
	d.Trace = step.Traced
	return d, !d.Failed && d.Instruction.Flow == isa.None && d.Next == s.At && e.isDataInstruction(&d)
}

// restart sends a non-periodic I-sync for a place, with the context of s;
// implied is as in iSync.
func (e *Encoder) restart(at step.Place, s, implied *step.Step) {
	var count schema.Null[uint32]
	if e.countsCycles() {
		if e.gap <= math.MaxUint32 {
			count = schema.Of(uint32(e.gap))
		}
		count.OK = true
	}
	late := lateCount{e.truth.Seq, e.reason, count.V}
	if e.vary.Happens(e.vary.LateCounts) {
		switch e.vary.UpTo(2) {
		case 0:
			count.V = 0
		default:
			e.sync.late = schema.Null[lateCount]{V: late, OK: count.OK}
			count.OK = false
		}
	}
	e.stated.instruction.OK = false
	e.iSync(e.reason, at, s.ContextID, count, implied)
	e.gap, e.reason = 0, schema.ISyncTraceOn
	e.data.sync = true
	e.sync.timestamp = true
}

// afterISync sends the state that an I-sync does not have.
func (e *Encoder) afterISync(s *step.Step) {
	if e.opt.TraceVMID && (s.VMID != 0 || e.truth.VMID.OK || !e.vary.Happens(e.vary.Sync)) {
		e.vmid(s.VMID)
	}
	if e.sync.timestamp && !e.vary.Happens(e.vary.Timestamps) {
		e.timestamp(true)
	}
}

// aSync sends an A-sync.
func (e *Encoder) aSync() {
	p := codec.Packet{Kind: codec.ASync, Len: 6}
	if e.vary.Happens(e.vary.Longer) {
		p.Len += e.vary.UpTo(20)
	}
	e.emit(p)
	e.truth.asynced = true
	e.truth.CutsFrom(e.truth.bytes - encode.MinASync)
	e.sync.bytes, e.sync.cycles = 0, 0
	e.sync.timestamp, e.data.sync = true, true
	if e.vary.Happens(e.vary.Timestamps) {
		e.timestamp(true)
	}
}

// iSync sends an I-sync for a place (§3.5) and enters its rows. With LSiP the place
// is that of implied, the load or store in progress, and the instruction after it
// is executing.
func (e *Encoder) iSync(reason schema.ISyncReason, place step.Place, contextID uint32, count schema.Null[uint32],
	implied *step.Step,
) {
	p := codec.Packet{
		Kind: codec.ISync, Reason: reason, ContextID: encode.ContextIDBits(contextID, e.opt.ContextIDBytes),
		NS: place.Security != schema.Secure, Hyp: place.Security == schema.Hyp,
	}
	if e.opt.DataOnly {
		place = step.Place{Security: place.Security}
	} else {
		p.Address, p.ISA, p.AltISA = place.Address, place.ISA, place.ISA == schema.T32EE
	}
	if count.OK {
		p.HasCycles, p.Cycles = true, count.V
		p.CycleBytes = e.vary.Bytes(e.vary.Longer, sevens(count.V), encode.MaxAddressBytes)
	}
	e.stated.Place, e.truth.Security, e.stated.altISA = place, place.Security, p.AltISA
	e.stated.packetISA, e.stated.packetAltISA = place.ISA, p.AltISA
	if implied != nil {
		p.LSiP, p.Branch = true, e.branchTo(implied.Next, codec.Branch{})
	}
	at := e.emit(p)
	address := schema.Null[schema.Address]{V: place.Address, OK: !e.opt.DataOnly}
	if first := e.cut(at, address, reason); first || reason != schema.ISyncPeriodic {
		e.traceOn(at, reason, count)
	}
	if e.opt.ContextIDBytes > 0 {
		e.truth.ContextID = schema.Of(p.ContextID)
	}
	e.contextRow(at)
	if implied != nil {
		e.instructionRow(at, place, &implied.Instruction, false)
		e.stated.instruction = schema.Of(place.Address)
		e.arrive(p.Branch, implied.Next)
		e.contextRow(at)
	}
	e.stated.reached = schema.Null[schema.Address]{V: e.stated.Address, OK: !e.opt.DataOnly}
	e.stated.after = afterISync
}

// traceOn enters the restart by the I-sync at an offset, and its count (§5).
func (e *Encoder) traceOn(at int64, reason schema.ISyncReason, count schema.Null[uint32]) {
	e.commitData(reason != schema.ISyncOverflow)
	var address schema.Null[schema.Address]
	if !e.opt.DataOnly {
		address = schema.Of(e.stated.Address)
	}
	e.truth.since = 0
	cycles := e.opt.counted(reason, count.V)
	e.truth.Restart(at, reason, address, schema.Null[encode.GapCount]{V: cycles, OK: count.OK})
}

// counted is the number of cycles in a count that belongs to an I-sync of the given
// reason: NULL where it is 0, and where the version does not count (§5).
func (o *Options) counted(reason schema.ISyncReason, count uint32) schema.Null[int64] {
	overflow := reason == schema.ISyncOverflow
	unknown := count == 0 || o.Minor == 5 && overflow || o.Minor == 0 && (overflow || reason == schema.ISyncDebugExit)
	if unknown {
		return schema.Null[int64]{}
	}
	return schema.Of(int64(count))
}

// lateCount sends the count that the last non-periodic I-sync did not have.
func (e *Encoder) lateCount() {
	if !e.sync.late.OK {
		return
	}
	late := e.sync.late.V
	e.sync.late.OK = false
	e.flush()
	at := e.emit(codec.Packet{
		Kind: codec.CycleCount, HasCycles: true, Cycles: late.cycles,
		CycleBytes: e.vary.Bytes(e.vary.Longer, sevens(late.cycles), encode.MaxAddressBytes),
	})
	row := truth.CycleCount{
		Key: e.truth.Key(at), Cycles: e.opt.counted(late.reason, late.cycles), Kind: schema.CountGap,
		Late: true,
	}
	row.Seq = late.seq
	e.truth.Rows.CycleCount(&row)
}

// sevens is how many bytes of seven bits a number takes.
func sevens(v uint32) uint8 { return uint8(max(1, (bits.Len32(v)+6)/7)) }
