package etmv3

import (
	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// stated is what the stream stated last, beside the state of the rows: the state from
// which a decoder continues.
type stated struct {
	// Place has the address that addresses are compressed against, and the
	// instruction set and security state of the program flow.
	step.Place
	altISA bool
	// packetISA and packetAltISA are those of the last packet that had them; a
	// direct branch may have changed the flow's since (§4.2).
	packetISA    schema.ISA
	packetAltISA bool
	// reached is the address the flow has reached; NULL after an indirect branch.
	reached schema.Null[schema.Address]
	after   after
	// instruction is the address of the last instruction since the last restart.
	instruction schema.Null[schema.Address]
	popped      bool   // the last return had its stack frame traced
	timestamp   uint64 // as sent
}

// after is what the last packet or atom of the flow was.
type after uint8

const (
	afterISync after = iota
	afterAtom
	afterBranch
)

// rowWriter is where the rows go, and what they count.
type rowWriter struct {
	encode.Recorder
	bytes   int64  // of the stream
	asynced bool   // an A-sync since the last cut: the next I-sync is one
	since   uint64 // Ws since the last instruction's atom
	// pendingReturn is a return that an exception of v7-M may still cancel.
	pendingReturn schema.Null[truth.Exception]
}

// countsCycles says whether the stream has cycles.
func (e *Encoder) countsCycles() bool { return e.opt.CycleAccurate && !e.opt.DataOnly }

// event enters an event, unless it is before the first cut.
func (t *rowWriter) event(at int64, kind schema.EventKind, address schema.Null[schema.Address]) {
	t.Event(at, kind, address, "")
}

// instructionRow enters the instruction that the packet at an offset traces.
func (e *Encoder) instructionRow(at int64, place step.Place, in *isa.Instruction, failed bool) {
	t := &e.truth
	t.Instruction(at, place, in, schema.Of(!failed), schema.Null[uint32]{V: uint32(t.since), OK: t.Cycle.OK})
	t.since = 0
}

// deferReturn keeps the row of an exception return pending until it is certain.
func (t *rowWriter) deferReturn(at int64) {
	t.pendingReturn = schema.Of(truth.Exception{Key: t.Key(at), State: t.State, Event: schema.ExceptionReturn})
}

// commitReturn enters the row of the exception return that is pending.
func (t *rowWriter) commitReturn() {
	if t.pendingReturn.OK {
		t.Rows.Exception(&t.pendingReturn.V)
		t.pendingReturn.OK = false
	}
}

// contextRow enters the context, if the packet at an offset changed it.
func (e *Encoder) contextRow(at int64) {
	e.truth.Context(at, schema.Null[schema.ISA]{V: e.stated.ISA, OK: !e.opt.DataOnly})
}

// cut makes the I-sync at an offset one at which decoding may start, if an A-sync came
// before it. It reports whether it is the first one, of the stream or of its rest.
func (e *Encoder) cut(at int64, address schema.Null[schema.Address], reason schema.ISyncReason) (first bool) {
	t := &e.truth
	if !t.asynced {
		return false
	}
	if t.Begins() {
		e.commitData(true)
		t.pendingReturn.OK, e.stated.instruction.OK = false, false
	}
	t.asynced, e.sync.isync.OK = false, false
	return t.Cut(at, address, reason)
}
