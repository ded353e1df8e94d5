package etmv4

import "github.com/tracelake/tracelake/schema"

// context takes a context. Its row has the instruction set of the Address that came with it.
func (d *Decoder) context(e *element) {
	before, sf, space := d.Rec.Context, d.sf, d.Rec.Security()
	d.setContext(&e.context)
	if (sf != d.sf || space != d.Rec.Security()) && !d.moved && !d.owed && d.Walk.Known() {
		d.relocate()
	}
	if before == d.Rec.Context && sf == d.sf {
		return
	}
	in := d.pc(d.target).ISA
	if e.located {
		in = d.pc(e.target).ISA
	} else if at, ok := d.reached(); ok {
		in = at.ISA
	}
	d.Rec.RecordContext(d.Key(), schema.Of(in))
}

// setContext takes what a context says. Fields that are not sent stay.
func (d *Decoder) setContext(x *ContextInfo) {
	if !x.Sent {
		return
	}
	d.sf = x.SF
	if d.cfg.Profile != profileM {
		d.Rec.ExceptionLevel = schema.Of(x.EL)
	}
	d.Rec.NS, d.Rec.NSE = x.NS, x.NSE
	if x.HasVMID && d.cfg.VMIDBytes > 0 {
		d.Rec.VMID = schema.Of(x.VMID)
	}
	if x.HasID && d.cfg.ContextIDBytes > 0 {
		d.Rec.ContextID = schema.Of(x.ContextID)
	}
	if d.switches = d.owed; !d.owed {
		d.EnterProcess()
	}
}
