package synth

import (
	"math/bits"

	"github.com/tracelake/tracelake/decode/pft"
	"github.com/tracelake/tracelake/schema"
)

// This file is what a PTM sends beside the flow of the program:
// synchronisation, context and time.

// start turns trace on where the core is, before s (§4.3).
func (e *PFT) start(s *Step) {
	if !e.core.known {
		e.core.known, e.core.next = true, s.At
	}
	first := e.bytes == 0
	if first {
		e.counted = e.now // trace was never on: there is no gap to count
	}
	e.on = true
	e.setContextID(s.ContextID)
	if first || e.syncDue() {
		e.sync(e.reason, s.VMID)
		return
	}
	e.isync(e.reason)
	e.vmid(s.VMID, e.core.next.ISA)
}

// stop turns trace off, for a reason the I-sync behind will tell. Instructions
// behind the last waypoint stay untold. Where trace is off already, its reason
// stays, but for an overflow, which is lost trace.
func (e *PFT) stop(reason schema.ISyncReason) {
	if !e.on {
		if reason == schema.ISyncOverflow {
			e.reason = reason
		}
		return
	}
	e.flush()
	e.on, e.reason = false, reason
	e.waiting, e.straight = e.waiting[:0], 0
}

// synchronise sends what is due, if it may be sent here. I-syncs may only at the
// target of a waypoint. Synchronisation has a timestamp of its own.
func (e *PFT) synchronise() {
	due := e.syncDue() || e.vary.chance(e.vary.ASyncs)
	switch {
	case due && !e.asyncSent && e.vary.chance(e.vary.ASyncs): // the I-sync follows later
		e.flush()
		e.async()
	case len(e.waiting) > e.settled:
		e.extraTimestamp()
	case due || e.asyncSent && e.vary.chance(e.vary.ASyncs):
		e.flush()
		e.sync(schema.ISyncPeriodic, e.stated.vmid.V)
	case e.vary.chance(e.vary.ISyncs):
		e.flush()
		e.isync(schema.ISyncPeriodic)
	case e.timeDue:
		e.flush()
		e.timestamp(false)
	default:
		e.extraTimestamp()
	}
}

// syncDue says whether it is time for the next synchronisation.
func (e *PFT) syncDue() bool {
	return e.opt.SyncBytes > 0 && e.sinceSync >= e.opt.SyncBytes
}

// sync sends an A-sync, if none went ahead, an I-sync for the place the core is
// at, and all that an I-sync does not say.
func (e *PFT) sync(reason schema.ISyncReason, vmid uint8) {
	if !e.asyncSent {
		e.async()
	}
	e.isync(reason)
	e.stated.vmid.OK = false
	e.vmid(vmid, e.core.next.ISA)
	e.timestamp(true)
}

// async sends an A-sync, with the zeros hardware sends or more.
func (e *PFT) async() {
	e.emit(pft.Packet{Kind: pft.ASync, Len: int(e.vary.more(e.vary.Zeros, minASync, maxASync))})
	e.sinceSync, e.asyncSent = 0, true
	e.truth.async(e.bytes)
}

const (
	minASync = 6  // bytes
	maxASync = 40 // an arbitrary number
)

// isync sends an I-sync for the place the core is at (§4.3.3). That of a PFT
// 1.1 restart after overflow or Debug state has a count, but it means nothing.
func (e *PFT) isync(reason schema.ISyncReason) {
	at := e.core.next
	p := pft.Packet{
		Kind: pft.ISync, Reason: reason, Address: at.Address, ISA: at.ISA,
		AltISA: at.ISA == schema.T32EE, NS: at.Security != schema.Secure, Hyp: at.Security == schema.Hyp,
		ContextID: e.stated.contextID.V,
	}
	if reason != schema.ISyncPeriodic {
		e.count(&p, e.now)
	}
	told := e.emit(p)
	if !e.countKnown(reason) {
		told.cycles = schema.Null[uint32]{}
	}
	e.truth.isync(told, &p, e.asyncSent)
	e.asyncSent, e.waypointAt, e.straight = false, e.now, 0
	e.arrive(at)
	e.stack = e.stack[:0]
	e.tellContext(told, at.ISA)
}

// context sends the Context ID and the VMID if they changed, right behind the
// waypoint or exception s at which they have (§4.5.7).
func (e *PFT) context(s *Step) {
	if e.opt.ContextIDBytes > 0 && e.stated.contextID.V != e.contextIDBits(s.ContextID) {
		e.flush()
		e.setContextID(s.ContextID)
		e.tellContext(e.emit(pft.Packet{Kind: pft.ContextID, ContextID: e.stated.contextID.V}), s.Next.ISA)
	}
	e.vmid(s.VMID, s.Next.ISA)
}

// vmid sends the VMID if it is another one than that stated, to a core in
// instruction set.
func (e *PFT) vmid(vmid uint8, set schema.ISA) {
	if !e.opt.TraceVMID || e.stated.vmid == schema.Of(vmid) {
		return
	}
	e.flush()
	e.stated.vmid = schema.Of(vmid)
	e.truth.vmidTold = true
	e.tellContext(e.emit(pft.Packet{Kind: pft.VMID, VMID: vmid}), set)
}

func (e *PFT) setContextID(id uint32) {
	if e.opt.ContextIDBytes > 0 {
		e.stated.contextID = schema.Of(e.contextIDBits(id))
	}
}

// contextIDBits is as much of a Context ID as is traced.
func (e *PFT) contextIDBits(id uint32) uint32 {
	return uint32(uint64(id) & (1<<(8*e.opt.ContextIDBytes) - 1))
}

// tellContext enters what the stream said of the context into the truth.
func (e *PFT) tellContext(by told, set schema.ISA) {
	e.truth.contextIs(by, Context{
		ContextID: e.stated.contextID, VMID: e.stated.vmid, Security: e.stated.security, ISA: schema.Of(set),
	})
}

// extraTimestamp sends a timestamp that nothing calls for.
func (e *PFT) extraTimestamp() {
	if e.opt.Timestamps && e.vary.chance(e.vary.Timestamps) {
		e.flush()
		e.timestamp(false)
	}
}

// timestamp sends the time: all of it, or the bytes up to the highest bit that
// changed. In PFT 1.1 it is that of the last waypoint, in 1.0 that of the
// packet (§4.14).
func (e *PFT) timestamp(full bool) {
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
	p := pft.Packet{Kind: pft.Timestamp, Timestamp: raw, TimestampBytes: timestampBytes(int(width))}
	if !full {
		n := e.vary.more(e.vary.Timestamps, timestampBytes(bits.Len64(raw^e.stated.timestamp)), p.TimestampBytes)
		if n < p.TimestampBytes {
			p.Timestamp &= 1<<(7*n) - 1
		}
		p.TimestampBytes = n
	}
	e.stated.timestamp = raw
	e.count(&p, at)
	sent := min(7*p.TimestampBytes, width)
	if p.TimestampBytes == timestampBytes(int(width)) {
		sent = width
	}
	e.truth.timestampIs(e.emit(p), value, sent, width)
}
