package etmv4

import (
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file follows source addresses (ETE, Source Address elements).

// sourceAddress takes a source address: the instruction there was executed, and all P0
// instructions before it failed their condition.
func (d *Decoder) sourceAddress(e *element, c *counted) {
	d.enter()
	known := d.arrive()
	to := d.pc(Target{e.target.Address, known && d.Walk.ISA() == schema.T32 || !known && d.target.IS1})
	if !known || to.Address < d.Walk.PC().Address {
		d.Rec.Event(d.Key(), schema.EventNoAddress, schema.Of(to.Address), "")
		d.Walk.Goto(to, d.Rec.Security())
	} else if !d.toSource(to.Address) {
		d.Walk.Goto(to, d.Rec.Security())
	}
	d.CloseUnplaced()
	if !d.executeSource(to.Address, c) {
		d.unplaced(&e.bytes)
		if c != nil {
			d.count(*c, d.Walk.Seq)
		}
	}
}

// toSource walks to the instruction at a source address. If it cannot be where the flow goes
// on, nothing is walked.
func (d *Decoder) toSource(to schema.Address) bool {
	d.Rec.Settle()
	source, runs, seq := flow.Source{Offset: d.Offset}, len(d.Rec.Result.Runs), d.Walk.Seq
	for range maxPassed {
		n, stop := d.Walk.Distance(to)
		if stop == flow.Arrived {
			d.Walk.Advance(&source, n)
			return true
		}
		if stop == flow.Missing {
			d.Walk.Advance(&source, n+1)
			return d.arrived(flow.Missing)
		}
		in, at, ok := d.Walk.Upcoming()
		passed := ok && in.Flow != isa.Direct && in.Flow != isa.Indirect // it was executed
		if !ok || at > to || !passed && !in.MayFail(d.Walk.ISA()) || d.Walk.ToWaypoint(&source, passed) != flow.Arrived {
			break
		}
		d.Walk.Pass()
	}
	d.Walk.Retreat(runs, seq)
	d.Inconsistent(to, "a source address to which no code leads")
	return false
}

// executeSource executes the instruction at the position, which is a source address.
func (d *Decoder) executeSource(to schema.Address, c *counted) bool {
	if _, at, ok := d.Walk.Upcoming(); ok && at == to {
		if !d.toWaypoint(true, c) {
			return false
		}
		d.leave(true)
		return true
	}
	d.Rec.Settle()
	if n, stop := d.Walk.Advance(&flow.Source{Offset: d.Offset}, 1); n == 0 {
		return d.arrived(stop)
	}
	d.Inconsistent(to, "a source address at an instruction that is no P0 instruction")
	if c != nil {
		d.count(*c, d.Walk.Seq-1)
	}
	return true
}
