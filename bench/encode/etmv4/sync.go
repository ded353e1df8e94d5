package etmv4

import (
	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/step"
	codec "github.com/tracelake/tracelake/decode/etmv4"
	"github.com/tracelake/tracelake/schema"
)

// This file turns trace on and off, and synchronises (§9, §5.3, §5.4).

// asyncBytes is how many bytes the shortest A-sync has: eleven zeros and 0x80.
const asyncBytes = 12

// start turns trace on where the core is, before s.
func (e *Encoder) start(s *step.Step) {
	if !e.core.known {
		e.core.known, e.core.next = true, s.At
	}
	to := e.core.next
	if s.Entered && s.Exception != schema.ExcReset {
		to = s.At // the last instruction may not have been executed after all
	}
	want := e.contextOf(to, s.ContextID, s.VMID)
	e.on, e.counts = true, counter{}
	if e.mustSync || e.syncDue() {
		e.sync(to, want, true)
	} else {
		e.traceOn(to)
		e.tell(to, want, true, true)
	}
	e.timeDue = true
}

// traceOn sends a Trace On: what ran before it is not traced, and the flow goes on at a place, which
// comes next.
func (e *Encoder) traceOn(to step.Place) {
	reason := schema.ISyncTraceOn
	if e.overflowed {
		reason = schema.ISyncOverflow
	}
	e.overflowed = false
	at := e.emit(codec.Packet{Kind: codec.TraceOn})
	e.flow.owed, e.flow.popped, e.flow.stack = true, false, nil
	if e.truth.Synced {
		e.truth.push(element{offset: at, tell: func() {
			e.truth.Restart(at, reason, schema.Of(to.Address), schema.Null[encode.GapCount]{})
		}})
	}
}

// stop turns trace off. Instructions after the last P0 instruction stay untraced.
func (e *Encoder) stop() {
	if !e.on {
		return
	}
	e.endQ(e.core.next)
	e.flush()
	if e.flow.owed && !e.flow.popped && e.entering == nil && e.vary.Happens(e.vary.Addresses) {
		e.sendAddress(e.core.next) // of the old flow
	}
	if e.vary.Happens(e.vary.Discards) {
		at := e.emit(codec.Packet{Kind: codec.Discard})
		e.truth.discard(e.truth.drop(), "discard", at)
		e.truth.Epoch++
		e.truth.Cycle.V = 0
		e.mustSync = true
	}
	e.enterHandler(nil)
	e.halt()
}

// halt has nothing be traced any more.
func (e *Encoder) halt() {
	e.on, e.returned, e.waiting = false, false, nil
	e.flow.owed, e.flow.popped, e.flow.broadcast, e.flow.dropped = true, false, false, true
}

// overflow has the trace of what comes be lost.
func (e *Encoder) overflow() {
	if e.on {
		e.endQ(e.core.next)
		e.flush()
	}
	if e.bytes > 0 && !e.mustSync {
		at := e.emit(codec.Packet{Kind: codec.Overflow})
		e.truth.end("overflow", at)
		e.mustSync, e.overflowed = true, true
	}
	if e.on {
		e.enterHandler(nil)
		e.halt()
	}
}

// syncDue says whether it is time for the next synchronisation.
func (e *Encoder) syncDue() bool { return e.opt.SyncBytes > 0 && e.sinceSync >= e.opt.SyncBytes }

// A hold says up to where in a synchronisation atoms of the old flow are held back.
type hold uint8

const (
	notHeld hold = iota
	behindASync
	behindTraceInfo
)

// held decides how far the atoms that wait are held back. Trace Info empties the return stack, so
// what begins where that leads is sent before.
func (e *Encoder) held() hold {
	if len(e.pending) == 0 || !e.vary.Happens(e.vary.OldFlow) {
		return notHeld
	}
	for i := range e.pending {
		if e.pending[i].afterPop {
			return behindASync
		}
	}
	return hold(1 + e.vary.UpTo(1))
}

// sync synchronises where the core is, and says that trace comes on if restarts.
func (e *Encoder) sync(to step.Place, want told, restarts bool) {
	held := e.held()
	if held == notHeld {
		e.flush()
		if e.flow.owed && !e.flow.popped && !restarts && e.vary.Happens(e.vary.OldFlow) {
			e.sendAddress(to)
			e.flow.owed = false
		}
	}
	if e.truth.open > 0 && e.vary.UpTo(3) > 0 {
		e.resolveAll()
	}
	e.async()
	if held == behindASync {
		e.flush()
	}
	e.traceInfo()
	p0 := held == behindTraceInfo
	if p0 {
		e.flush()
	}
	if e.truth.open > 0 && (p0 || e.vary.UpTo(1) == 0) {
		e.resolveAll()
	}
	if e.vary.Happens(e.vary.OldFlow) {
		e.beside()
	}
	if restarts {
		e.traceOn(to)
	}
	e.complete(to, want, e.opt.ReturnStack && p0)
}

// async sends an A-sync.
func (e *Encoder) async() {
	n := uint8(asyncBytes)
	e.emit(codec.Packet{Kind: codec.ASync, Len: int(e.vary.Bytes(e.vary.Zeros, n, 2*n))})
	e.sinceSync, e.mustSync = 0, false
	e.truth.early = nil
	e.truth.CutsFrom(e.bytes - asyncBytes)
}

// traceInfo sends a Trace Info. The return stack is empty then.
func (e *Encoder) traceInfo() {
	x := codec.TraceInfoSections{Has: codec.HasInfo}
	x.Info.Value = uint32(e.opt.Cond) << codec.InfoCondShift
	if e.opt.CycleCounting {
		x.Info.Value |= codec.InfoCycleCounting
	}
	if e.flow.transaction = e.transaction && e.opt.ETE; e.flow.transaction {
		x.Info.Value |= codec.InfoTransaction
	}
	if x.Threshold.Value = e.opt.Threshold; e.opt.CycleCounting && e.opt.Threshold > 0 {
		x.Has |= codec.HasThreshold
	} else {
		x.Threshold.Value = 0
	}
	if x.Spec.Value = uint32(e.truth.open); e.truth.open > 0 {
		x.Has |= codec.HasSpec
	}
	if e.vary.Happens(e.vary.Fields) {
		x.Has |= codec.HasSpec | codec.HasThreshold | codec.HasWindow
		x.Controls = uint8(1 + e.vary.UpTo(2))
		x.Info = e.vary.field(x.Info.Value, 5)
	}
	at, transaction := e.emit(codec.Packet{Kind: codec.TraceInfo, Info: x}), e.flow.transaction
	e.flow.stack = nil
	e.truth.informed()
	e.truth.push(element{offset: at, stays: true, tell: func() { e.truth.Transaction.V = transaction }})
}

// complete tells position and context behind a Trace Info. The packet that completes them is a cut,
// unless P0 elements are open or were sent since with the return stack on (refused).
func (e *Encoder) complete(to step.Place, want told, refused bool) {
	t := &e.truth
	cut := !refused && (t.open == 0 || t.Begins())
	p, _ := e.addressed(codec.AddressContext, to)
	p.Context = e.payload(want)
	pair := e.vary.Happens(e.vary.Contexts)
	switch {
	case pair && (e.flow.dropped || e.vary.UpTo(1) == 0):
		x := p.Context
		e.sendAddress(to)
		p = codec.Packet{Kind: codec.Context, Context: x}
	case pair:
		x := p.Context
		e.pushContext(e.emit(codec.Packet{Kind: codec.Context, Context: x}), &x, want, e.setAt(to, want))
		p, _ = e.addressed(codec.Address, to)
	}
	e.flow.is1 = to.ISA == schema.T32
	at := e.emit(p)
	e.arrive()
	if !cut {
		if p.Context.Sent {
			e.pushContext(at, &p.Context, want, to.ISA)
		}
		e.enterHandler(&to)
		return
	}
	if p.Context.Sent {
		e.stated(&p.Context, want)
		t.state(&p.Context, want)
	}
	e.enterHandler(&to)
	t.cut(at, to, want)
	t.Transaction = schema.Null[bool]{V: e.flow.transaction, OK: e.opt.ETE}
}

// cut begins a segment.
func (t *rowWriter) cut(at int64, to step.Place, want told) {
	begins := t.Begins()
	address := schema.Of(to.Address)
	if begins {
		t.forget()
	}
	first := t.Cut(at, address, schema.ISyncPeriodic)
	if begins {
		t.begin(want)
	}
	if first {
		for _, tell := range t.early {
			tell()
		}
		t.Restart(at, schema.ISyncPeriodic, address, schema.Null[encode.GapCount]{})
	}
	t.Context(at, schema.Of(to.ISA))
}
