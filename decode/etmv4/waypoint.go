package etmv4

import (
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file follows atoms and source addresses (IHI 0064, Atom elements; Source address
// elements): each is a P0 instruction, here a waypoint of the walk.

// atom takes an atom of a packet of so many bytes, which are set to 0 when they are counted as
// unplaced.
func (d *Decoder) atom(executed bool, c *counted, bytes *uint8) {
	d.enter()
	if d.arrive() && d.toWaypoint(executed, c) {
		d.leave(executed)
		return
	}
	d.unplaced(bytes)
	if c != nil {
		d.count(*c, d.Walk.Seq)
	}
}

// unplaced takes a P0 element at an unknown address.
func (d *Decoder) unplaced(bytes *uint8) {
	d.Rec.Segment.Row.BytesUnplaced += int64(*bytes)
	*bytes = 0
	if !d.Rec.Unplaced.Active {
		d.OpenUnplaced(schema.EventNoAddress, schema.Null[schema.Address]{})
		d.Rec.Unplaced.Quiet = d.quiet
	}
	d.Rec.Unplaced.Count++
}

// toWaypoint walks over the next waypoint. If there is none, the position becomes unknown.
func (d *Decoder) toWaypoint(executed bool, c *counted) bool {
	d.Rec.Settle()
	source := flow.Source{Offset: d.Offset}
	if c != nil && c.cycles.OK {
		source.Cycles, source.Cycle, source.Flags = c.cycles.V, d.Rec.Cycle+int64(c.cycles.V), schema.RunHasCycles
	}
	if !d.arrived(d.Walk.ToWaypoint(&source, executed)) {
		return false
	}
	if c != nil {
		d.count(*c, d.Walk.Seq-1)
	}
	return true
}

// arrived reports whether a walk arrived. If not, it records why.
func (d *Decoder) arrived(stop flow.Stop) bool {
	switch stop {
	case flow.Arrived:
		return true
	case flow.Missing:
		d.Unmapped(d.Walk.MissingAddress())
	case flow.Endless:
		d.Inconsistent(d.Walk.PC().Address, "no P0 instruction, or an undefined one before it: wrong program image?")
	default:
		panic("etmv4: a walk that nobody asked for")
	}
	d.lose(true)
	return false
}

// leave continues after the waypoint.
func (d *Decoder) leave(executed bool) {
	w := d.Walk.Waypoint()
	switch {
	case !executed:
		if !d.conditional(w) {
			d.Inconsistent(d.Walk.WaypointAddress(), "an instruction without a condition was not executed")
		}
		d.Walk.Pass()
	case w.Flow == isa.Indirect:
		if d.cfg.ETE && w.Kind == schema.KindExceptionReturn {
			d.Rec.Return(d.Key())
		}
		d.owed = true
	default:
		d.follow(w)
	}
}

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
	for d.Walk.Seq-seq <= schema.MaxBlock {
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
		if !ok || at > to || !passed && !d.conditional(&in) || d.Walk.ToWaypoint(&source, passed) != flow.Arrived {
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
