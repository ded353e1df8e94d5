package etmv4

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// This file takes the elements after which, or before which, something is not traced (IHI 0064,
// Trace On, Discard and Overflow elements).

// traceOn takes a Trace On: what ran before it is not traced.
func (d *Decoder) traceOn() {
	d.enter()
	d.CloseUnplaced()
	reason := schema.ISyncTraceOn
	if d.overflowed.OK {
		reason = schema.ISyncOverflow
	}
	d.restart(reason)
	d.lose(false)
	d.Walk.EmptyStack()
}

// restart has trace start again. The event waits for the address that comes next, but for no other
// event.
func (d *Decoder) restart(reason schema.ISyncReason) {
	d.overflowed.OK = false
	d.Rec.OpenEpoch()
	d.restarted = schema.Of(schema.Event{Key: d.Key(), Event: decode.RestartEvent(reason)})
}

// tellRestart makes the event of a restart, with the address if it came.
func (d *Decoder) tellRestart() {
	if d.restarted.OK {
		d.restarted.OK, d.restarted.V.Address = false, d.goesOn()
		d.Rec.Result.Events = append(d.Rec.Result.Events, d.restarted.V)
	}
}

// discontinue takes a Discard or an Overflow: what is open stays unresolved, and then something
// is not traced.
func (d *Decoder) discontinue(kind Kind) {
	d.settleWaiting()
	d.release(nil, true)
	if open := d.dropOpen(); open > 0 || kind == Discard {
		d.discard(open, kind.String())
	}
	d.enter()
	d.CloseUnplaced()
	d.lose(false)
	d.Walk.EmptyStack()
	d.overflowed, d.cleared = schema.Null[int64]{V: d.Offset, OK: kind == Overflow}, true
	if kind == Discard {
		d.Rec.OpenEpoch()
	}
}
