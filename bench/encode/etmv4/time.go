package etmv4

import (
	"fmt"
	"math/bits"
	"strconv"

	codec "github.com/tracelake/tracelake/decode/etmv4"
	"github.com/tracelake/tracelake/schema"
)

// This file sends cycle counts, timestamps and events (§8, §5.5).

// counter is the cycle counter.
type counter struct {
	known bool   // there was a count since trace came on
	at    uint64 // time of the P0 element of the last count
}

func bitsOf(v uint64) int { return bits.Len64(v) }

// countsCommit says whether cycle count packets commit, so that each comes with a commit.
func (e *Encoder) countsCommit() bool { return !e.opt.CommOpt && e.opt.MaxSpec > 0 }

// countDue says whether a cycle count comes right after the last P0 element.
func (e *Encoder) countDue() bool {
	return e.opt.CycleCounting && !e.countsCommit() && e.reaches(e.now)
}

// reaches says whether the cycles up to a time are as many as a count has at least.
func (e *Encoder) reaches(time uint64) bool {
	return !e.counts.known || time-e.counts.at >= uint64(e.opt.Threshold)
}

// count sends the cycle count that belongs to an element.
func (e *Encoder) count(x *element) { x.count = schema.Of(e.sendCount(x.time, 0)) }

// sendCount sends a count up to a time, which commits n P0 elements where counts commit.
func (e *Encoder) sendCount(time uint64, n int) count {
	p := codec.Packet{Kind: codec.CycleCount, Format: 1, HasCount: !e.opt.CommOpt}
	c, field := count{}, uint64(0)
	if e.counts.known {
		c.cycles = schema.Of(time - e.counts.at)
		field = c.cycles.V - uint64(e.opt.Threshold)
	}
	if field >= e.opt.counter() { // it stayed at its maximum
		c.cycles.OK, field = false, e.opt.counter()
	}
	p.HasCycles = e.counts.known && (c.cycles.OK || e.vary.Happens(e.vary.Fields))
	p.Cycles = e.vary.field(uint32(field), 3)
	if p.HasCount {
		p.Count = e.vary.field(uint32(n), 5)
	}
	if c.cycles.OK && !e.vary.Happens(e.vary.Fields) {
		e.shorten(&p, n)
	}
	if !p.HasCycles {
		p.Cycles = codec.Field{}
	}
	c.offset = e.emit(p)
	e.counts = counter{known: true, at: time}
	return c
}

// shorten gives a count the shorter formats, if they have it.
func (e *Encoder) shorten(p *codec.Packet, n int) {
	commits := codec.Field{}
	if p.HasCount {
		commits.Value = uint32(max(n, 1)) // without speculation they commit nothing
	}
	fromMax := int(e.opt.MaxSpec) - n
	switch field := p.Cycles.Value; {
	case n <= 4 && field <= 3:
		p.Format, p.Count, p.Cycles.Bytes = 3, commits, 0
	case field <= 15 && n <= 16:
		p.Format, p.Count, p.Cycles.Bytes = 2, commits, 0
		p.FromMax = e.opt.CommOpt && e.vary.Happens(e.vary.Fields)
	case field <= 15 && p.HasCount && fromMax >= 0 && fromMax <= 15:
		p.Format, p.Count, p.Cycles.Bytes, p.FromMax = 2, commits, 0, true
	}
}

// beside sends what is not of the program and is due, or comes now and then.
func (e *Encoder) beside() {
	if e.timeDue || e.vary.Happens(e.vary.Timestamps) {
		e.timestamp()
	}
	if e.vary.Happens(e.vary.Events) {
		e.flush()
		e.extra()
	}
}

// timestamp sends the time, if timestamps are traced.
func (e *Encoder) timestamp() {
	e.timeDue = false
	if !e.opt.Timestamps {
		return
	}
	e.flush()
	if e.opt.TimestampMarker {
		e.emit(codec.Packet{Kind: codec.TimestampMarker})
	}
	width := e.opt.TimestampBits()
	value := e.opt.TimestampBase + e.now/max(1, e.opt.CyclesPerTick)
	if width < 64 {
		value &= 1<<width - 1
	}
	n := max(1, uint8(bitsOf(value^e.state.Timestamp)+6)/7)
	n = e.vary.Bytes(e.vary.Fields, min(n, 9), (width+6)/7-width/64)
	p := codec.Packet{Kind: codec.Timestamp, Timestamp: value, TimestampBytes: n}
	if n < 9 {
		p.Timestamp &= 1<<(7*n) - 1
	}
	since := e.now - e.counts.at
	if p.HasCycles = e.opt.CycleCounting && e.counts.known && since <= e.opt.counter(); p.HasCycles {
		p.Cycles = e.vary.field(uint32(since), 3)
	}
	at := e.emit(p)
	e.truth.told.timestamp = schema.Null[uint64]{V: value, OK: value != 0 && value <= schema.MaxUint63}
	e.truth.early = append(e.truth.early, func() { e.truth.earlyTime(at, value, width) })
	e.truth.push(element{offset: at, stays: true, tell: func() {
		if p.HasCycles {
			e.truth.Count(e.truth.Key(at), schema.CountTimestamp, int64(since))
		}
		e.truth.Time(at, value, width, width)
	}})
}

// extra sends an event, Instrumentation, or elements of conditional instructions, which change no row.
func (e *Encoder) extra() {
	switch k := e.vary.UpTo(2); {
	case k == 0 && e.opt.Instrumentation:
		p := codec.Packet{Kind: codec.Instrumentation, Value: uint64(e.vary.Number())<<32 | uint64(e.vary.Number())}
		p.Context.EL = uint8(e.vary.UpTo(3))
		at := e.emit(p)
		e.truth.pushEvent(at, schema.EventInstrumentation, fmt.Sprintf("el%d 0x%x", p.Context.EL, p.Value))
	case k == 1 && e.opt.Cond != 0:
		e.conditional()
	default:
		e.events(uint8(1 + e.vary.UpTo(14)))
	}
}

// conditional sends elements of conditional instructions, and results.
func (e *Encoder) conditional() {
	x := codec.Conditional{Variant: uint8(e.vary.UpTo(2))}
	p := codec.Packet{Kind: codec.ConditionalInstruction, Format: 2}
	switch e.vary.UpTo(4) {
	case 0:
		p.Kind, p.Format = codec.ConditionalFlush, 0
		x = codec.Conditional{}
	case 1:
		p.Format, x = 1, codec.Conditional{Key: e.vary.field(e.vary.Number()>>20, 5)}
	case 2:
		p.Kind, p.Format, x.KeyStep = codec.ConditionalResult, 2, uint8(1+e.vary.UpTo(1))
	case 3:
		p.Kind, p.Format, x = codec.ConditionalResult, 3, codec.Conditional{Tokens: uint16(e.vary.UpTo(0xfff))}
	}
	p.Conditional = x
	e.emit(p)
}

// events sends that events occurred.
func (e *Encoder) events(mask uint8) {
	at := e.emit(codec.Packet{Kind: codec.Event, Events: mask})
	for i := range 4 {
		if mask>>i&1 != 0 {
			e.truth.pushEvent(at, schema.EventTrigger, strconv.Itoa(i))
		}
	}
}
