package etmv3

import (
	"github.com/tracelake/tracelake/bench/step"
	codec "github.com/tracelake/tracelake/decode/etmv3"
	"github.com/tracelake/tracelake/schema"
)

// idle sends what is due or may be sent in front of an instruction, where no
// branch packet is owed.
func (e *Encoder) idle() {
	switch due := e.sync.isync; {
	case due.OK && e.sync.bytes >= due.V:
		e.periodic(e.reachedPlace())
	case due.OK:
	case e.syncDue():
		e.flush()
		e.aSync()
		e.sync.isync = schema.Of(e.stagger())
		if e.sync.isync.V == 0 {
			e.periodic(e.reachedPlace())
		}
	case e.vary.Happens(e.vary.Sync / 4):
		e.periodic(e.reachedPlace())
	}
	if e.sync.late.OK && e.vary.UpTo(7) == 0 {
		e.lateCount()
	}
	if e.sync.timestamp && e.vary.UpTo(7) == 0 {
		e.timestamp(true)
	}
	e.completeData()
	e.noise()
}

// noise sends packets that may come anywhere between others.
func (e *Encoder) noise() {
	if e.vary.Happens(e.vary.Timestamps) {
		e.timestamp(false)
	}
	if e.vary.Happens(e.vary.Ignore) {
		e.emit(codec.Packet{Kind: codec.Ignore})
	}
}

// between sends packets that may come between an atom and the packet that belongs
// to it: a branch, or an exception that cancels it. Before such an exception there
// may be an I-sync too.
func (e *Encoder) between(cancels bool) {
	if !e.vary.on {
		return
	}
	e.flush()
	e.noise()
	if e.vary.Happens(e.vary.Packing) {
		e.sendWaits(e.waits)
	}
	if e.vary.Happens(e.vary.Ignore) && e.truth.ContextID.OK {
		e.emit(codec.Packet{Kind: codec.ContextID, ContextID: e.truth.ContextID.V})
	}
	if e.vary.Happens(e.vary.Ignore) && e.truth.VMID.OK {
		e.emit(codec.Packet{Kind: codec.VMID, VMID: uint8(e.truth.VMID.V)})
	}
	if e.vary.Happens(e.vary.Sync) {
		e.aSync()
		e.sync.isync = schema.Of(e.sync.bytes + e.stagger())
	}
	switch {
	case !cancels:
	case !e.stated.reached.OK:
		if e.vary.Happens(e.vary.Branch) {
			e.sendBranch(e.branchTo(e.next, codec.Branch{}), e.next)
		}
	case e.vary.Happens(e.vary.Sync):
		e.periodic(e.reachedPlace())
	}
}

// stagger is how many bytes after its A-sync an I-sync is to be.
func (e *Encoder) stagger() uint64 {
	if !e.vary.Happens(e.vary.Sync) {
		return 0
	}
	return uint64(e.vary.UpTo(1000))
}

// syncDue says whether an A-sync is due.
func (e *Encoder) syncDue() bool {
	since := e.sync.bytes
	if e.opt.Minor == 0 {
		since = e.sync.cycles
	}
	return e.opt.SyncPeriod > 0 && since >= uint64(e.opt.SyncPeriod) || e.vary.Happens(e.vary.Sync/4)
}

// reachedPlace is where the flow is after the atoms that were sent and those that
// wait.
func (e *Encoder) reachedPlace() step.Place {
	e.flush()
	p := e.stated.Place
	p.Address = e.stated.reached.V
	return p
}

// periodic sends a periodic I-sync for a place.
func (e *Encoder) periodic(at step.Place) {
	e.sync.isync.OK = false
	vmid := e.truth.VMID
	e.iSync(schema.ISyncPeriodic, at, e.truth.ContextID.V, schema.Null[uint32]{}, nil)
	if vmid.OK {
		e.vmid(vmid.V)
	}
	if e.sync.timestamp && !e.vary.Happens(e.vary.Timestamps) {
		e.timestamp(true)
	}
}

// syncInHalf synchronises between the two atoms of s: the I-sync points at its
// second halfword (§4.3).
func (e *Encoder) syncInHalf(s *step.Step) {
	if !e.vary.Happens(e.vary.Halves) {
		return
	}
	e.flush()
	if e.vary.Happens(e.vary.Sync) {
		e.aSync()
	}
	at := s.At
	at.Address += 2
	e.periodic(at)
}
