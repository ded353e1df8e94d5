package etmv3

import (
	"math/bits"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/step"
	codec "github.com/tracelake/tracelake/decode/etmv3"
	"github.com/tracelake/tracelake/schema"
)

// context sends Context ID and VMID where those of s differ from the ones stated
// last (§3.6).
func (e *Encoder) context(s *step.Step) {
	if id := encode.ContextIDBits(s.ContextID, e.opt.ContextIDBytes); e.opt.ContextIDBytes > 0 &&
		e.truth.ContextID != schema.Of(id) {
		e.flush()
		at := e.emit(codec.Packet{Kind: codec.ContextID, ContextID: id})
		e.truth.ContextID = schema.Of(id)
		e.contextRow(at)
	}
	if e.opt.TraceVMID && s.VMID != e.truth.VMID.V {
		e.vmid(s.VMID)
	}
}

func (e *Encoder) vmid(id uint32) {
	e.flush()
	at := e.emit(codec.Packet{Kind: codec.VMID, VMID: uint8(id)})
	e.truth.VMID = schema.Of(id)
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
	n := e.vary.Bytes(e.vary.Longer, encode.TimestampBytes(bits.Len64(raw^e.stated.timestamp)), most)
	if whole {
		n = most
	}
	sent := encode.TimestampBits(n, width)
	if n == most {
		e.sync.timestamp = false
	}
	p := codec.Packet{Kind: codec.Timestamp, Timestamp: raw & (1<<sent - 1), TimestampBytes: n}
	p.ClockChange = value != 0 && e.vary.Happens(e.vary.Timestamps/4)
	e.stated.timestamp = raw
	at := e.emit(p)
	if p.ClockChange {
		e.truth.event(at, schema.EventClockChange, schema.Null[schema.Address]{})
	}
	e.truth.Time(at, value, sent, width)
}
