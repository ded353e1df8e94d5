package pipestat

import (
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// Rows is where the truth of a stream of samples goes, and what its rows count. A
// place in the stream is the number of a sample.
type Rows struct {
	// CycleAccurate reports that instructions have cycles (ETMCR[12]).
	CycleAccurate bool

	out  truth.Rows
	rest truth.Rows // where rows go from the first cut after the lost samples on; nil: nothing is lost, or not any more
	lost int64      // samples, from the start of the stream

	synced  bool // there was a cut
	segment truth.Segment
	ordinal int32 // of the segment
	seq     int64 // of the next instruction

	restarts int
	epoch    int32
	cycle    int64 // of the epoch, up to the last instruction
	cost     int64 // samples since the last instruction
	counting bool  // there was an instruction since the last restart

	contextID schema.Null[uint32]
	context   schema.Null[truth.Context] // the last row
}

// NewRows returns the truth of a stream, or of what is left of it when its first
// samples are lost.
func NewRows(rows truth.Rows, lost int64) Rows {
	r := Rows{out: rows, lost: lost}
	if lost > 0 {
		r.out, r.rest = truth.NoRows(), rows
	}
	return r
}

// Tick counts a sample. It is called before the rows of what is in the sample.
func (r *Rows) Tick() { r.cost++ }

// begin makes rows of everything from here on, as if nothing came before.
func (r *Rows) begin() {
	*r = Rows{CycleAccurate: r.CycleAccurate, out: r.rest, lost: r.lost}
}

// Cut begins a segment at a sample. Samples before the first one are lost. It
// reports whether this is the first cut of what is left of the stream.
func (r *Rows) Cut(at int64, address uint32, reason schema.ISyncReason) (first bool) {
	if r.rest != nil && at >= r.lost {
		r.begin()
	}
	first = !r.synced
	if first {
		r.unsynced(at)
	} else {
		r.endSegment(at)
		r.ordinal++
	}
	r.synced = true
	r.segment = truth.Segment{Key: r.Key(at), Address: schema.Of(address), Reason: reason}
	return first
}

// unsynced enters the loss of the samples before the first cut.
func (r *Rows) unsynced(at int64) {
	if at > r.lost {
		r.out.Loss(&truth.Loss{Key: truth.Key{Offset: r.lost}, Bytes: at - r.lost, Reason: schema.LossUnsynced})
	}
}

// endSegment enters the segment that ends before a sample.
func (r *Rows) endSegment(at int64) {
	r.segment.Bytes = at - r.segment.Offset
	r.segment.BytesDecoded = r.segment.Bytes
	r.out.Segment(&r.segment)
}

// Close ends the last segment, in a stream of so many samples. If no segment began
// in what is left of it, all of that is lost.
func (r *Rows) Close(samples int64) {
	switch {
	case r.rest != nil:
		r.out = r.rest
		r.unsynced(samples)
	case r.synced:
		r.endSegment(samples)
	default:
		r.unsynced(samples)
	}
}

// Restart enters the event of a start of trace. The cycles of a new epoch are
// counted from the first instruction on (§6.4).
func (r *Rows) Restart(at int64, reason schema.ISyncReason, address uint32) {
	event := schema.EventTraceOn
	switch reason {
	case schema.ISyncOverflow:
		event = schema.EventOverflow
	case schema.ISyncDebugExit:
		event = schema.EventDebugExit
	default:
	}
	if r.restarts > 0 {
		r.epoch++
	}
	r.restarts++
	r.cycle, r.counting = 0, false
	r.Event(at, event, schema.Of(address), "")
}

// Key is the key of a row made by a sample, before the next instruction.
func (r *Rows) Key(at int64) truth.Key {
	return truth.Key{Seq: r.seq, Segment: schema.Null[int32]{V: r.ordinal, OK: r.synced}, Offset: at}
}

// Seq is the ordinal of the next instruction.
func (r *Rows) Seq() int64 { return r.seq }

// state is what rows share.
func (r *Rows) state() truth.State {
	return truth.State{
		Epoch: r.epoch, Cycle: schema.Null[int64]{V: r.cycle, OK: r.CycleAccurate},
		ContextID: r.contextID, Security: schema.Secure,
	}
}

// Event enters an event, unless it is before the first cut.
func (r *Rows) Event(at int64, kind schema.EventKind, address schema.Null[uint32], detail string) {
	if r.synced {
		r.out.Event(&truth.Event{Key: r.Key(at), Event: kind, Address: address, Detail: detail})
	}
}

// Instruction enters an instruction, whose status is in a sample, and returns its
// ordinal.
func (r *Rows) Instruction(at int64, place step.Place, in *isa.Instruction, executed bool) (seq int64) {
	cycles := r.count(at)
	row := truth.Instruction{
		Key: r.Key(at), State: r.state(),
		Address: place.Address, Size: in.Size, ISA: place.ISA, Opcode: in.Opcode, Kind: in.Kind,
		Executed: schema.Of(executed), Cycles: cycles,
	}
	row.Cycle.OK = cycles.OK
	if !cycles.OK {
		row.Cycle.V = 0
	}
	r.out.Instruction(&row)
	r.seq++
	r.segment.Instructions++
	return r.seq - 1
}

// count returns the cost of an instruction, which is known from the second one
// after a start on, and enters it in the ledger.
func (r *Rows) count(at int64) (cycles schema.Null[uint32]) {
	cost := r.cost
	r.cost = 0
	if !r.CycleAccurate {
		return cycles
	}
	if !r.counting {
		r.counting = true
		return cycles
	}
	r.cycle += cost
	if cost > 0 {
		r.out.CycleCount(&truth.CycleCount{
			Key: r.Key(at), Epoch: schema.Of(r.epoch), Cycle: schema.Of(r.cycle), Cycles: schema.Of(cost), Kind: schema.CountAtom,
		})
	}
	return schema.Of(uint32(cost))
}

// Return enters the return from an exception by the instruction before.
func (r *Rows) Return(at int64) {
	r.out.Exception(&truth.Exception{Key: r.Key(at), State: r.state(), Event: schema.ExceptionReturn})
}

// exceptionTypes are the exceptions by the offset of their vectors, over 4 (§6.3).
var exceptionTypes = [8]schema.Null[schema.ExceptionType]{
	schema.Of(schema.ExcReset), schema.Of(schema.ExcUndefined), schema.Of(schema.ExcSVC), schema.Of(schema.ExcPrefetchAbort),
	schema.Of(schema.ExcDataAbort),
	{},
	schema.Of(schema.ExcIRQ), schema.Of(schema.ExcFIQ),
}

// Vector returns the exception whose vector a place is, with vectors at base. Any
// branch there is taken for one (§6.3).
func Vector(p step.Place, base uint32) (schema.ExceptionType, bool) {
	offset := p.Address - base
	if p.ISA != schema.A32 || offset > 0x1C || offset%4 != 0 {
		return 0, false
	}
	x := exceptionTypes[offset/4]
	return x.V, x.OK
}

// Exception enters an exception by a branch to a vector, whose sample is given.
// That of a reset has no return address.
func (r *Rows) Exception(at int64, x schema.ExceptionType, target uint32, returns schema.Null[uint32]) {
	if x == schema.ExcReset {
		returns = schema.Null[uint32]{}
	}
	r.out.Exception(&truth.Exception{
		Key: r.Key(at), State: r.state(), Event: schema.ExceptionEntry,
		Number: schema.Of(uint16(target & 0x1F / 4)), Type: schema.Of(x), ReturnAddress: returns, Target: schema.Of(target),
	})
	r.segment.Exceptions++
}

// Context makes id the Context ID from the next instruction on, and enters its row
// if that is news.
func (r *Rows) Context(at int64, id uint32, state schema.ISA) {
	r.contextID = schema.Of(id)
	if !r.synced || r.context.OK && r.context.V.ContextID == r.contextID {
		return
	}
	r.context = schema.Of(truth.Context{Key: r.Key(at), ContextID: r.contextID, Security: schema.Secure, ISA: schema.Of(state)})
	r.out.Context(&r.context.V)
}

// DataAccess enters a row of data_accesses.
func (r *Rows) DataAccess(row *truth.DataAccess) { r.out.DataAccess(row) }
