package synth

import (
	"math/bits"

	"github.com/tracelake/tracelake/decode/pft"
	"github.com/tracelake/tracelake/schema"
)

// This file is what a PTM sends beside the flow of the program:
// synchronisation, context and time.

// start turns trace on where s happens (§4.3).
func (e *PFT) start(s *Step) {
	e.on, e.next = true, s.At
	e.setContextID(s.ContextID)
	e.sync(schema.ISyncTraceOn)
}

// synchronise sends what is due, if it may be sent here: at the target of a
// waypoint. Synchronisation has a timestamp of its own.
func (e *PFT) synchronise() {
	switch {
	case len(e.rows) > e.settled:
	case e.opt.SyncBytes > 0 && e.sinceSync >= e.opt.SyncBytes:
		e.flush()
		e.sync(schema.ISyncPeriodic)
	case e.timeDue:
		e.flush()
		e.timestamp(false)
	}
}

// sync sends an A-sync, an I-sync for the place the core is at, and all that an
// I-sync does not say.
func (e *PFT) sync(reason schema.ISyncReason) {
	e.emit(pft.Packet{Kind: pft.ASync})
	e.sinceSync = 0
	at := e.next
	p := pft.Packet{
		Kind: pft.ISync, Reason: reason, Address: at.Address, ISA: at.ISA,
		AltISA: at.ISA == schema.T32EE, NS: at.Security != schema.Secure, Hyp: at.Security == schema.Hyp,
	}
	if e.stated.contextID != nil {
		p.ContextID = *e.stated.contextID
	}
	if e.opt.CycleAccurate && reason != schema.ISyncPeriodic {
		// Trace was never on: there is no gap to count.
		p.CyclesTold, p.CycleBytes = true, 1
		e.truth.countRow(schema.CountISync, 0)
	}
	e.emit(p)
	e.truth.Segments++
	e.arrive(at)
	e.stack = e.stack[:0]
	e.tellContext()
	if e.opt.TraceVMID && e.opt.Minor >= 1 {
		e.emit(pft.Packet{Kind: pft.VMID, VMID: e.opt.VMID})
		e.stated.vmid = &e.opt.VMID
		e.tellContext()
	}
	e.timestamp(true)
}

// context sends the Context ID if it changed, right behind the waypoint at
// which it has (§4.5.7).
func (e *PFT) context(id uint32) {
	if e.stated.contextID == nil || *e.stated.contextID == e.contextIDBits(id) {
		return
	}
	e.flush()
	e.setContextID(id)
	e.emit(pft.Packet{Kind: pft.ContextID, ContextID: *e.stated.contextID})
	e.tellContext()
}

func (e *PFT) setContextID(id uint32) {
	if e.opt.ContextIDBytes > 0 {
		id = e.contextIDBits(id)
		e.stated.contextID = &id
	}
}

// contextIDBits is as much of a Context ID as is traced.
func (e *PFT) contextIDBits(id uint32) uint32 {
	return uint32(uint64(id) & (1<<(8*e.opt.ContextIDBytes) - 1))
}

// tellContext enters what the stream said of the context into the truth.
func (e *PFT) tellContext() {
	e.truth.context(e.stated.contextID, e.stated.vmid, e.stated.Security)
}

// timestamp sends the time, which is that of the last waypoint (§4.14): all of
// it, or the bytes up to the highest bit that changed.
func (e *PFT) timestamp(full bool) {
	if !e.opt.Timestamps {
		return
	}
	e.timeDue = false
	width := e.opt.TimestampBits()
	value := e.opt.TimestampBase + e.now/max(1, e.opt.CyclesPerTick)
	value &= 1<<width - 1
	raw := value
	if e.opt.TimestampGray {
		raw ^= raw >> 1
	}
	p := pft.Packet{Kind: pft.Timestamp, Timestamp: raw, TimestampBytes: timestampBytes(bits.Len64(raw ^ e.stated.timestamp))}
	if full {
		p.TimestampBytes = timestampBytes(int(width))
	}
	if n := 7 * p.TimestampBytes; n < width {
		p.Timestamp &= 1<<n - 1
	}
	e.stated.timestamp = raw
	if cycles := e.count(schema.CountTimestamp); cycles != nil {
		p.CyclesTold, p.Cycles, p.CycleBytes = true, *cycles, countBytes(*cycles)
	}
	e.emit(p)
	if value != 0 { // which means unknown
		e.truth.timestampIs(value)
	}
}

// timestampBytes is how many bytes hold the given number of bits of a timestamp:
// 7 in each, 8 in the ninth.
func timestampBytes(n int) uint8 {
	return uint8(max(1, min((n+6)/7, 9)))
}
