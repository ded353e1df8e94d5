package record

import (
	"fmt"

	"github.com/tracelake/tracelake/decode"

	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// This file is the rows that a [Recorder] writes, a method for each kind.

// Event records an event.
func (r *Recorder) Event(key schema.Key, e schema.EventKind, address schema.Null[schema.Address], detail string) {
	r.Result.Events = append(r.Result.Events, schema.Event{Key: key, Event: e, Address: address, Detail: detail})
}

// Inconsistent records that the trace and the program image disagree at an
// address.
func (r *Recorder) Inconsistent(key schema.Key, address schema.Address, detail string) {
	r.Event(key, schema.EventInconsistent, schema.Of(address), detail)
}

// Unmapped records that the flow reached an instruction at an address that is in
// no image of mem.
func (r *Recorder) Unmapped(key schema.Key, mem *image.Memory, at schema.Address) {
	detail, here := "", r.Space()
	// The first halfword of a 32-bit instruction may be mapped.
	if space, ok := mem.MappedElsewhere(here, at); ok && mem.Fetch(here, at) == nil {
		detail = fmt.Sprintf("no memory in the %s space, but in %s", here, space)
	}
	r.Event(key, schema.EventUnmapped, schema.Of(at), detail)
}

// RecordContext records the context from here on, with the instruction set if it
// is known.
func (r *Recorder) RecordContext(key schema.Key, state schema.Null[schema.ISA]) {
	r.spanDue = true
	r.Result.Contexts = append(r.Result.Contexts, schema.Context{
		Key: key, ContextID: r.ContextID, VMID: r.VMID, Security: r.Security(),
		ExceptionLevel: r.ExceptionLevel, ISA: state,
	})
}

// SetTransaction says whether the core is in a transaction from here on.
func (r *Recorder) SetTransaction(in bool) {
	if now := schema.Of(in); r.Transaction != now {
		r.Transaction, r.spanDue = now, true
	}
}

// Count records a cycle count that was traced and is already added to Cycle.
func (r *Recorder) Count(key schema.Key, cycles int64, kind schema.CountKind) {
	if r.Summed {
		r.Sum(kind, 1, cycles)
		return
	}
	r.Result.Counts.Append(schema.CycleCount{
		Key: key, Point: r.Point(), Cycles: schema.Of(cycles), Kind: kind,
	})
}

// OpenEpoch begins an epoch: what passed before it is not counted.
func (r *Recorder) OpenEpoch() {
	r.Epoch++
	r.Cycle, r.spanDue = 0, true
}

// CountUnknown records a count that does not say how many: an epoch begins with it.
func (r *Recorder) CountUnknown(key schema.Key, kind schema.CountKind) {
	r.OpenEpoch()
	r.Result.Counts.Append(schema.CycleCount{Key: key, Point: schema.Point{Epoch: r.Epoch}, OutOfEpoch: true, Kind: kind})
}

// Sum records n counts of the current epoch whose rows are not wanted.
func (r *Recorder) Sum(kind schema.CountKind, n, cycles int64) {
	if n == 0 {
		return
	}
	for i := len(r.Result.Sums) - 1; i >= r.sums && r.Result.Sums[i].Epoch == r.Epoch; i-- {
		if x := &r.Result.Sums[i]; x.Kind == kind {
			x.Counts, x.Cycles = x.Counts+n, x.Cycles+cycles
			return
		}
	}
	r.Result.Sums = append(r.Result.Sums, schema.CountSum{Epoch: r.Epoch, Kind: kind, Counts: n, Cycles: cycles})
}

// Gap records that trace was off in the last cycles of packets of cycles alone: it
// restarts.
func (r *Recorder) Gap(cycles int64) {
	r.Result.Sums = append(r.Result.Sums, schema.CountSum{Epoch: r.Epoch, Kind: schema.CountPacket, Gap: cycles})
}

// KeepSums has no more counts added to the sums so far: the decoder may come back to them.
func (r *Recorder) KeepSums() { r.sums = len(r.Result.Sums) }

// Timestamp records a timestamp. The packet replaces the low bits of the value
// as sent; a value of 0 is unknown.
func (r *Recorder) Timestamp(key schema.Key, raw uint64, bits uint8, clockChange bool) {
	if clockChange {
		r.Event(key, schema.EventClockChange, schema.Null[schema.Address]{}, "")
	}
	r.timestampRaw = decode.Merge(r.timestampRaw, raw, bits)
	r.timestampBits = max(r.timestampBits, bits)
	row := schema.Timestamp{Key: key, Point: r.Point(), Raw: r.timestampRaw, KnownBits: r.timestampBits}
	if r.timestampBits == r.Timestamps.Bits {
		row.Value = schema.Of(r.Timestamps.Value(r.timestampRaw))
		if row.Value.V == 0 {
			r.Event(key, schema.EventTimestampUnknown, schema.Null[schema.Address]{}, "")
			return
		}
	}
	r.timestamp = int32(len(r.Result.Timestamps))
	r.Result.Timestamps = append(r.Result.Timestamps, row)
	r.spanDue = true
}

// Enter records the entry to an exception, in the context of its handler. x has
// the fields of the packet.
func (r *Recorder) Enter(x schema.Exception) {
	x.Point = r.Point()
	r.EnterAt(x)
}

// EnterAt does so for an exception that came earlier: it has its Point.
func (r *Recorder) EnterAt(x schema.Exception) {
	x.Event = schema.ExceptionEntry
	r.exception(&x)
	r.Segment.Row.Exceptions++
}

// Return records an exception return.
func (r *Recorder) Return(key schema.Key) {
	r.exception(&schema.Exception{Key: key, Event: schema.ExceptionReturn, Point: r.Point()})
}

func (r *Recorder) exception(x *schema.Exception) {
	x.Timestamp = r.timestamp
	x.ContextID, x.VMID, x.Security, x.ExceptionLevel = r.ContextID, r.VMID, r.Security(), r.ExceptionLevel
	r.Result.Exceptions = append(r.Result.Exceptions, *x)
}

// Packet makes the row of `packets` of the packet at Part.Data[i], or of the sample
// there: its bytes are those that it owes.
func (r *Recorder) Packet(i int, seq int64, text decode.PacketText) {
	b := text.Owed
	if r.unitShift == 0 {
		b = r.Part.Data[i : i+text.Len]
	}
	r.Result.Packets = append(r.Result.Packets, schema.Packet{
		Key: schema.Key{Seq: seq, Offset: r.Offset(i)}, Type: text.Type, Bytes: append([]byte(nil), b...),
		Fields: text.JSON(),
	})
}

// Point returns the position in time.
func (r *Recorder) Point() schema.Point {
	p := schema.Point{Epoch: r.Epoch}
	if r.CycleAccurate {
		p.Cycle = schema.Of(r.Cycle)
	}
	return p
}
