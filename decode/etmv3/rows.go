package etmv3

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// exceptionReturn handles the packet that says that the last instruction was an
// exception return.
func (d *Decoder) exceptionReturn(offset int64) {
	if d.cfg.returnsByOpcode() && d.returned {
		return // its opcode has said so
	}
	act := d.act
	d.returnRow(offset)
	if d.cfg.ProfileM {
		d.act = decode.ReturnAct
		d.fate(decode.Datum{Key: schema.Key{Seq: d.walk.Seq - 1, Offset: offset}, Kind: decode.DatumPop, Act: act})
	}
}

// returnsByOpcode says whether exception returns are told by the instructions
// alone.
func (c *Config) returnsByOpcode() bool { return !c.ProfileM && c.Minor < minorReturn }

// returnRow makes a `return` row, which goes with the last act.
func (d *Decoder) returnRow(offset int64) {
	d.actRow, d.returned = len(d.unit.Exceptions), true
	d.unit.Exceptions = append(d.unit.Exceptions, schema.Exception{
		Key: d.key(offset), Point: d.point(), Event: schema.ExceptionReturn,
		ContextID: d.contextID, VMID: d.vmid, Security: d.security(), Timestamp: d.timestamp,
	})
}

// tell handles a timestamp. It replaces the low bits of the value as sent.
func (d *Decoder) tell(p *Packet, offset int64) {
	if p.ClockChange {
		d.event(offset, schema.EventClockChange, schema.Null[uint32]{}, "")
	}
	code := d.cfg.TimestampCode()
	sent := d.cfg.timestampBitsSent(p.TimestampBytes)
	d.timestampRaw = decode.Merge(d.timestampRaw, p.Timestamp, sent)
	d.timestampBits = max(d.timestampBits, sent)
	row := schema.Timestamp{Key: d.key(offset), Point: d.point(), Raw: d.timestampRaw, KnownBits: d.timestampBits}
	if d.timestampBits == code.Bits {
		row.Value = schema.Of(code.Value(d.timestampRaw))
		if row.Value.V == 0 {
			d.event(offset, schema.EventTimestampUnknown, schema.Null[uint32]{}, "")
			return
		}
	}
	d.timestamp = int32(len(d.unit.Timestamps))
	d.unit.Timestamps = append(d.unit.Timestamps, row)
	d.spanDue = true
}

func (d *Decoder) inconsistent(offset int64, address uint32, detail string) {
	d.event(offset, schema.EventInconsistent, schema.Of(address), detail)
}

func (d *Decoder) event(offset int64, e schema.EventKind, address schema.Null[uint32], detail string) {
	d.unit.Events = append(d.unit.Events, schema.Event{Key: d.key(offset), Event: e, Address: address, Detail: detail})
}

func (d *Decoder) key(offset int64) schema.Key { return schema.Key{Seq: d.walk.Seq, Offset: offset} }

func (d *Decoder) point() schema.Point {
	p := schema.Point{Epoch: d.epoch}
	if d.cfg.tellsCycles() {
		p.Cycle = schema.Of(d.cycle)
	}
	return p
}

func (d *Decoder) security() schema.Security {
	switch {
	case !d.cfg.Security:
		return schema.Secure
	case d.hyp:
		return schema.Hyp
	case d.ns:
		return schema.NonSecure
	}
	return schema.Secure
}

// stateContext records the context as it is from here on.
func (d *Decoder) stateContext(offset int64) {
	state := d.isa
	if d.walk.Known() {
		state = d.walk.ISA()
	}
	d.spanDue = true
	d.unit.Contexts = append(d.unit.Contexts, schema.Context{
		Key: d.key(offset), ContextID: d.contextID, VMID: d.vmid, Security: d.security(), ISA: schema.Null[schema.ISA]{V: state, OK: !d.cfg.DataOnly},
	})
}

// settle opens a span for the runs that follow, if something changed that they
// share.
func (d *Decoder) settle() {
	if !d.spanDue {
		return
	}
	d.spanDue = false
	s := schema.Span{
		Run: len(d.unit.Runs), Epoch: d.epoch, Timestamp: d.timestamp,
		ContextID: d.contextID, VMID: d.vmid, Security: d.security(),
	}
	if n := len(d.unit.Spans); n > d.base.Spans && d.unit.Spans[n-1].Run == s.Run {
		d.unit.Spans[n-1] = s
		return
	}
	d.unit.Spans = append(d.unit.Spans, s)
}
