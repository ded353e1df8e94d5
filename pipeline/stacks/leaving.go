package stacks

import "github.com/tracelake/tracelake/schema"

// A unitBlock is a block of a unit, as far as most runs need it.
type unitBlock struct {
	one     int32          // the function of all its instructions, or several
	address schema.Address // of the first
	length  uint16         // instructions
	kind    schema.Kind    // of the last, if it leaves; else other
}

// A leaving is an exit, or the end of a block, as the folder takes it.
type leaving struct {
	kind     schema.Kind    // of the instruction that it leaves; other: it stays
	back     schema.Address // the address after that
	target   schema.Address // where it goes
	function int32          // of that
	// The node whose function took it last, by a call, and that of the callee: [below] if there is none.
	caller, callee int32
}
