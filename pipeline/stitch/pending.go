package stitch

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// A decodedPart is what a decoder made of a segment, or of a part of one: its rows
// are those of a unit between two ends.
type decodedPart struct {
	decode.Segment
	unit     *decode.Result
	runs     *decode.Result // that of unit alone; the part is one of its users
	numbers  []uint32       // of the unit's blocks
	from, to decode.Ends
	segment  int32 // ordinal of its segment
	// decodeFrom is the segment at which decoding has to begin for the rows of the part.
	decodeFrom int32
	// lowered is not 0 if the instruction before the part, which is of its
	// segment, was cancelled: from that ordinal on, rows count one too many.
	lowered int64
}

// What may wait for a cancel: beyond, one finds nothing. Rows reported after the
// last instruction count, and the bytes of the stream that report them.
const (
	pendingRows  = 65536
	pendingBytes = 4 << 20
)

// A pending has the parts that may still change: the first has the last act that
// can be cancelled, the others after it have none. Nothing else reaches back
// (docs/etmv3.md §4.6).
type pending struct {
	parts []*decodedPart
	rows  int
	bytes int64
}

// add adds a part to those that wait.
func (w *pending) add(p *decodedPart) {
	if len(w.parts) > 0 {
		w.rows += p.rows()
		w.bytes += p.Row.Bytes
	}
	w.parts = append(w.parts, p)
}

// full says that no more may wait.
func (w *pending) full() bool { return w.rows >= pendingRows || w.bytes >= pendingBytes }

// commit returns the parts that waited: nothing changes them any more.
func (w *pending) commit() []*decodedPart {
	parts := w.parts
	*w = pending{}
	return parts
}

// rowsOf returns the rows of p of one kind, which are some of all.
func rowsOf[T any](p *decodedPart, all []T, kind decode.RowKind) []T {
	return all[p.from[kind]:p.to[kind]]
}

// waiting are the kinds of rows that the last act may change.
var waiting = [...]decode.RowKind{
	decode.Exceptions, decode.Counts, decode.Timestamps, decode.Contexts, decode.Events, decode.Losses, decode.Data,
}

// rows counts the rows of a part that wait for the last act, its own in
// `segments` too.
func (p *decodedPart) rows() int {
	n := 1
	for _, kind := range waiting {
		n += p.to[kind] - p.from[kind]
	}
	return n
}

// apply does to the parts that wait what a later part says of them. It reports whether
// rows of p depend on them then.
func (w *pending) apply(p *decodedPart) bool {
	if len(p.Back.Aborts) > 0 {
		w.abort(p)
	}
	if p.Back.Cancel.OK {
		w.cancel(p)
	}
	return len(w.parts) > 0 && (len(p.Back.Aborts) > 0 || p.Back.Cancel.OK)
}

// abort gives exceptions that an instruction made the address of the last one.
func (w *pending) abort(p *decodedPart) {
	if len(w.parts) == 0 {
		return
	}
	var address schema.Null[uint32]
	switch first := w.parts[0]; first.End.Cancelable {
	case decode.CancelableInstruction:
		address.V, address.OK = first.unit.LastAddress(first.from, first.to)
	case decode.CancelableUnplaced:
	default:
		return
	}
	for _, i := range p.Back.Aborts {
		p.unit.Exceptions[i].ReturnAddress = address
	}
}

// cancel cancels the last act before p.
func (w *pending) cancel(p *decodedPart) {
	rows := p.Back.Cancel.V
	event := &p.unit.Events[rows.Event]
	if len(w.parts) == 0 {
		event.Event, event.Detail = schema.EventInconsistent, decode.NothingToCancel
		return
	}
	first := w.parts[0]
	act := first.End.Cancelable
	first.End.Cancelable = decode.NothingCancelable
	switch act {
	case decode.CancelableInstruction:
		address := first.cancelLast(p)
		event.Address = schema.Of(address)
		if !rows.NoReturn {
			p.unit.Exceptions[rows.Exception].ReturnAddress = event.Address
		}
		for _, waiting := range w.parts {
			waiting.dropReturn(waiting.End.Return)
		}
		p.dropReturn(rows.Return)
		if next := append(w.parts[1:len(w.parts):len(w.parts)], p)[0]; next.Continued {
			next.lowered = first.End.Seq
		}
	case decode.CancelableReturn:
		first.dropReturn(first.End.Return)
		if rows.DataElement >= 0 {
			p.unit.Data[rows.DataElement].Kind = decode.ElementReturnCancelled
		}
		p.unit.RemoveEvent(rows.Event, &p.to)
		if c := &p.Back.Count; c.OK && c.V.Event > rows.Event {
			c.V.Event--
		}
	default: // an instruction without a row
		p.unit.Exceptions[rows.Exception].ReturnAddress = schema.Null[uint32]{}
	}
}

// cancelLast cancels the last instruction of p and returns its address. Its cost
// is that of the next instruction, which by is the first part that may have.
func (p *decodedPart) cancelLast(by *decodedPart) uint32 {
	address, cost, ok := p.unit.TakeBack(p.from, &p.to)
	if !ok {
		panic("stitch: the last act has no run")
	}
	p.Row.Instructions--
	p.unit.Lower(p.from, p.to, p.End.Seq-1)
	if n := p.to[decode.Counts]; p.CountsEach && n > p.from[decode.Counts] && p.unit.Counts.At(n-1).Seq == p.End.Seq-1 {
		p.to[decode.Counts]--
	}
	if p.from[decode.Costs] == p.to[decode.Costs] && p.Back.Waits == decode.WaitsTaken {
		p.Back.Waits = decode.WaitsPassed // it would have taken those from before p
	}
	if p.CountsEach {
		return address // its decoder has given the cost to the next instruction
	}
	switch by.Back.Waits {
	case decode.WaitsTaken:
		if by.from[decode.Costs] < by.to[decode.Costs] {
			addCost(by.unit, by.from, int64(cost))
		}
	case decode.WaitsPassed:
		by.End.Waits += int64(cost)
	case decode.WaitsDropped:
	}
	return address
}

// dropReturn takes a `return` row from p; none if row is negative.
func (p *decodedPart) dropReturn(row int) {
	if row >= 0 {
		p.unit.RemoveException(row, &p.to)
	}
}
