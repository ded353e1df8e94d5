package etmv1

import (
	"github.com/tracelake/tracelake/bench/encode/pipestat"
)

// This file is one core clock (§6.5): a status, the bytes that enter the FIFO, and
// what leaves it on the pins.

// The statuses (§4.1).
const (
	statusIE = 0
	statusID = 1
	statusIN = 2
	statusWT = 3
	statusBE = 4
	statusBD = 5
	statusTR = 6
	statusTD = 7
	// idle is the status of a cycle in which nothing is traced: WT or TD.
	idle = 0xFF
)

// owed is what a status puts into the FIFO: data, then an address.
type owed struct{ data, address []byte }

// clock is one core clock with a status, whose bytes enter the FIFO. It returns
// the place of its sample.
func (e *Encoder) clock(status uint8, bytes owed) (at int64) {
	at, triggered := e.drive(status, bytes)
	if triggered {
		e.TriggerRow(at)
	}
	return at
}

// drive is a core clock without the row of its trigger.
func (e *Encoder) drive(status uint8, bytes owed) (at int64, triggered bool) {
	e.FIFO.Append(bytes.data)
	if len(bytes.address) > 0 {
		e.FIFO.AppendAddress(bytes.address)
	}
	at, triggered = e.Samples.Count(), e.Trigger()
	if triggered {
		shown := status
		if status == idle {
			shown = statusWT
		}
		e.write(statusTR, pipestat.Pins{Packet: uint16(shown), Mask: 7})
		return at, triggered
	}
	pins := e.FIFO.Next()
	if status == idle {
		status, pins = e.idleStatus(pins)
	}
	e.write(status, pins)
	return at, triggered
}

// idleStatus is the status of an idle cycle: WT while bytes go out, else TD, whose
// low pin says in cycle-accurate trace whether trace is on.
func (e *Encoder) idleStatus(p pipestat.Pins) (uint8, pipestat.Pins) {
	switch {
	case p.Mask != 0:
		return statusWT, p
	case e.opt.CycleAccurate && e.On:
		return statusTD, pipestat.Pins{Packet: 1, Mask: 1}
	default:
		return statusTD, pipestat.Pins{Mask: 1}
	}
}

// write writes a sample.
func (e *Encoder) write(status uint8, p pipestat.Pins) {
	if at := e.Samples.Count(); e.Write(status, p) {
		e.cutAt(at)
	}
}

// window is the two clocks after a branch: its address packet offset (§4.3).
func (e *Encoder) window(apo int) {
	e.clock(uint8(apo&3), owed{})
	e.clock(uint8(apo>>2), owed{})
}

// tooMany is the offset of a branch whose address is too far to be found by it: who
// begins to decode there could not. It is no cut.
const tooMany = 15

// offset is the address packet offset of a branch in the next clock: how many
// addresses are to come out before its own.
func (e *Encoder) offset() int {
	return min(e.FIFO.Addresses(), tooMany)
}

// drain waits until the FIFO is empty.
func (e *Encoder) drain() {
	for !e.FIFO.Empty() {
		e.clock(idle, owed{})
	}
}
