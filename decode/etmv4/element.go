package etmv4

import (
	"github.com/tracelake/tracelake/schema"
)

// An element is what a packet says of the program: one or several P0 elements, or none. It
// has the kind of its packet.
type element struct {
	kind   Kind
	offset int64 // capture offset of the packet
	bytes  uint8 // of the packet
	p0     uint8 // P0 elements in it; of Atoms how many atoms

	atoms uint32 // as in Packet, from the oldest that is not applied yet on

	target  Target // of Address, Exception, Q and SourceAddress; of Context, if it is located
	context ContextInfo
	located bool   // Context came with an Address
	number  uint16 // of Exception
	returns Return // likewise
	mask    uint8  // of Event
	value   uint64 // of Timestamp and Instrumentation; of Q and Cancel the count; of TraceInfo its INFO
	hasQ    bool   // Q has a count

	// count is that of CycleCount and of a Timestamp; of a P0 element, that of its last one.
	count schema.Null[counted]
}

// packet makes elements of a packet that the state has taken in.
func (d *Decoder) packet(p *Packet, offset int64) {
	d.Offset = offset
	e := element{kind: p.Kind, offset: offset, bytes: uint8(p.Len)}
	switch p.Kind {
	case Atoms:
		d.pushAtoms(p, e)
	case Commit:
		d.commit(uint64(p.Count.Value))
	case Cancel, Mispredict:
		d.pushAtoms(p, e)
		d.resolve(p)
	case CycleCount:
		d.cycleCount(p)
	case Discard, Overflow:
		d.discontinue(p.Kind)
	case Address, AddressContext:
		d.pushContext(p, e)
		d.pushAddress(e)
	case Context:
		d.pushContext(p, e)
	case Exception, Q, SourceAddress:
		d.pushTold(p, e)
	case ASync, Ignore, NumberedMarker, UnnumberedMarker, ConditionalInstruction, ConditionalFlush,
		ConditionalResult: // these change no row
	default:
		d.pushOther(p, e)
	}
	d.overrun()
}

// pushAtoms pushes the atoms of a packet.
func (d *Decoder) pushAtoms(p *Packet, e element) {
	if p.AtomCount == 0 {
		return
	}
	d.settleWaiting()
	e.kind, e.atoms, e.p0 = Atoms, p.Atoms, p.AtomCount
	d.pushP0(e)
}

// pushContext pushes the context of a packet, if it has one.
func (d *Decoder) pushContext(p *Packet, e element) {
	if p.Context.Sent {
		e.kind, e.context = Context, p.Context
		e.target, e.located = d.State.History[0], p.Kind == AddressContext
		d.push(e)
	}
}

// pushAddress pushes an address, or the element that waits for it.
func (d *Decoder) pushAddress(e element) {
	e.kind, e.target = Address, d.State.History[0]
	if !d.waits.OK {
		d.push(e)
		return
	}
	x := d.waits.V
	d.waits.OK, x.target = false, e.target
	d.pushP0(x)
}

// pushTold pushes an element with an address of its own, unless that is still to be told.
func (d *Decoder) pushTold(p *Packet, e element) {
	d.settleWaiting()
	e.number, e.returns = p.Exception, p.Return
	e.value, e.hasQ = uint64(p.Count.Value), p.HasCount
	if p.Form != NoAddress {
		e.target = d.State.History[0]
	}
	e.p0 = uint8(d.cfg.P0Elements(p))
	switch {
	case d.cfg.AwaitsAddress(p):
		d.waits = schema.Of(e)
	case e.p0 == 0: // a reset or the failure of a transaction
		d.push(e)
	default:
		d.pushP0(e)
	}
}

// settleWaiting pushes the element that waits for an address which did not come.
func (d *Decoder) settleWaiting() {
	if !d.waits.OK {
		return
	}
	x := d.waits.V
	d.waits.OK = false
	d.contradiction("%s without an address after it", x.kind)
	if x.kind == Exception {
		x.returns = ReturnNone
		d.pushP0(x)
	}
}

// pushOther pushes the element of any other packet.
func (d *Decoder) pushOther(p *Packet, e element) {
	switch p.Kind {
	case TraceOn, TransactionStart:
		d.settleWaiting()
	case TraceInfo:
		e.value = uint64(p.Info.Info.Value)
		d.checkOpen(uint64(p.Info.Spec.Value))
		if info := p.Info.Info.Value; (info^d.info)&infoConfig != 0 {
			d.checkInfo(info)
		}
	case Timestamp:
		e.value = d.State.Timestamp
		if p.HasCycles {
			e.count = schema.Of(counted{offset: e.offset, cycles: schema.Of(p.Cycles.Value)})
		}
	case Event:
		e.mask = p.Events
	case Instrumentation:
		e.value, e.context.EL = p.Value, p.Context.EL
	default:
	}
	if e.p0 = uint8(d.cfg.P0Elements(p)); e.p0 > 0 {
		d.pushP0(e)
		return
	}
	d.push(e)
}
