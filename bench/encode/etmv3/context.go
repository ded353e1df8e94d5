package etmv3

import (
	"math/bits"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth"
	codec "github.com/tracelake/tracelake/decode/etmv3"
	"github.com/tracelake/tracelake/schema"
)

// context sends Context ID and VMID where those of s differ from the ones stated
// last (§3.6).
func (e *Encoder) context(s *step.Step) {
	if id := encode.ContextIDBits(s.ContextID, e.opt.ContextIDBytes); e.opt.ContextIDBytes > 0 && e.stated.contextID != schema.Of(id) {
		e.flush()
		at := e.emit(codec.Packet{Kind: codec.ContextID, ContextID: id})
		e.stated.contextID = schema.Of(id)
		e.contextRow(at)
	}
	if e.opt.TraceVMID && s.VMID != e.stated.vmid.V {
		e.vmid(s.VMID)
	}
}

func (e *Encoder) vmid(id uint8) {
	e.flush()
	at := e.emit(codec.Packet{Kind: codec.VMID, VMID: id})
	e.stated.vmid = schema.Of(id)
	e.contextRow(at)
}

// timestamp sends the time (§3.7): all of it, or the bytes up to the highest bit
// that changed.
func (e *Encoder) timestamp(whole bool) {
	if !e.opt.Timestamps {
		return
	}
	width := e.opt.TimestampBits()
	value := (e.opt.TimestampBase + e.now/max(1, e.opt.CyclesPerTick)) & (1<<width - 1)
	raw := value
	if e.opt.TimestampGray {
		raw ^= raw >> 1
	}
	most := encode.TimestampBytes(int(width))
	n := e.vary.bytes(encode.TimestampBytes(bits.Len64(raw^e.stated.timestamp)), most)
	if whole {
		n = most
	}
	sent := encode.TimestampBits(n, width)
	if n == most {
		e.sync.timestamp = false
	}
	p := codec.Packet{Kind: codec.Timestamp, Timestamp: raw & (1<<sent - 1), TimestampBytes: n}
	p.ClockChange = value != 0 && e.vary.happens(e.vary.Timestamps/4)
	e.stated.timestamp = raw
	e.stated.timestampBits = max(e.stated.timestampBits, sent)
	at := e.emit(p)
	e.timestampRow(at, value, p.ClockChange)
}

// timestampRow enters the timestamp at an offset. The value 0 means unknown; rows
// cannot have one of 2⁶³ or more.
func (e *Encoder) timestampRow(at int64, value uint64, clockChange bool) {
	t := &e.truth
	known := e.stated.timestampBits == e.opt.TimestampBits()
	outOfRange := known && value > schema.MaxUint63
	e.stated.timestampValue = schema.Null[uint64]{V: value, OK: known && value != 0 && !outOfRange}
	if !e.stated.timestampValue.OK {
		e.stated.timestampValue.V = 0
	}
	if clockChange {
		t.event(at, schema.EventClockChange, schema.Null[uint32]{})
	}
	switch {
	case !t.synced:
	case known && value == 0:
		t.event(at, schema.EventTimestampUnknown, schema.Null[uint32]{})
	default:
		if outOfRange {
			t.rows.Event(truth.TimestampOutOfRange(t.key(at), value))
		}
		t.rows.Timestamp(&truth.Timestamp{
			Key: t.key(at), Timestamp: e.stated.timestampValue, KnownBits: e.stated.timestampBits, Epoch: t.epoch, Cycle: e.cycleNow(),
		})
	}
}
