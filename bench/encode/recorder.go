package encode

import (
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// A Recorder makes the truth of a stream: it has what the rows count, and the state that
// they share. A place in the stream, which methods are given, is the number of a unit: a
// byte, or a sample.
//
// If the first units of the stream are lost, the truth is that of the rest: rows begin
// with the first cut of which enough is left, as if nothing came before.
type Recorder struct {
	Rows truth.Rows // for rows that are whole
	// State is what the stream has stated up to now. Cycle.V counts, whether or not
	// rows have cycles.
	truth.State
	// Transaction is that of instructions, NULL without the extension.
	Transaction schema.Null[bool]
	// Synced reports that there was a cut.
	Synced bool
	Seq    int64 // of the next instruction

	lost int64
	rest truth.Rows // where rows go from the first cut of the rest on; nil: nothing is lost, or not any more
	from int64      // a decoder that begins here, or before, finds the next cut

	segment    truth.Segment
	ordinal    int32 // of the segment
	restarted  bool
	timeBits   uint8                      // of the timestamp, from the low end, that were sent
	contextRow schema.Null[truth.Context] // the last one
}

// NewRecorder returns the truth of a stream of which so many units are lost. cycles
// reports that rows have cycles.
func NewRecorder(rows truth.Rows, lost int64, cycles bool) Recorder {
	r := Recorder{Rows: rows, lost: lost}
	r.Cycle.OK = cycles
	if lost > 0 {
		r.Rows, r.rest = truth.NoRows(), rows
	}
	return r
}

// CutsFrom says that a decoder finds the next cut if it begins at a place or before.
func (r *Recorder) CutsFrom(at int64) { r.from = at }

// Begins reports whether the next cut is the first one of the rest.
func (r *Recorder) Begins() bool { return r.rest != nil && r.from >= r.lost }

// begin makes rows of everything from here on, as if nothing came before.
func (r *Recorder) begin() {
	s := truth.State{Cycle: schema.Null[int64]{OK: r.Cycle.OK}, VMID: r.VMID, Security: r.Security}
	s.VMID.OK = false
	*r = Recorder{Rows: r.rest, State: s, lost: r.lost}
}

// Cut begins a segment. What comes before the first one is lost. It reports whether
// this is the first cut of the stream, or of its rest.
func (r *Recorder) Cut(at int64, address schema.Null[schema.Address], reason schema.ISyncReason) (first bool) {
	if r.Begins() {
		r.begin()
	}
	if first = !r.Synced; first {
		r.unsynced(at)
	} else {
		r.endSegment(at)
		r.ordinal++
	}
	r.Synced = true
	r.segment = truth.Segment{Key: r.Key(at), Address: address, Reason: reason}
	return first
}

// unsynced enters the loss of all that comes before a place, before which there is no cut.
func (r *Recorder) unsynced(at int64) {
	if at > r.lost {
		r.Rows.Loss(&truth.Loss{Key: truth.Key{Offset: r.lost}, Bytes: at - r.lost, Reason: schema.LossUnsynced})
	}
}

// endSegment enters the segment that ends before a place.
func (r *Recorder) endSegment(at int64) {
	r.segment.Bytes = at - r.segment.Offset
	r.segment.BytesDecoded = r.segment.Bytes
	r.Rows.Segment(&r.segment)
}

// Close ends the truth of a stream of so many units. If no segment began in what is left
// of it, all of that is lost.
func (r *Recorder) Close(units int64) {
	switch {
	case r.rest != nil:
		r.Rows = r.rest
		r.unsynced(units)
	case r.Synced:
		r.endSegment(units)
	default:
		r.unsynced(units)
	}
}

// Key is the key of a row that is made here, before the next instruction.
func (r *Recorder) Key(at int64) truth.Key {
	return truth.Key{Seq: r.Seq, Segment: schema.Null[int32]{V: r.ordinal, OK: r.Synced}, Offset: at}
}

// Event enters an event, unless it is before the first cut.
func (r *Recorder) Event(at int64, kind schema.EventKind, address schema.Null[schema.Address], detail string) {
	if r.Synced {
		r.Rows.Event(&truth.Event{Key: r.Key(at), Event: kind, Address: address, Detail: detail})
	}
}

// A GapCount is the count of the cycles that were not traced before a restart; NULL: there
// is one, but it means nothing.
type GapCount = schema.Null[int64]

// Restart enters the event of a restart of trace, and its count, if it has one. A new
// epoch begins where that does not say how long the gap was.
func (r *Recorder) Restart(
	at int64, reason schema.ISyncReason, address schema.Null[schema.Address], count schema.Null[GapCount],
) {
	event := schema.EventTraceOn
	switch reason {
	case schema.ISyncOverflow:
		event = schema.EventOverflow
	case schema.ISyncDebugExit:
		event = schema.EventDebugExit
	default:
	}
	r.Event(at, event, address, "")
	row := truth.CycleCount{Key: r.Key(at), Cycles: count.V, Kind: schema.CountISync}
	switch {
	case !r.restarted:
		r.Cycle.V = 0
	case count.OK && count.V.OK:
		r.Cycle.V += count.V.V
		row.Epoch, row.Cycle = schema.Of(r.Epoch), schema.Of(r.Cycle.V)
	default:
		r.Epoch++
		r.Cycle.V = 0
	}
	r.restarted = true
	if count.OK {
		r.Rows.CycleCount(&row)
	}
}

// Count enters cycles, which the epoch has already.
func (r *Recorder) Count(k truth.Key, kind schema.CountKind, cycles int64) {
	r.Rows.CycleCount(&truth.CycleCount{
		Key: k, Epoch: schema.Of(r.Epoch), Cycle: schema.Of(r.Cycle.V), Cycles: schema.Of(cycles), Kind: kind,
	})
}

// Instruction enters an instruction, with the cycles that it took, up to here in the
// epoch. It returns its ordinal.
func (r *Recorder) Instruction(
	at int64, place step.Place, in *isa.Instruction, executed schema.Null[bool], cycles schema.Null[uint32],
) (seq int64) {
	row := truth.Instruction{
		Key: r.Key(at), State: r.State,
		Address: place.Address, Size: in.Size, ISA: place.ISA, Opcode: in.Opcode, Kind: in.Kind,
		Executed: executed, Cycles: cycles, Transaction: r.Transaction,
	}
	if row.Cycle.OK = cycles.OK; !cycles.OK {
		row.Cycle.V = 0
	}
	r.Rows.Instruction(&row)
	r.Seq++
	r.segment.Instructions++
	return r.Seq - 1
}

// Exception enters an exception or a return; x has the columns that rows do not share.
func (r *Recorder) Exception(at int64, x truth.Exception) {
	x.Key, x.State = r.Key(at), r.State
	r.Rows.Exception(&x)
	if x.Event == schema.ExceptionEntry {
		r.segment.Exceptions++
	}
}

// Return enters the return from an exception by the instruction before.
func (r *Recorder) Return(at int64) { r.Exception(at, truth.Exception{Event: schema.ExceptionReturn}) }

// Context enters the context of the state, if it changed and there was a cut.
func (r *Recorder) Context(at int64, set schema.Null[schema.ISA]) {
	row := truth.Context{
		Key: r.Key(at), ContextID: r.ContextID, VMID: r.VMID, Security: r.Security, ISA: set, ExceptionLevel: r.ExceptionLevel,
	}
	last := &r.contextRow
	same := last.OK && last.V.ContextID == row.ContextID && last.V.VMID == row.VMID && last.V.Security == row.Security &&
		last.V.ExceptionLevel == row.ExceptionLevel
	if !r.Synced || same {
		return
	}
	*last = schema.Of(row)
	r.Rows.Context(&row)
}

// Time enters a timestamp, of whose width so many low bits were sent. The value 0 means
// that the time is unknown; rows cannot have one of 2⁶³ or more.
func (r *Recorder) Time(at int64, value uint64, sent, width uint8) {
	r.timeBits = max(r.timeBits, sent)
	known := r.timeBits == width
	if known && value == 0 {
		r.Event(at, schema.EventTimestampUnknown, schema.Null[schema.Address]{}, "")
		return
	}
	if known {
		r.Timestamp = schema.Null[uint64]{}
		if value <= schema.MaxUint63 {
			r.Timestamp = schema.Of(value)
		} else if r.Synced {
			r.Rows.Event(truth.TimestampOutOfRange(r.Key(at), value))
		}
	}
	if r.Synced {
		r.Rows.Timestamp(&truth.Timestamp{
			Key: r.Key(at), Timestamp: r.Timestamp, KnownBits: r.timeBits, Epoch: r.Epoch, Cycle: r.Cycle,
		})
	}
}
