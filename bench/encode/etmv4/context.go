package etmv4

import (
	"github.com/tracelake/tracelake/bench/step"
	codec "github.com/tracelake/tracelake/decode/etmv4"
	"github.com/tracelake/tracelake/schema"
)

// This file tells where the flow goes on, and in which context (§3.6, §5.3).

// told is a context as the stream tells it.
type told struct {
	security        schema.Security
	level           uint8
	a64             bool
	contextID, vmid uint32
}

// contextOf is the context of a core at a place, as far as it is traced.
func (e *Encoder) contextOf(at step.Place, contextID, vmid uint32) told {
	x := told{security: at.Security, level: at.Level, a64: at.ISA == schema.A64}
	switch {
	case e.opt.Profile == profileM:
		x.level = 0
	case at.Security == schema.Hyp: // there is no such state but EL2
		x.security, x.level = schema.NonSecure, 2
	}
	if e.tracesContextID() {
		x.contextID = contextID
	}
	if e.tracesVMID() {
		x.vmid = uint32(uint64(vmid) & (1<<(8*e.opt.VMIDBytes) - 1))
	}
	return x
}

func (e *Encoder) tracesContextID() bool {
	return e.opt.TracesContextID && e.opt.ContextIDBytes > 0
}

func (e *Encoder) tracesVMID() bool { return e.opt.TracesVMID && e.opt.VMIDBytes > 0 }

// payload is a context in a packet: all of it, or what changed.
func (e *Encoder) payload(x told) codec.ContextInfo {
	p := codec.ContextInfo{
		Sent: true, EL: x.level, SF: x.a64, HasID: e.tracesContextID(), HasVMID: e.tracesVMID(),
		NS:  x.security == schema.NonSecure || x.security == schema.Realm,
		NSE: x.security == schema.Root || x.security == schema.Realm,
	}
	if e.vary.Happens(e.vary.Contexts) {
		p.HasID = p.HasID && x.contextID != e.flow.context.contextID
		p.HasVMID = p.HasVMID && x.vmid != e.flow.context.vmid
	}
	if p.HasID {
		p.ContextID = x.contextID
	}
	if p.HasVMID {
		p.VMID = x.vmid
	}
	return p
}

// settle tells what has to be told before the instruction of s, where the flow is between P0
// instructions: where it goes on, in which context, what time it is, and all that
// synchronises.
func (e *Encoder) settle(s *step.Step) {
	to, want := s.At, e.contextOf(s.At, s.ContextID, s.VMID)
	if e.opt.Profile == profileM {
		e.exceptionReturn()
	}
	e.wrongTurn(to)
	if e.syncDue() || e.vary.Happens(e.vary.Syncs) {
		e.sync(to, want, false)
	} else {
		e.target(to, want)
		e.enterHandler(&to)
	}
	e.exceptionReturn()
	e.beside()
}

// target tells a place where the flow goes on, and a context, as far as they are to be told.
func (e *Encoder) target(to step.Place, want told) {
	f := &e.flow
	owed := f.owed && !f.popped
	extra := (!f.popped || !e.opt.ReturnStack) && e.vary.Happens(e.vary.Addresses/4)
	e.tell(to, want, owed || f.broadcast || extra, want != f.context || e.vary.Happens(e.vary.Contexts/4))
}

// tell tells a place, a context, or both.
func (e *Encoder) tell(to step.Place, want told, address, context bool) {
	if !address && !context {
		e.repeatContext()
		return
	}
	e.flush()
	switch {
	case !context:
		e.sendAddress(to)
		e.arrive()
	case !address:
		e.sendContext(to, want)
	case !e.vary.Happens(e.vary.Contexts):
		p, _ := e.addressed(codec.AddressContext, to)
		p.Context = e.payload(want)
		e.flow.is1 = p.IS1
		at := e.emit(p)
		e.arrive()
		e.pushContext(at, &p.Context, want, to.ISA)
	case e.flow.dropped || e.vary.UpTo(1) == 0:
		e.sendAddress(to)
		e.arrive()
		e.sendContext(to, want)
	default:
		e.sendContext(to, want)
		e.sendAddress(to)
		e.arrive()
	}
}

// repeatContext sends a context packet that says that nothing changed, now and then.
func (e *Encoder) repeatContext() {
	if e.vary.Happens(e.vary.Contexts / 4) {
		e.flush()
		e.emit(codec.Packet{Kind: codec.Context})
	}
}

// arrive notes that an address told where the flow is.
func (e *Encoder) arrive() {
	f := &e.flow
	f.owed, f.popped, f.broadcast, f.dropped = false, false, false, false
}

// sendContext sends a context alone. The flow goes on at a place, which may not be told yet.
func (e *Encoder) sendContext(to step.Place, want told) {
	p := codec.Packet{Kind: codec.Context, Context: e.payload(want)}
	e.pushContext(e.emit(p), &p.Context, want, e.setAt(to, want))
}

// setAt is the instruction set that the stream has told: that of the place where the flow is,
// or if that is not told, of the last address in the context at hand.
func (e *Encoder) setAt(to step.Place, want told) schema.ISA {
	switch {
	case !e.flow.owed:
		return to.ISA
	case want.a64:
		return schema.A64
	case e.flow.is1 || e.opt.Profile == profileM:
		return schema.T32
	}
	return schema.A32
}

// pushContext takes the context of a packet as what is told.
func (e *Encoder) pushContext(at int64, x *codec.ContextInfo, want told, set schema.ISA) {
	e.stated(x, want)
	c := *x
	e.truth.push(element{offset: at, tell: func() { e.truth.context(at, &c, want, set) }})
}

// stated notes the context of a packet.
func (e *Encoder) stated(x *codec.ContextInfo, want told) {
	e.flow.context = want
	t := &e.truth.told
	t.contextID, t.vmid = t.contextID || x.HasID, t.vmid || x.HasVMID
}

// context enters a context into the rows.
func (t *rowWriter) context(at int64, x *codec.ContextInfo, want told, set schema.ISA) {
	t.state(x, want)
	t.Context(at, schema.Of(set))
}

// state has the rows have a context. What the packet does not send stays.
func (t *rowWriter) state(x *codec.ContextInfo, want told) {
	t.Security = want.security
	if t.opt.Profile != profileM {
		t.ExceptionLevel = schema.Of(want.level)
	}
	if x.HasID {
		t.ContextID = schema.Of(x.ContextID)
	}
	if x.HasVMID {
		t.VMID = schema.Of(x.VMID)
	}
}
