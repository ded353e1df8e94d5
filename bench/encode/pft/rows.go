package pft

import (
	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/truth"
	codec "github.com/tracelake/tracelake/decode/pft"
	"github.com/tracelake/tracelake/schema"
)

// sentPacket is a packet that rows are made of: its position in the stream, and the
// cycles it counts, NULL if it counts none or its count means nothing.
type sentPacket struct {
	offset int64
	cycles schema.Null[uint32]
	kind   schema.CountKind
}

// rowWriter makes rows of packets.
type rowWriter struct {
	rows          truth.Rows
	cycleAccurate bool
	remainder     encode.Remainder

	seq        int64 // of the next instruction
	epoch      int32
	cycle      int64 // in the epoch
	timestamp  schema.Null[uint64]
	timeBits   uint8                      // of it, from the low end, that were sent
	vmidTraced bool                       // there was a VMID packet
	context    schema.Null[truth.Context] // as stated last

	segment schema.Null[truth.Segment] // the one that is open
	row     truth.Instruction          // the last one: one for all, since there are many
}

// newRowWriter returns the truth of a stream, or what is left of it.
func newRowWriter(rows truth.Rows, o *Options) rowWriter {
	t := rowWriter{cycleAccurate: o.CycleAccurate}
	t.remainder, t.rows = encode.NewRemainder(rows, o.Lost)
	return t
}

// async says that an A-sync ends at an offset.
func (t *rowWriter) async(end int64) { t.remainder.AsyncEnd = end }

// beginRest makes rows of everything from here on, as if nothing came before.
func (t *rowWriter) beginRest() {
	*t = rowWriter{rows: t.remainder.Rest, cycleAccurate: t.cycleAccurate, remainder: encode.Remainder{Lost: t.remainder.Lost}}
}

func (t *rowWriter) key(by sentPacket) truth.Key {
	return truth.Key{Seq: t.seq, Segment: t.segment.V.Segment, Offset: by.offset}
}

// state is what rows share here.
func (t *rowWriter) state() truth.State {
	c := &t.context.V
	return truth.State{
		Epoch: t.epoch, Cycle: t.cycleNow(), Timestamp: t.timestamp,
		ContextID: c.ContextID, VMID: c.VMID, Security: c.Security,
	}
}

func (t *rowWriter) cycleNow() schema.Null[int64] {
	return schema.Null[int64]{V: t.cycle, OK: t.cycleAccurate}
}

// instructions enters instructions. The cycles are those of the last one, a
// waypoint.
func (t *rowWriter) instructions(waiting []waiting, by sentPacket) {
	for i := range waiting {
		w := &waiting[i]
		t.row = truth.Instruction{
			Key: t.key(by), State: t.state(),
			Address: w.at.Address, Size: w.instruction.Size, ISA: w.at.ISA, Opcode: w.instruction.Opcode, Kind: w.instruction.Kind,
			Executed: w.executed,
		}
		t.row.Cycle.OK = false
		if i == len(waiting)-1 {
			t.count(by)
			t.row.Cycles, t.row.Cycle = by.cycles, schema.Null[int64]{V: t.cycle, OK: by.cycles.OK}
		}
		t.rows.Instruction(&t.row)
		t.seq++
		t.segment.V.Instructions++
		if w.returned.OK {
			c := t.context.V
			c.Security, c.ISA = w.returned.V.Security, schema.Of(w.returned.V.ISA)
			t.contextIs(by, c)
		}
	}
}

// count adds the cycles of a packet, if it has any, to the epoch.
func (t *rowWriter) count(by sentPacket) {
	if !by.cycles.OK {
		return
	}
	t.cycle += int64(by.cycles.V)
	t.rows.CycleCount(&truth.CycleCount{
		Key: t.key(by), Epoch: schema.Of(t.epoch), Cycle: schema.Of(t.cycle),
		Cycles: schema.Of(int64(by.cycles.V)), Kind: by.kind,
	})
}

// countOutside enters the cycles of a packet that opens an epoch: these cycles are
// before the epoch.
func (t *rowWriter) countOutside(by sentPacket) {
	t.rows.CycleCount(&truth.CycleCount{
		Key: t.key(by), Cycles: schema.Null[int64]{V: int64(by.cycles.V), OK: by.cycles.OK}, Kind: by.kind,
	})
}

// entry enters an exception entry; x has the columns that rows do not share.
func (t *rowWriter) entry(by sentPacket, x truth.Exception) {
	t.count(by)
	x.Key, x.State, x.Event = t.key(by), t.state(), schema.ExceptionEntry
	t.rows.Exception(&x)
	t.segment.V.Exceptions++
}

// exceptionReturn enters the return by the last instruction.
func (t *rowWriter) exceptionReturn(by sentPacket) {
	t.rows.Exception(&truth.Exception{Key: t.key(by), State: t.state(), Event: schema.ExceptionReturn})
}

// contextIs enters the context from here on, if it changed.
func (t *rowWriter) contextIs(by sentPacket, c truth.Context) {
	c.Key = t.key(by)
	if !t.vmidTraced {
		c.VMID = schema.Null[uint8]{}
	}
	last := t.context
	t.context = schema.Of(c)
	if last.OK && last.V.ContextID == c.ContextID && last.V.VMID == c.VMID && last.V.Security == c.Security {
		return
	}
	t.rows.Context(&c)
}

// timestampIs enters a timestamp packet, which carries that many of the low bits of
// a value. The value 0 means that the time is unknown; rows cannot have one of 2⁶³
// or more.
func (t *rowWriter) timestampIs(by sentPacket, value uint64, carried, width uint8) {
	t.count(by)
	t.timeBits = max(t.timeBits, carried)
	known := t.timeBits == width
	if known && value == 0 {
		t.event(by, schema.EventTimestampUnknown, schema.Null[uint32]{})
		return
	}
	if known {
		t.timestamp = schema.Of(value)
	}
	if known && value > schema.MaxUint63 {
		t.timestamp = schema.Null[uint64]{}
		t.rows.Event(truth.TimestampOutOfRange(t.key(by), value))
	}
	t.rows.Timestamp(&truth.Timestamp{Key: t.key(by), Timestamp: t.timestamp, KnownBits: t.timeBits, Epoch: t.epoch, Cycle: t.cycleNow()})
}

func (t *rowWriter) event(by sentPacket, kind schema.EventKind, address schema.Null[uint32]) {
	t.rows.Event(&truth.Event{Key: t.key(by), Event: kind, Address: address})
}

// restartEvents are the events of I-syncs by reason. A periodic one makes one only
// at the start of what is left of a stream.
var restartEvents = map[schema.ISyncReason]schema.EventKind{
	schema.ISyncPeriodic: schema.EventTraceOn,
	schema.ISyncTraceOn:  schema.EventTraceOn, schema.ISyncOverflow: schema.EventOverflow, schema.ISyncDebugExit: schema.EventDebugExit,
}

// isync enters an I-sync. The first I-sync after an A-sync is a cut. Where trace
// starts again and the gap is not counted, a new epoch begins.
func (t *rowWriter) isync(by sentPacket, p *codec.Packet, cut bool) {
	if cut && t.remainder.Begins() {
		t.beginRest()
	}
	first := !t.segment.OK
	if cut {
		t.cut(by, p)
	}
	if p.Reason == schema.ISyncPeriodic && !first {
		return
	}
	t.event(by, restartEvents[p.Reason], schema.Of(p.Address))
	switch {
	case !first && by.cycles.OK:
		t.count(by)
		return
	case p.HasCycles:
		t.countOutside(by)
	}
	if !first {
		t.epoch++
	}
	t.cycle = 0
}

// cut ends the open segment, or else the bytes before the first one, which are
// lost, and begins the next segment with the I-sync p.
func (t *rowWriter) cut(by sentPacket, p *codec.Packet) {
	ordinal := int32(0)
	if t.segment.OK {
		ordinal = t.segment.V.Segment.V + 1
		t.close(by.offset)
	} else {
		t.remainder.Unsynced(t.rows, by.offset)
	}
	t.segment = schema.Of(truth.Segment{
		Key:     truth.Key{Seq: t.seq, Segment: schema.Of(ordinal), Offset: by.offset},
		Address: schema.Of(p.Address), Reason: p.Reason,
	})
}

// end ends the truth of a stream of that many bytes.
func (t *rowWriter) end(bytes int64) {
	t.close(bytes)
	t.remainder.End(bytes)
}

// close ends the open segment before an offset.
func (t *rowWriter) close(offset int64) {
	if !t.segment.OK {
		return
	}
	s := t.segment.V
	s.Bytes = offset - s.Offset
	s.BytesDecoded = s.Bytes
	t.rows.Segment(&s)
	t.segment.OK = false
}
