package etmv3

import (
	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// stated is what the stream stated last: the state from which a decoder continues.
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
	reached schema.Null[uint32]
	after   after
	// instruction is the address of the last instruction since the last restart.
	instruction schema.Null[uint32]
	popped      bool // the last return had its stack frame traced

	contextID schema.Null[uint32]
	vmid      schema.Null[uint8]

	timestamp      uint64 // as sent
	timestampBits  uint8  // of it, from the low end, that were sent
	timestampValue schema.Null[uint64]
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
	rows      truth.Rows
	bytes     int64 // of the stream
	remainder encode.Remainder

	asynced  bool // an A-sync since the last cut: the next I-sync is one
	synced   bool // there was a cut
	segment  truth.Segment
	ordinal  int32 // of the segment
	seq      int64 // of the next instruction
	restarts int   // non-periodic I-syncs
	epoch    int32
	cycle    int64  // of the epoch
	since    uint64 // Ws since the last instruction's atom

	context schema.Null[truth.Context] // the last row
	// pendingReturn is a return that an exception of v7-M may still cancel.
	pendingReturn schema.Null[truth.Exception]
}

// newRowWriter returns the truth of a stream, or what is left of it.
func newRowWriter(rows truth.Rows, lost int64) rowWriter {
	var t rowWriter
	t.remainder, t.rows = encode.NewRemainder(rows, lost)
	return t
}

// async says that an A-sync was sent.
func (t *rowWriter) async() { t.asynced, t.remainder.AsyncEnd = true, t.bytes }

// beginRest makes rows of everything from the I-sync just sent on, as if nothing
// came before; the I-sync's own state holds.
func (e *Encoder) beginRest() {
	e.commitData(true)
	t := &e.truth
	*t = rowWriter{rows: t.remainder.Rest, bytes: t.bytes, asynced: true, remainder: encode.Remainder{Lost: t.remainder.Lost}}
	e.stated.instruction.OK, e.stated.vmid.OK = false, false
	e.stated.timestampBits, e.stated.timestampValue = 0, schema.Null[uint64]{}
}

// key is the key of a row made by the packet at an offset, before the next
// instruction.
func (t *rowWriter) key(at int64) truth.Key {
	return truth.Key{Seq: t.seq, Segment: schema.Null[int32]{V: t.ordinal, OK: t.synced}, Offset: at}
}

// state is what rows share at the current place of the stream.
func (e *Encoder) state() truth.State {
	return truth.State{
		Epoch: e.truth.epoch, Cycle: e.cycleNow(), Timestamp: e.stated.timestampValue,
		ContextID: e.stated.contextID, VMID: e.stated.vmid, Security: e.stated.Security,
	}
}

func (e *Encoder) cycleNow() schema.Null[int64] {
	if !e.countsCycles() {
		return schema.Null[int64]{}
	}
	return schema.Of(e.truth.cycle)
}

// countsCycles says whether the stream has cycles.
func (e *Encoder) countsCycles() bool { return e.opt.CycleAccurate && !e.opt.DataOnly }

// event enters an event, unless it is before the first cut.
func (t *rowWriter) event(at int64, kind schema.EventKind, address schema.Null[uint32]) {
	if t.synced {
		t.rows.Event(&truth.Event{Key: t.key(at), Event: kind, Address: address})
	}
}

// instructionRow enters the instruction that the packet at an offset traces.
func (e *Encoder) instructionRow(at int64, place step.Place, in *isa.Instruction, failed bool) {
	t := &e.truth
	row := truth.Instruction{
		Key: t.key(at), State: e.state(),
		Address: place.Address, Size: in.Size, ISA: place.ISA, Opcode: in.Opcode, Kind: in.Kind, Executed: schema.Of(!failed),
	}
	if e.countsCycles() {
		row.Cycles = schema.Of(uint32(t.since))
	}
	t.since = 0
	t.rows.Instruction(&row)
	t.seq++
	t.segment.Instructions++
}

// ledger enters cycles of the packet at an offset; the sum of the epoch has them.
func (t *rowWriter) ledger(at, seq int64, kind schema.CountKind, cycles int64) {
	row := truth.CycleCount{Key: t.key(at), Epoch: schema.Of(t.epoch), Cycle: schema.Of(t.cycle), Cycles: schema.Of(cycles), Kind: kind}
	row.Seq = seq
	t.rows.CycleCount(&row)
}

// exceptionRow enters a row, with the key and state of the packet at an offset.
func (e *Encoder) exceptionRow(at int64, row *truth.Exception) {
	row.Key, row.State = e.truth.key(at), e.state()
	if row.Event == schema.ExceptionEntry {
		e.truth.segment.Exceptions++
	}
	e.truth.rows.Exception(row)
}

// deferReturn keeps the row of an exception return pending until it is certain.
func (e *Encoder) deferReturn(at int64) {
	e.truth.pendingReturn = schema.Of(truth.Exception{Key: e.truth.key(at), State: e.state(), Event: schema.ExceptionReturn})
}

// commitReturn enters the row of the exception return that is pending.
func (t *rowWriter) commitReturn() {
	if t.pendingReturn.OK {
		t.rows.Exception(&t.pendingReturn.V)
		t.pendingReturn.OK = false
	}
}

// contextRow enters the context, if the packet at an offset changed it.
func (e *Encoder) contextRow(at int64) {
	if !e.truth.synced {
		return
	}
	row := truth.Context{
		Key: e.truth.key(at), ContextID: e.stated.contextID, VMID: e.stated.vmid, Security: e.stated.Security, ISA: schema.Null[schema.ISA]{V: e.stated.ISA, OK: !e.opt.DataOnly},
	}
	last := &e.truth.context
	if last.OK && last.V.ContextID == row.ContextID && last.V.VMID == row.VMID && last.V.Security == row.Security {
		return
	}
	*last = schema.Of(row)
	e.truth.rows.Context(&row)
}

// cut begins a segment with the I-sync at an offset. Bytes before the first cut
// are lost.
func (t *rowWriter) cut(at int64, address schema.Null[uint32], reason schema.ISyncReason) {
	switch {
	case t.synced:
		t.endSegment(at)
		t.ordinal++
	default:
		t.remainder.Unsynced(t.rows, at)
	}
	t.synced, t.asynced = true, false
	t.segment = truth.Segment{Key: t.key(at), Address: address, Reason: reason}
}

// endSegment enters the segment that ends before an offset.
func (t *rowWriter) endSegment(at int64) {
	t.segment.Bytes = at - t.segment.Offset
	t.segment.BytesDecoded = t.segment.Bytes
	t.rows.Segment(&t.segment)
}

// finishSegment ends the last segment. If no segment began in what is left of the
// stream, all of it is lost.
func (e *Encoder) finishSegment() {
	t := &e.truth
	if t.synced {
		t.endSegment(t.bytes)
	}
	t.remainder.End(t.bytes)
}
