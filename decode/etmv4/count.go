package etmv4

import (
	"math"

	"github.com/tracelake/tracelake/schema"
)

// This file takes cycle counts and timestamps (IHI 0064, Cycle Count and Timestamp elements).

// counted is a cycle count. Cycles are NULL if it is unknown.
type counted struct {
	offset int64 // of its packet
	cycles schema.Null[uint32]
}

// cycleCount takes a cycle count packet: it may commit, and its count belongs to a P0 element.
// Without speculation nothing is left to be committed.
func (d *Decoder) cycleCount(p *Packet) {
	c := counted{offset: d.Offset, cycles: d.cycles(p)}
	if p.HasCount && d.cfg.MaxSpec > 0 {
		d.commitCounted(uint64(p.Count.Value), c)
		return
	}
	d.attach(c)
}

// cycles returns the count of a cycle count packet, if it is known.
func (d *Decoder) cycles(p *Packet) (c schema.Null[uint32]) {
	if top := uint32(1)<<d.cfg.CycleBits - 1; !p.HasCycles || p.Cycles.Value == top { // at its end the counter stays
		return c
	}
	return schema.Of(uint32(min(d.State.Cycles(p), math.MaxUint32)))
}

// count takes a cycle count: the cycles from the P0 element of the one before to its own, which
// was walked as the instruction seq.
func (d *Decoder) count(c counted, seq int64) {
	key := schema.Key{Seq: seq, Offset: c.offset}
	if !c.cycles.OK {
		d.Rec.CountUnknown(key, schema.CountPacket)
		return
	}
	d.Rec.Cycle += int64(c.cycles.V)
	d.Rec.Count(key, int64(c.cycles.V), schema.CountPacket)
}

// A place is one in the program and in time.
type place struct {
	schema.Key
	schema.Point
}

// mark takes a timestamp marker: the next timestamp is of this place.
func (d *Decoder) mark() {
	if d.later.OK {
		d.enter()
	}
	d.dropMark()
	d.marked = schema.Of(place{d.Key(), d.Rec.Point()})
}

// dropMark takes the marker as one without a timestamp.
func (d *Decoder) dropMark() {
	if d.marked.OK {
		d.marked.OK = false
		d.Rec.Event(schema.Key{Seq: d.Walk.Seq, Offset: d.marked.V.Offset}, schema.EventTimestampUnknown,
			schema.Null[schema.Address]{}, "a marker without a timestamp")
	}
}

// timestampThen takes a timestamp, behind the exception whose handler is still to be told.
func (d *Decoder) timestampThen(e *element) {
	if d.later.OK {
		d.enter()
	}
	if !d.entering {
		d.timestamp(e)
		return
	}
	d.timestampCount(e)
	d.later, d.laterAt = schema.Of(*e), d.Rec.Point()
}

// tellLater makes the row of the timestamp that came since the exception.
func (d *Decoder) tellLater() {
	if !d.later.OK {
		return
	}
	defer d.at(d.Offset)
	d.later.OK, d.Offset = false, d.later.V.offset
	rows, marked := &d.Rec.Result.Timestamps, d.marked.OK
	n := len(*rows)
	d.timestamp(&d.later.V)
	if len(*rows) > n && !marked {
		(*rows)[n].Point = d.laterAt
	}
}

// timestampCount takes the count of a timestamp.
func (d *Decoder) timestampCount(e *element) {
	if e.count.OK {
		d.Rec.Count(d.Key(), int64(e.count.V.cycles.V), schema.CountTimestamp)
		e.count.OK = false
	}
}

// timestamp takes a timestamp, which is always complete. Its count, of the cycles since the last
// cycle count, is in no sum: the next cycle count has them too.
func (d *Decoder) timestamp(e *element) {
	d.timestampCount(e)
	key, rows := d.Key(), &d.Rec.Result.Timestamps
	n, mark := len(*rows), d.marked
	if d.marked.OK = false; mark.OK && e.value != 0 { // 0 is an event, which is here
		key.Seq = mark.V.Seq
	}
	d.Rec.Timestamp(key, e.value, d.Rec.Timestamps.Bits, false)
	if mark.OK && len(*rows) > n {
		(*rows)[n].Point = mark.V.Point
	}
}

// attach gives a count to the newest P0 element: if that is applied already, or has a count,
// the count stands alone.
func (d *Decoder) attach(c counted) {
	q := &d.queue
	for i := len(q.items) - 1; i >= q.head; i-- {
		if e := &q.items[i]; e.p0 > 0 {
			if !e.count.OK {
				e.count = schema.Of(c)
				d.release(nil, false)
				return
			}
			break
		}
	}
	d.push(element{kind: CycleCount, offset: c.offset, count: schema.Of(c)})
}
