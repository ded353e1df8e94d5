package stitch

import (
	"math"
	"slices"
	"strconv"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/access"
	"github.com/tracelake/tracelake/schema"
)

// A carry is what one segment hands to the next.
type carry struct {
	base      Base
	nextEpoch int32 // the number of the next epoch to open
	lost      bool  // packet sync was lost, or nothing came before
	// contradiction is the detail of the event that the next cut makes.
	contradiction string
	reached       schema.Null[decode.Position]
	half          bool // of the instruction there the first half was traced

	timestampRaw  uint64
	timestampBits uint8

	context schema.Null[schema.Context] // last row of `contexts`

	waits   int64                       // cycles since the last instruction
	kept    int64                       // of those: see decode.SegmentEnd.WaitsKept
	untimed bool                        // the next instruction opens the epoch: see decode.Segment.CountsEach
	restart schema.Null[decode.Restart] // the last one, Seq in the source
}

// beginSegment begins a segment with its lead, and returns the rows the lead
// makes: events, a count, or none of them.
func (c *carry) beginSegment(lead *decode.SegmentStart) (events []schema.Event, counts decode.CountRows) {
	if !c.base.Segment.OK {
		c.base.Segment = schema.Of[int32](0)
	} else {
		c.base.Segment.V++
	}
	c.base.CycleAccurate = lead.CycleAccurate
	e := lead.Effect(c.lost)
	events = c.leadEvents(lead, &e)
	c.untimed = (c.lost || c.untimed) && lead.Reason == schema.ISyncPeriodic
	if c.lost || !lead.SameContext {
		c.base.contextID = schema.Null[uint32]{}
	}
	if e.NewEpoch {
		c.base.epoch, c.base.cycle = c.nextEpoch, 0
		c.nextEpoch++
	}
	c.base.cycle += e.Cycles
	if e.Count.OK {
		e.Count.V.Cycle.OK = lead.CycleAccurate && !e.NewEpoch // and 0: the base has it already
		counts.Append(e.Count.V)
	}
	c.lost, c.contradiction = false, ""
	return events, counts
}

// leadEvents returns the events of a lead, whose effect is e. In order: a trigger that
// came with it; that it contradicts the segment before; an instruction of which only
// the first half came, if trace restarts there; the restart, or that the lead differs
// from where the flow had got to.
func (c *carry) leadEvents(lead *decode.SegmentStart, e *decode.ISyncEffect) []schema.Event {
	var events []schema.Event
	key := schema.Key{Offset: lead.Offset}
	if lead.Trigger {
		events = append(events, schema.Event{Key: key, Event: schema.EventTrigger})
	}
	if c.contradiction != "" {
		events = append(events, schema.Event{Key: key, Event: schema.EventInconsistent, Detail: c.contradiction})
	}
	split := schema.Event{Key: key, Event: schema.EventSplitInstruction, Address: schema.Of((c.reached.V.Address - 2).In32())}
	if e.Restart.OK {
		if c.half {
			events = append(events, split)
		}
		return append(events, e.Restart.V)
	}
	if here := lead.At; here.OK && c.reached.OK && c.reached.V != here.V {
		events = append(events, schema.Event{
			Key: key, Event: schema.EventInconsistent, Address: schema.Of(c.reached.V.Address),
			Detail: decode.ISyncDiffers(c.reached.V, here.V),
		})
	}
	if c.half && c.reached != lead.At { // as inside a segment
		events = append(events, split)
	}
	return events
}

// passPart takes over what a part of a segment says, as far as rows of later
// parts need it. The rows of t count instructions from seq.
func (c *carry) passPart(t *decode.SegmentEnd, seq int64, timestamps []schema.Timestamp) {
	for _, row := range timestamps {
		if !row.Unknown {
			c.base.timestamp = rowTimestamp(row.Value)
		}
	}
	if t.VMID.OK {
		c.base.vmid = t.VMID
	}
	if t.ContextID.OK {
		c.base.contextID = t.ContextID
	}
	if t.Restart.OK {
		c.restart = t.Restart
		c.restart.V.Seq += seq
	}
}

// resolve completes timestamps of which bits were not sent in their segment.
func (c *carry) resolve(code decode.TimestampCode, timestamps []schema.Timestamp) {
	for i := range timestamps {
		t := &timestamps[i]
		if t.Value.OK {
			return // and so are all after it
		}
		raw := decode.Merge(c.timestampRaw, t.Raw, t.KnownBits)
		t.KnownBits = max(t.KnownBits, c.timestampBits)
		if t.KnownBits == code.Bits {
			value := code.Value(raw)
			t.Value, t.Unknown = schema.Null[uint64]{V: value, OK: value != 0}, value == 0
		}
	}
}

// timestampEvents splits timestamps into rows and events, which it puts in order
// among those of the segment: where the value is 0 there is an event and no row,
// where it is out of range a row with NULL and an event.
func timestampEvents(timestamps []schema.Timestamp, events []schema.Event) ([]schema.Timestamp, []schema.Event) {
	if !slices.ContainsFunc(timestamps,
		func(t schema.Timestamp) bool { return t.Unknown || t.Value.V > schema.MaxUint63 }) {
		return timestamps, events
	}
	var rows []schema.Timestamp
	var more []schema.Event
	for _, t := range timestamps {
		switch {
		case t.Unknown:
			more = append(more, schema.Event{Key: t.Key, Event: schema.EventTimestampUnknown})
			continue
		case t.Value.V > schema.MaxUint63:
			more = append(more, schema.Event{
				Key: t.Key, Event: schema.EventTimestampOutOfRange,
				Detail: strconv.FormatUint(t.Value.V, 10),
			})
			t.Value = rowTimestamp(t.Value)
		}
		rows = append(rows, t)
	}
	return rows, insertEvents(events, more)
}

// mergeEvents puts more events among those of a part, which are those of its
// unit from an index on.
func mergeEvents(events []schema.Event, more []access.Unmatched, from int) []schema.Event {
	if len(more) == 0 {
		return events
	}
	merged := make([]schema.Event, 0, len(events)+len(more))
	for _, x := range more {
		n := x.After - from
		merged = append(append(merged, events[:n]...), x.Event)
		events, from = events[n:], x.After
	}
	return append(merged, events...)
}

// insertEvents puts more events, which are few, in order among those of a part.
func insertEvents(events, more []schema.Event) []schema.Event {
	if len(more) == 0 {
		return events
	}
	events = slices.Clone(events)
	for _, x := range more {
		after := func(e schema.Event) bool { return e.Seq > x.Seq || e.Seq == x.Seq && e.Offset > x.Offset }
		at := slices.IndexFunc(events, after)
		if at < 0 {
			at = len(events)
		}
		events = slices.Insert(events, at, x)
	}
	return events
}

// changes returns, of the contexts that were reported, the rows of `contexts`.
func (c *carry) changes(reported []schema.Context) []schema.Context {
	var rows []schema.Context
	for _, x := range reported {
		x.ContextID, x.VMID = c.base.ContextIDOr(x.ContextID), c.base.VMIDOr(x.VMID)
		last := c.context
		if last.OK && last.V.ContextID == x.ContextID && last.V.VMID == x.VMID && last.V.Security == x.Security &&
			last.V.ExceptionLevel == x.ExceptionLevel {
			continue
		}
		c.context = schema.Of(x)
		rows = append(rows, x)
	}
	return rows
}

// takeWaits gives the cycles since the last instruction to the first one of a
// part, whose rows begin at from and end at to.
func (c *carry) takeWaits(u *decode.Result, seg *decode.Segment, from, to decode.Ends) {
	switch seg.Back.Waits {
	case decode.WaitsTaken:
		if from[decode.Costs] < to[decode.Costs] {
			addCost(u, from, c.waits)
		}
		c.waits, c.kept = 0, 0
	case decode.WaitsDropped, decode.WaitsLost:
		c.waits, c.kept = 0, 0
	case decode.WaitsPassed:
	}
	c.waits, c.kept = c.waits+seg.End.Waits, c.kept+seg.End.WaitsKept
}

// addCost adds to the cost of the instruction that is the first from an end on.
func addCost(u *decode.Result, from decode.Ends, cycles int64) {
	cycles = min(cycles, math.MaxUint32-int64(u.Runs[from[decode.Runs]].Cycles)) // more would be no row of a schema's
	u.Costs[from[decode.Costs]] += uint32(cycles)
	u.Runs[from[decode.Runs]].Cycles += uint32(cycles)
}

// late completes the late count i of a part that belongs to a restart before it, if
// there is one that has none. It reports whether there is: the row says so then.
func (c *carry) late(counts *decode.CountRows, i int, base int64) bool {
	if !c.restart.OK || c.restart.V.Counted {
		return false
	}
	x := counts.At(i)
	x.Seq = c.restart.V.Seq - base
	if c.restart.V.Unknown {
		x.Cycles = schema.Null[int64]{}
	}
	counts.Set(i, x)
	c.restart.V.Counted = true
	return true
}

// preserve takes over what bytes report that are lost and that holds after them.
func (c *carry) preserve(code decode.TimestampCode, k decode.Preserved) {
	if k.VMID.OK {
		c.base.vmid = k.VMID
	}
	if k.TimestampBits == 0 {
		return
	}
	c.timestampRaw = decode.Merge(c.timestampRaw, k.TimestampRaw, k.TimestampBits)
	c.timestampBits = max(c.timestampBits, k.TimestampBits)
	value := schema.Null[uint64]{V: code.Value(c.timestampRaw), OK: c.timestampBits == code.Bits}
	if !value.OK || value.V != 0 { // 0 says nothing
		c.base.timestamp = rowTimestamp(value)
	}
}

// endSegment ends a segment.
func (c *carry) endSegment(code decode.TimestampCode, t *decode.SegmentEnd, instructions, exceptions int64) {
	c.base.seq += instructions
	c.base.ordinal += exceptions
	if t.Epoch > 0 {
		c.base.epoch, c.base.cycle = c.base.epoch+t.Epoch, t.Cycle
		c.nextEpoch += t.Epoch
	} else {
		c.base.cycle += t.Cycle
	}
	c.lost, c.reached, c.half = t.Lost || t.Contradiction != "", t.Reached, t.Half
	c.contradiction = t.Contradiction
	c.untimed = c.untimed || t.Untimed
	switch {
	case t.TimestampCleared:
		c.timestampRaw, c.timestampBits = 0, 0
	case t.TimestampBits > 0:
		c.timestampRaw = decode.Merge(c.timestampRaw, t.TimestampRaw, t.TimestampBits)
		c.timestampBits = max(c.timestampBits, t.TimestampBits)
	}
	if t.Broken {
		c.base.timestamp, c.base.vmid, c.restart = schema.Null[uint64]{}, schema.Null[uint32]{}, schema.Null[decode.Restart]{}
	}
	c.preserve(code, t.Preserved)
}
