package pft

import (
	"math/bits"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/step"
	codec "github.com/tracelake/tracelake/decode/pft"
	"github.com/tracelake/tracelake/schema"
)

// context sends the Context ID and the VMID if they changed at s, a waypoint or
// exception, right after its packet (§4.5.7).
func (e *Encoder) context(s *step.Step) {
	if e.opt.ContextIDBytes > 0 && e.stated.contextID.V != encode.ContextIDBits(s.ContextID, e.opt.ContextIDBytes) {
		e.flush()
		e.setContextID(s.ContextID)
		e.contextRow(e.emit(codec.Packet{Kind: codec.ContextID, ContextID: e.stated.contextID.V}), s.Next.ISA)
	}
	e.vmid(s.VMID, s.Next.ISA)
}

// vmid sends the VMID of a core in an instruction set, if it differs from the
// VMID stated last.
func (e *Encoder) vmid(vmid uint32, set schema.ISA) {
	if !e.opt.TraceVMID || e.stated.vmid == schema.Of(vmid) {
		return
	}
	e.flush()
	e.stated.vmid = schema.Of(vmid)
	e.truth.vmidTraced = true
	e.contextRow(e.emit(codec.Packet{Kind: codec.VMID, VMID: uint8(vmid)}), set)
}

func (e *Encoder) setContextID(id uint32) {
	if e.opt.ContextIDBytes > 0 {
		e.stated.contextID = schema.Of(encode.ContextIDBits(id, e.opt.ContextIDBytes))
	}
}

// contextRow enters the context that the stream has stated into the truth.
func (e *Encoder) contextRow(by sentPacket, set schema.ISA) {
	t := &e.truth
	t.ContextID, t.VMID, t.Security = e.stated.contextID, e.stated.vmid, e.stated.security
	t.VMID.OK = t.VMID.OK && t.vmidTraced
	t.Context(by.offset, schema.Of(set))
}

// extraTimestamp sends a timestamp that nothing calls for.
func (e *Encoder) extraTimestamp() {
	if e.opt.Timestamps && e.vary.Happens(e.vary.Timestamps) {
		e.flush()
		e.timestamp(false)
	}
}

// timestamp sends the time: all of it, or the bytes up to the highest bit that
// changed. In PFT 1.1 it is that of the last waypoint, in 1.0 that of the
// packet (§4.14).
func (e *Encoder) timestamp(full bool) {
	e.timeDue = false
	if !e.opt.Timestamps {
		return
	}
	at := e.now
	if e.opt.Minor >= 1 {
		at = e.waypointAt
	}
	width := e.opt.TimestampBits()
	value := e.opt.TimestampBase + at/max(1, e.opt.CyclesPerTick)
	value &= 1<<width - 1
	raw := value
	if e.opt.TimestampGray {
		raw ^= raw >> 1
	}
	p := codec.Packet{Kind: codec.Timestamp, Timestamp: raw, TimestampBytes: encode.TimestampBytes(int(width))}
	if !full {
		n := e.vary.more(e.vary.Timestamps, encode.TimestampBytes(bits.Len64(raw^e.stated.timestamp)), p.TimestampBytes)
		if n < p.TimestampBytes {
			p.Timestamp &= 1<<(7*n) - 1
		}
		p.TimestampBytes = n
	}
	e.stated.timestamp = raw
	e.count(&p, at)
	sent := e.emit(p)
	e.truth.count(sent)
	e.truth.Time(sent.offset, value, encode.TimestampBits(p.TimestampBytes, width), width)
}
