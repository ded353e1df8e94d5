package etmv4

import (
	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file follows atoms (IHI 0064, Atom elements): each is a P0 instruction, here a waypoint of
// the walk.

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
		if !w.MayFail(d.Walk.ISA()) {
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
