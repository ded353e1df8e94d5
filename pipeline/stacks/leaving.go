package stacks

import "github.com/tracelake/tracelake/schema"

// A unitBlock is a block of a unit, as far as most runs need it.
type unitBlock struct {
	address schema.Address // of the first
	one     int32          // the function of all its instructions, or several
	length  uint16         // instructions
	kind    schema.Kind    // of the last, if it leaves; else other
}

// A leaving is an exit, or the end of a block, as the folder takes it.
type leaving struct {
	back     schema.Address // the address after the instruction that it leaves
	target   schema.Address // where it goes
	function int32          // of that
	// The node whose function took it last, by a call, and that of the callee: [below] if there is none.
	caller, callee int32
	kind           schema.Kind // of that instruction; other: it stays
}
