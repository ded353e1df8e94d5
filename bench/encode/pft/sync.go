package pft

import (
	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/step"
	codec "github.com/tracelake/tracelake/decode/pft"
	"github.com/tracelake/tracelake/schema"
)

// This file is what a PTM sends beside the flow of the program:
// synchronisation, context and time.

// start turns trace on where the core is, before s (§4.11).
func (e *Encoder) start(s *step.Step) {
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

// stop turns trace off, for a reason that the next I-sync will state. Instructions
// after the last waypoint stay untraced. Where trace is off already, its reason
// does not change, except to an overflow, which is lost trace.
func (e *Encoder) stop(reason schema.ISyncReason) {
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

// synchronise sends what is due, if it may be sent here: an I-sync only at the
// target of a waypoint. Synchronisation has a timestamp of its own.
func (e *Encoder) synchronise() {
	due := e.syncDue() || e.vary.Happens(e.vary.ASyncs)
	switch {
	case due && !e.asyncSent && e.vary.Happens(e.vary.ASyncs): // the I-sync follows later
		e.flush()
		e.async()
	case len(e.waiting) > e.upToWaypoint:
		e.extraTimestamp()
	case due || e.asyncSent && e.vary.Happens(e.vary.ASyncs):
		e.flush()
		e.sync(schema.ISyncPeriodic, e.stated.vmid.V)
	case e.vary.Happens(e.vary.ISyncs):
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
func (e *Encoder) syncDue() bool {
	return e.opt.SyncBytes > 0 && e.sinceSync >= e.opt.SyncBytes
}

// sync sends an A-sync, if none was sent before, an I-sync for the place the core
// is at, and the state that an I-sync does not have.
func (e *Encoder) sync(reason schema.ISyncReason, vmid uint32) {
	if !e.asyncSent {
		e.async()
	}
	e.isync(reason)
	e.stated.vmid.OK = false
	e.vmid(vmid, e.core.next.ISA)
	e.timestamp(true)
}

// async sends an A-sync, with the zeros hardware sends or more.
func (e *Encoder) async() {
	e.emit(codec.Packet{Kind: codec.ASync, Len: int(e.vary.more(e.vary.Zeros, encode.MinASync, maxASync))})
	e.sinceSync, e.asyncSent = 0, true
	e.truth.CutsFrom(e.bytes - encode.MinASync)
}

const maxASync = 40 // bytes: an arbitrary number

// isync sends an I-sync for the place the core is at (§4.5.2). In PFT 1.1 a restart
// after overflow or Debug state has a count that means nothing.
func (e *Encoder) isync(reason schema.ISyncReason) {
	at := e.core.next
	p := codec.Packet{
		Kind: codec.ISync, Reason: reason, Address: at.Address, ISA: at.ISA,
		AltISA: at.ISA == schema.T32EE, NS: at.Security != schema.Secure, Hyp: at.Security == schema.Hyp,
		ContextID: e.stated.contextID.V,
	}
	if reason != schema.ISyncPeriodic {
		e.count(&p, e.now)
	}
	sent := e.emit(p)
	if !e.countKnown(reason) {
		sent.cycles = schema.Null[uint32]{}
	}
	e.truth.isync(sent, &p, e.asyncSent)
	e.asyncSent, e.waypointAt, e.straight = false, e.now, 0
	e.arrive(at)
	e.stack = e.stack[:0]
	e.contextRow(sent, at.ISA)
}
