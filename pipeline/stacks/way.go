package stacks

import "github.com/tracelake/tracelake/schema"

// A place is a block of a unit.
type place struct {
	way            // on which control left it for another function last
	one     int32  // the function of all its instructions, or several
	address uint32 // of the first
	length  uint16 // instructions
}

// A way is an exit, as the folder takes it.
type way struct {
	kind     schema.Kind // of the instruction that it leaves; other: it stays
	back     uint32      // the address after that
	target   uint32      // where it goes
	function int32       // of that
	// The node whose function took it last, by a call, and that of the callee: [below] if there is none.
	caller, callee int32
}

// to returns the way from a block to another.
func (p *place) to(next *place) *way {
	if x := &p.way; x.target != next.address || x.function != next.one {
		x.target, x.function, x.caller = next.address, next.one, below
	}
	return &p.way
}

// setPlaces sets places and ways to those of the unit, as far as the part knows its blocks.
func (w *walker) setPlaces() {
	r := w.part
	if w.unit != r.Unit {
		w.unit, w.places, w.ways = r.Unit, w.places[:0], w.ways[:0]
	}
	for n := len(w.places); n < r.Blocks; n++ {
		b := &w.blocks[r.Numbers[n]]
		w.places = append(w.places, place{
			way: way{kind: b.leaves, back: b.next, caller: below}, one: b.one, address: b.address, length: b.length,
		})
	}
	exits := r.Unit.Exits
	for n := len(w.ways); n < len(exits) && int(exits[n].Block) < r.Blocks; n++ {
		x := &exits[n]
		w.ways = append(w.ways, way{kind: x.Kind, back: w.places[x.Block].back, target: x.To, function: x.Function, caller: below})
	}
}
