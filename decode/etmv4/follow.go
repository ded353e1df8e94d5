package etmv4

import (
	"fmt"

	"github.com/tracelake/tracelake/schema"
)

// apply does what an element says. c is its cycle count, if it is a P0 element and has one.
func (d *Decoder) apply(e *element, c *counted) {
	d.Offset = e.offset
	if e.kind != Address && e.kind != Context {
		d.tellRestart()
	}
	switch e.kind {
	case Atoms:
		for ; e.p0 > 0; e.p0-- {
			d.atom(e.atoms&1 != 0, nil, &e.bytes)
			e.atoms >>= 1
		}
		return
	case SourceAddress:
		d.sourceAddress(e, c)
		return
	case Exception:
		d.exception(e)
	case Q:
		d.q(e)
	case Address:
		d.address(e.target)
	case Context:
		d.context(e)
	case TraceOn:
		d.traceOn()
	case TraceInfo:
		d.Walk.EmptyStack()
		d.setTransaction(uint32(e.value)&InfoTransaction != 0)
	case ExceptionReturn:
		d.enter()
		if c != nil { // of v7-M it is a P0 element
			d.count(*c, d.Walk.Seq)
		}
		d.Rec.Return(d.Key())
		return
	case TransactionStart, TransactionCommit:
		d.changeTransaction(e.kind)
	case Timestamp:
		d.timestampThen(e)
	case TimestampMarker:
		d.mark()
	case CycleCount:
		d.count(e.count.V, d.Walk.Seq)
	case Event:
		tellTriggers(&d.Rec, d.Key(), e.mask)
	case Cancel:
		d.event(schema.EventCancelled, "%d", e.value)
	case Instrumentation:
		tellInstrumentation(&d.Rec, d.Key(), e.context.EL, e.value)
	default: // FunctionReturn, and what was cancelled
	}
	if c != nil {
		d.count(*c, d.Walk.Seq)
	}
	if d.entering && e.kind == Exception {
		d.entry.Point = d.Rec.Point()
	}
}

// contradiction records a contradiction that has no address.
func (d *Decoder) contradiction(format string, args ...any) {
	d.event(schema.EventInconsistent, format, args...)
}

// event records an event that has no address.
func (d *Decoder) event(kind schema.EventKind, format string, args ...any) {
	d.tellRestart()
	d.Rec.Event(d.Key(), kind, schema.Null[schema.Address]{}, fmt.Sprintf(format, args...))
}
