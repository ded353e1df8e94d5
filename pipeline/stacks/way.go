package stacks

import "github.com/tracelake/tracelake/schema"

// A place is a block of a unit, as far as most runs need it.
type place struct {
	one     int32          // the function of all its instructions, or several
	address schema.Address // of the first
	length  uint16         // instructions
	kind    schema.Kind    // of the last, if it leaves; else other
}

// A way is an exit, as the folder takes it.
type way struct {
	kind     schema.Kind    // of the instruction that it leaves; other: it stays
	back     schema.Address // the address after that
	target   schema.Address // where it goes
	function int32          // of that
	// The node whose function took it last, by a call, and that of the callee: [below] if there is none.
	caller, callee int32
}

// setPlaces sets places and ways to those of the unit, as far as the part knows its blocks.
func (w *walker) setPlaces() {
	r := w.part
	if w.unit != r.Unit {
		w.unit, w.places, w.left, w.ways = r.Unit, w.places[:0], w.left[:0], w.ways[:0]
	}
	for n := len(w.places); n < r.Blocks; n++ {
		b := &w.blocks[r.Numbers[n]]
		w.places = append(w.places, place{one: b.one, address: b.address, length: b.length, kind: b.leaves})
		w.left = append(w.left, way{kind: b.leaves, back: b.next, caller: below})
	}
	exits := r.Unit.Exits
	for n := len(w.ways); n < len(exits) && int(exits[n].Block) < r.Blocks; n++ {
		x := &exits[n]
		w.ways = append(w.ways, way{kind: x.Kind, back: w.left[x.Block].back, target: x.To, function: x.Function, caller: below})
	}
}
