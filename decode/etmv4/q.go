package etmv4

import (
	"strconv"

	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// q takes a Q element: so many instructions ran up to its address, but not how branches went
// (IHI 0064, Q elements).
func (d *Decoder) q(e *element) {
	d.enter()
	to, known := d.pc(e.target), d.arrive()
	switch {
	case !e.hasQ:
		d.Rec.Event(d.Key(), schema.EventQUnresolved, schema.Of(to.Address), "")
	case !known || e.value > schema.MaxBlock:
		d.unresolved(e.value, to.Address)
	default:
		d.walkQ(int(e.value), to.Address)
	}
	d.CloseUnplaced()
	d.goTo(e.target)
}

// unresolved records that instructions ran, up to an address, of which nothing is known.
func (d *Decoder) unresolved(n uint64, to schema.Address) {
	d.Rec.Event(d.Key(), schema.EventQUnresolved, schema.Of(to), strconv.FormatUint(n, 10))
}

// walkQ walks n instructions as far as no condition decides, but no further: they end at an
// address. If they end elsewhere, the path was another one.
func (d *Decoder) walkQ(n int, to schema.Address) {
	d.Rec.Settle()
	runs, seq, left := len(d.Rec.Result.Runs), d.Walk.Seq, n
	source := flow.Source{Offset: d.Offset}
	ends := d.Walk.PC().Address
	for passed := 0; left > 0; passed++ {
		walked, stop := d.Walk.Advance(&source, left)
		left -= walked
		if stop == flow.Arrived {
			ends = d.Walk.PC().Address
			continue
		}
		in, at, ok := d.Walk.Upcoming()
		decided := in.Flow != isa.Indirect && !in.MayFail(d.Walk.ISA())
		if stop != flow.Overshot || !ok || passed > maxPassed || !decided && left > 1 {
			if stop != flow.Overshot {
				d.arrived(stop)
			}
			d.unresolved(uint64(left), to)
			return
		}
		if left--; left == 0 {
			ends = d.passLast(&source, &in, at, to)
		} else if d.Walk.ToWaypoint(&source, true) == flow.Arrived {
			d.follow(&in)
		}
	}
	if ends != to {
		d.Walk.Retreat(runs, seq)
		d.unresolved(uint64(n), to)
	}
}

// maxPassed is how many P0 instructions one packet passes at most: it bounds the rows of a
// packet, as the atoms of a packet do.
const maxPassed = 256

// follow goes on after a waypoint that was executed and is no indirect branch.
func (d *Decoder) follow(in *isa.Instruction) {
	if in.Flow != isa.Direct {
		d.Walk.Pass()
		return
	}
	d.pushLink()
	d.Walk.Take()
}

// passLast walks over the waypoint, at an address, that leads to another one, if it can. It
// returns where it leads.
func (d *Decoder) passLast(source *flow.Source, in *isa.Instruction, at, to schema.Address) schema.Address {
	next := d.Walk.ISA().Wrap(at + schema.Address(in.Size))
	executed, ends := true, next
	switch {
	case in.Flow == isa.Indirect:
		ends = to
	case in.Flow == isa.Direct && in.Target == next && in.MayFail(d.Walk.ISA()):
		d.Walk.PassUntold(source)
		return next
	case in.Flow == isa.Direct && (in.Target == to || !in.MayFail(d.Walk.ISA())):
		ends = in.Target
	case in.Flow == isa.Direct:
		executed = false
	}
	d.Walk.ToWaypoint(source, executed)
	return ends
}
