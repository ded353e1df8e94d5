package etmv4

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// This file is what elements say beside the flow of the program: counts, timestamps, events,
// transactions, and where trace is off.

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

// timestamp takes a timestamp, which is always complete. Its count, of the cycles since the last
// cycle count, is in no sum: the next cycle count has them too.
func (d *Decoder) timestamp(e *element) {
	if e.count.OK {
		d.Rec.Count(d.Key(), int64(e.count.V.cycles.V), schema.CountTimestamp)
	}
	d.Rec.Timestamp(d.Key(), e.value, d.Rec.Timestamps.Bits, false)
}

// events takes the events of an Event element.
func (d *Decoder) events(mask uint8) {
	for i := range 4 {
		if mask>>i&1 != 0 {
			d.event(schema.EventTrigger, "%d", i)
		}
	}
}

// traceOn takes a Trace On: what ran before it is not traced.
func (d *Decoder) traceOn() {
	d.enter()
	d.CloseUnplaced()
	reason := schema.ISyncTraceOn
	if d.overflowed {
		reason = schema.ISyncOverflow
	}
	d.restart(reason)
	d.lose(false)
	d.Walk.EmptyStack()
}

// restart records that trace starts again.
func (d *Decoder) restart(reason schema.ISyncReason) {
	d.overflowed = false
	d.Rec.Restart(decode.SegmentStart{Offset: d.Offset, Reason: reason, CycleAccurate: d.cfg.CycleCounting}, d.Walk.Seq)
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
	d.overflowed = kind == Overflow
	if kind == Discard {
		d.Rec.OpenEpoch()
	}
}

// inTransaction reports whether INFO says that the core is in a transaction.
func (d *Decoder) inTransaction(info uint32) bool { return d.cfg.ETE && info&InfoTransaction != 0 }

// changeTransaction takes the start or the commit of a transaction.
func (d *Decoder) changeTransaction(kind Kind) {
	d.enter()
	event := schema.EventTransactionCommit
	if d.transaction = kind == TransactionStart; d.transaction {
		event = schema.EventTransactionStart
	}
	d.event(event, "")
}

// transactionFails takes the failure of a transaction: the flow goes on at the address that
// comes next.
func (d *Decoder) transactionFails() {
	d.transaction = false
	d.event(schema.EventTransactionFail, "")
	d.lose(false)
}

// checkInfo compares what a Trace Info says of the configuration with the registers.
func (d *Decoder) checkInfo(info uint32) {
	registers := uint32(d.cfg.Cond)<<InfoCondShift | uint32(d.cfg.InstP0)<<4
	if d.cfg.CycleCounting {
		registers |= InfoCycleCounting
	}
	if told := info & (InfoTransaction - 1); told != registers {
		d.contradiction("trace_info: INFO is 0x%x, by TRCCONFIGR it is 0x%x", told, registers)
	}
}
