package stitch

import (
	"slices"

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
	cancelled  int64   // instructions of it that were
	lowered    lowered // by what was cancelled of the part before, which is of its segment
	waits      waits
}

// lowered says that from an ordinal of a segment on, rows count so many instructions that were
// cancelled.
type lowered struct {
	from, by int64
}

// waits is what a part adds to those that wait.
type waits struct {
	rows  int
	bytes int64
}

// What may wait for a cancel: beyond, one finds nothing. Rows reported after the
// last instruction count, and the bytes of the stream that report them.
const (
	pendingRows  = 65536
	pendingBytes = 4 << 20
)

// A pending has the parts that may still change: the first has an act that can be cancelled.
// Where one act is cancelled at most, no other part has any (docs/etmv3.md §4.6). Nothing
// else reaches back.
type pending struct {
	parts []*decodedPart
	waits
}

// add adds a part to those that wait.
func (w *pending) add(p *decodedPart) {
	if len(w.parts) > 0 {
		p.waits = waits{p.rows(), p.Row.Bytes}
		w.rows += p.waits.rows
		w.bytes += p.waits.bytes
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

// settle returns the parts that nothing changes any more once p has come.
func (w *pending) settle(p *decodedPart) []*decodedPart {
	if w.full() {
		return w.commit()
	}
	if p.End.Cancelable == decode.CancelableEarlier {
		return nil
	}
	w.keep(p.End.Earlier)
	n := 0
	for n < len(w.parts) && len(w.parts[n].End.Acts) == 0 {
		n++
	}
	if n == len(w.parts) {
		return w.commit()
	}
	for _, q := range w.parts[1 : n+1] { // the first of those that wait adds nothing
		w.rows -= q.waits.rows
		w.bytes -= q.waits.bytes
	}
	settled := w.parts[:n:n]
	w.parts = w.parts[n:]
	return settled
}

// keep has the newest n acts stay open, and makes older ones final.
func (w *pending) keep(n int) {
	for _, p := range slices.Backward(w.parts) {
		acts := &p.End.Acts
		*acts = (*acts)[max(0, len(*acts)-n):]
		n = max(0, n-len(*acts))
	}
}

// isFinal says that no later part changes p, unless parts before it may change.
func (p *decodedPart) isFinal() bool {
	kind := p.End.Cancelable
	return len(p.End.Acts) == 0 && (kind == decode.NothingCancelable || kind == decode.CancelableEarlier)
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
	for _, c := range p.Back.Acts {
		w.cancelActs(p, c)
	}
	return len(w.parts) > 0 && (len(p.Back.Aborts) > 0 || p.Back.Cancel.OK || len(p.Back.Acts) > 0)
}

// abort gives exceptions that an instruction made the address of the last one.
func (w *pending) abort(p *decodedPart) {
	if len(w.parts) == 0 {
		return
	}
	var address schema.Null[schema.Address]
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
		w.after(0, p).lower(first)
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
		p.unit.Exceptions[rows.Exception].ReturnAddress = schema.Null[schema.Address]{}
	}
}

// cancelActs cancels the newest acts before p, as far as they wait.
func (w *pending) cancelActs(p *decodedPart, c decode.BackActs) {
	event, i := &p.unit.Events[c.Event], len(w.parts)-1
	for range c.Count {
		for i >= 0 && len(w.parts[i].End.Acts) == 0 {
			i--
		}
		if i < 0 {
			event.Event, event.Detail = schema.EventInconsistent, decode.NothingToCancel
			return
		}
		if at := w.parts[i].cancelAct(); at.OK {
			event.Address = at
			w.after(i, p).lower(w.parts[i])
		}
	}
}

// after returns the part after that of an index, which is p after all that wait.
func (w *pending) after(i int, p *decodedPart) *decodedPart {
	if i+1 < len(w.parts) {
		return w.parts[i+1]
	}
	return p
}

// lower has the rows of p not count what was cancelled of the part before.
func (p *decodedPart) lower(before *decodedPart) {
	if p.Continued {
		p.lowered = lowered{before.End.Seq, before.cancelled}
	}
}

// cancelAct cancels the last act of p, and returns the address of its first instruction, if it
// executed one.
func (p *decodedPart) cancelAct() (address schema.Null[schema.Address]) {
	last := len(p.End.Acts) - 1
	n := p.End.Acts[last]
	p.End.Acts = p.End.Acts[:last]
	address, ok := p.unit.TakeBackAct(p.from, &p.to, n)
	if !ok {
		panic("stitch: an act has no run")
	}
	p.drop(int64(n))
	return address
}

// drop has the rows of p not count its last n instructions, which were cancelled.
func (p *decodedPart) drop(n int64) {
	p.cancelled += n
	p.Row.Instructions -= n
	p.unit.Lower(p.from, p.to, p.End.Seq-p.cancelled, n)
}

// cancelLast cancels the last instruction of p and returns its address. Its cost
// is that of the next instruction, which by is the first part that may have.
func (p *decodedPart) cancelLast(by *decodedPart) schema.Address {
	address, cost, ok := p.unit.TakeBack(p.from, &p.to)
	if !ok {
		panic("stitch: the last act has no run")
	}
	p.drop(1)
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
		by.End.WaitsKept += int64(cost)
	case decode.WaitsDropped, decode.WaitsLost:
	}
	return address
}

// dropReturn takes a `return` row from p; none if row is negative.
func (p *decodedPart) dropReturn(row int) {
	if row >= 0 {
		p.unit.RemoveException(row, &p.to)
	}
}
