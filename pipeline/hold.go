package pipeline

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// A part is what a decoder made of a segment, or of a part of one: its rows are
// a stretch of a unit.
type part struct {
	decode.Segment
	unit     *decode.Unit
	numbers  []uint32 // of the unit's blocks
	from, to decode.Ends
	// lowered is not 0 if the instruction before the part, which is of its
	// segment, was taken back: from that ordinal on, rows count one too many.
	lowered int64
}

// A hold has the parts that may still change: the first has the last act, the
// others behind it have none. Nothing else reaches back (docs/etmv3.md §4.6).
type hold struct {
	parts []*part
	rows  int
	bytes int64
}

// add adds a part to those that wait.
func (h *hold) add(p *part) {
	if len(h.parts) > 0 {
		h.rows += p.rows()
		h.bytes += p.Row.Bytes
	}
	h.parts = append(h.parts, p)
}

// full says that no more may wait.
func (h *hold) full() bool { return h.rows >= heldRows || h.bytes >= heldBytes }

// release returns the parts that waited: nothing changes them any more.
func (h *hold) release() []*part {
	parts := h.parts
	*h = hold{}
	return parts
}

// rows counts the rows of a part that wait for the last act, its own in
// `segments` too.
func (p *part) rows() int {
	return p.to.Exceptions - p.from.Exceptions + p.to.Counts - p.from.Counts + p.to.Timestamps - p.from.Timestamps +
		p.to.Contexts - p.from.Contexts + p.to.Events - p.from.Events + p.to.Losses - p.from.Losses +
		p.to.Data - p.from.Data + 1
}

// settle applies what a part does to those before it.
func (h *hold) settle(p *part) {
	if len(p.Back.Aborts) > 0 {
		h.abort(p)
	}
	if p.Back.Cancel.OK {
		h.cancel(p)
	}
}

// abort gives exceptions that an instruction made the address of the last one.
func (h *hold) abort(p *part) {
	if len(h.parts) == 0 {
		return
	}
	var address schema.Null[uint32]
	switch first := h.parts[0]; first.Tail.Act {
	case decode.InstructionAct:
		address.V, address.OK = first.unit.LastAddress(first.from, first.to)
	case decode.UnplacedAct:
	default:
		return
	}
	for _, i := range p.Back.Aborts {
		p.unit.Exceptions[i].ReturnAddress = address
	}
}

// cancel takes back the last act before p.
func (h *hold) cancel(p *part) {
	told := p.Back.Cancel.V
	event := &p.unit.Events[told.Event]
	if len(h.parts) == 0 {
		event.Event, event.Detail = schema.EventInconsistent, decode.NothingToCancel
		return
	}
	first := h.parts[0]
	act := first.Tail.Act
	first.Tail.Act = decode.NoAct
	switch act {
	case decode.InstructionAct:
		address := first.takeBack(p)
		event.Address = schema.Of(address)
		p.unit.Exceptions[told.Exception].ReturnAddress = event.Address
		for _, held := range h.parts {
			held.dropReturn(held.Tail.Return)
		}
		p.dropReturn(told.Return)
		if next := append(h.parts[1:len(h.parts):len(h.parts)], p)[0]; next.Continued {
			next.lowered = first.Tail.Seq
		}
	case decode.ReturnAct:
		first.dropReturn(first.Tail.Return)
		if told.Datum >= 0 {
			p.unit.Data[told.Datum].Kind = decode.DatumReturnCancelled
		}
		p.unit.RemoveEvent(told.Event, &p.to)
		if c := &p.Back.Count; c.OK && c.V.Event > told.Event {
			c.V.Event--
		}
	default: // an instruction without a row
		p.unit.Exceptions[told.Exception].ReturnAddress = schema.Null[uint32]{}
	}
}

// takeBack takes the last instruction of p back and returns its address. Its
// cost is that of the next instruction, which by is the first that may have.
func (p *part) takeBack(by *part) uint32 {
	address, cost, ok := p.unit.TakeBack(p.from, &p.to)
	if !ok {
		panic("pipeline: the last act has no run")
	}
	p.Row.Instructions--
	p.unit.Lower(p.from, p.to, p.Tail.Seq-1)
	if p.from.Costs == p.to.Costs && p.Back.Waits == decode.WaitsTaken {
		p.Back.Waits = decode.WaitsPassed // it would have taken those from before p
	}
	switch by.Back.Waits {
	case decode.WaitsTaken:
		if by.from.Costs < by.to.Costs {
			addCost(by.unit, by.from, int64(cost))
		}
	case decode.WaitsPassed:
		by.Tail.Waits += int64(cost)
	case decode.WaitsDropped:
	}
	return address
}

// dropReturn takes a `return` row from p; none if row is negative.
func (p *part) dropReturn(row int) {
	if row >= 0 {
		p.unit.RemoveException(row, &p.to)
	}
}
