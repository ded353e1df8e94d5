package pipestat

import (
	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// Rows is the truth of a stream of samples.
type Rows struct {
	encode.Recorder
	cost     int64 // samples since the last instruction
	counting bool  // there was an instruction since the last restart
}

// newRows returns the truth of a stream, or of what is left of it when its first
// samples are lost. cycles reports that instructions have cycles (ETMCR[12]).
func newRows(rows truth.Rows, lost int64, cycles bool) Rows {
	return Rows{Recorder: encode.NewRecorder(rows, lost, cycles)}
}

// Tick counts a sample. It is called before the rows of what is in the sample.
func (r *Rows) Tick() { r.cost++ }

// Cut begins a segment at a sample. Samples before the first one are lost. It
// reports whether this is the first cut of what is left of the stream.
func (r *Rows) Cut(at int64, address schema.Address, reason schema.ISyncReason) (first bool) {
	if r.CutsFrom(at); r.Begins() {
		r.cost, r.counting = 0, false
	}
	return r.Recorder.Cut(at, schema.Of(address), reason)
}

// Restart enters the event of a start of trace. The cycles of a new epoch are
// counted from the first instruction on (§6.4).
func (r *Rows) Restart(at int64, reason schema.ISyncReason, address schema.Address) {
	r.Recorder.Restart(at, reason, schema.Of(address), schema.Null[encode.GapCount]{})
	r.counting = false
}

// Instruction enters an instruction, whose status is in a sample, and returns its
// ordinal.
func (r *Rows) Instruction(at int64, place step.Place, in *isa.Instruction, executed bool) (seq int64) {
	cycles := r.count(at)
	return r.Recorder.Instruction(at, place, in, schema.Of(executed), cycles)
}

// count returns the cost of an instruction, which is known from the second one
// after a start on, and enters it in the ledger.
func (r *Rows) count(at int64) (cycles schema.Null[uint32]) {
	cost := r.cost
	r.cost = 0
	if !r.Cycle.OK {
		return cycles
	}
	if !r.counting {
		r.counting = true
		return cycles
	}
	r.Cycle.V += cost
	if cost > 0 {
		r.Count(r.Key(at), schema.CountAtom, cost)
	}
	return schema.Of(uint32(cost))
}

// exceptionTypes are the exceptions by the offset of their vectors, over 4 (§6.3).
var exceptionTypes = [8]schema.Null[schema.ExceptionType]{
	schema.Of(schema.ExcReset), schema.Of(schema.ExcUndefined), schema.Of(schema.ExcSVC),
	schema.Of(schema.ExcPrefetchAbort), schema.Of(schema.ExcDataAbort),
	{},
	schema.Of(schema.ExcIRQ), schema.Of(schema.ExcFIQ),
}

// vector returns the exception whose vector a place is, with vectors at base. Any
// branch there is taken for one (§6.3).
func vector(p step.Place, base schema.Address) (schema.ExceptionType, bool) {
	offset := p.Address - base
	if p.ISA != schema.A32 || offset > 0x1C || offset%4 != 0 {
		return 0, false
	}
	x := exceptionTypes[offset/4]
	return x.V, x.OK
}

// Exception enters an exception by a branch to a vector, whose sample is given.
// That of a reset has no return address.
func (r *Rows) Exception(at int64, x schema.ExceptionType, target schema.Address, returns schema.Null[schema.Address]) {
	if x == schema.ExcReset {
		returns = schema.Null[schema.Address]{}
	}
	r.Recorder.Exception(at, truth.Exception{
		Event: schema.ExceptionEntry, Number: schema.Of(uint16(target & 0x1F / 4)), Type: schema.Of(x),
		ReturnAddress: returns, Target: schema.Of(target),
	})
}

// Context makes id the Context ID from the next instruction on, and enters its row
// if that is news.
func (r *Rows) Context(at int64, id uint32, state schema.ISA) {
	r.ContextID = schema.Of(id)
	r.Recorder.Context(at, schema.Of(state))
}
