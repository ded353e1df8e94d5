package etmv2

import (
	"github.com/tracelake/tracelake/bench/encode/pipestat"
	"github.com/tracelake/tracelake/decode/etmv2"
)

// This file is one core clock (§6.5): a status, the bytes that enter the FIFO, and
// what leaves it on the pins.

// The statuses (§5.1). A status below WT, or with a phantom, is that of an
// instruction; bit 0 of it says that it has packets, bit 1 that it failed its
// condition.
const (
	statusIE        = 0
	statusWT        = 4
	statusDW        = 5
	statusTR        = 6
	statusTD        = 7
	hasPackets      = 1 << 0
	hasFailed       = 1 << 1
	phantomTaken    = 8
	phantomNotTaken = 12
	// idle is the status of a cycle in which nothing is traced: WT or TD.
	idle = 0xFF
)

// clock is one core clock with a status, whose packets enter the FIFO. It returns
// the place of its sample.
func (e *Encoder) clock(status uint8, packets []byte) (at int64) {
	at, triggered := e.drive(status, packets)
	if triggered {
		e.TriggerRow(at)
	}
	return at
}

// drive is a core clock without the row of its trigger.
func (e *Encoder) drive(status uint8, packets []byte) (at int64, triggered bool) {
	if e.opt.First == etmv2.FirstSame {
		e.FIFO.Append(packets)
	}
	at, triggered = e.Samples.Count(), e.Trigger()
	switch {
	case triggered:
		e.Write(statusTR, pipestat.Pins{Packet: uint16(replaced(status)), Mask: 0xF})
	default:
		pins, carried := e.pins()
		if status == idle {
			status, pins = e.idleStatus(pins, carried)
		}
		e.Write(status, pins)
	}
	if e.opt.First == etmv2.FirstNext {
		e.FIFO.Append(packets)
	}
	return at, triggered
}

// replaced is the status that a trigger shows in place of another.
func replaced(status uint8) uint8 {
	if status == idle {
		return statusWT
	}
	return status
}

// pins is what goes out in this sample, and whether that is anything: what is due
// of a TFO, or of the FIFO.
func (e *Encoder) pins() (p pipestat.Pins, carried bool) {
	if len(e.due) > 0 {
		next := e.due[0]
		e.due = e.due[1:]
		return next(), true
	}
	p = e.FIFO.Next()
	return p, p.Mask != 0
}

// idleStatus is the status of an idle cycle: WT while anything goes out, else TD,
// whose low pins say in cycle-accurate trace that trace is on.
func (e *Encoder) idleStatus(p pipestat.Pins, carried bool) (uint8, pipestat.Pins) {
	switch {
	case carried:
		return statusWT, p
	case e.opt.CycleAccurate && e.On:
		return statusTD, pipestat.Pins{Packet: etmv2.Idle, Mask: 0xF}
	default:
		return statusTD, pipestat.Pins{Mask: 1}
	}
}

// tfoCycle is the clock of a TFO, whose packet enters the FIFO (§5.2). The value is
// the number of bytes before it. Without a gap it splits a byte only with variation: who
// starts there cannot tell.
func (e *Encoder) tfoCycle(packet []byte) (at int64, triggered bool) {
	whole := e.opt.Gap == etmv2.GapNone && !e.Vary.Happens(e.Vary.SplitByte)
	for len(e.due) > 0 || e.FIFO.Len() > e.opt.MaxTFOValue() || whole && e.FIFO.Halved() {
		e.clock(idle, nil)
	}
	value := e.opt.TFOByte(e.FIFO.Len())
	e.FIFO.Append(packet)
	at, triggered = e.Samples.Count(), e.Trigger()
	e.due = e.valueSamples(value)
	if triggered {
		e.Write(statusTR, pipestat.Pins{Packet: statusTD, Mask: 0xF})
	} else {
		p, _ := e.pins()
		e.Write(statusTD, p)
	}
	return at, triggered
}

// valueSamples are the samples of a TFO value: one, or on 4 pins one for each
// nibble and a gap, which carries the rest of a byte that the TFO split.
func (e *Encoder) valueSamples(value uint8) []func() pipestat.Pins {
	driven := func(v uint8, mask uint16) func() pipestat.Pins {
		return func() pipestat.Pins { return pipestat.Pins{Packet: uint16(v), Mask: mask} }
	}
	if e.opt.Width != 4 {
		return []func() pipestat.Pins{driven(value, 0xFF)}
	}
	samples := []func() pipestat.Pins{driven(value&0xF, 0xF), driven(value>>4, 0xF)}
	if e.opt.Gap == etmv2.GapAfter {
		samples = append(samples, e.gap)
	}
	return samples
}

func (e *Encoder) gap() pipestat.Pins {
	nibble, ok := e.FIFO.Half()
	if !ok {
		return pipestat.Pins{}
	}
	return pipestat.Pins{Packet: uint16(nibble), Mask: 0xF}
}

// drain waits until the FIFO is empty.
func (e *Encoder) drain() {
	for len(e.due) > 0 || !e.FIFO.Empty() {
		e.clock(idle, nil)
	}
}
