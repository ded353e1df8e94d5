package access

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// A group is what packets of transfers belong to: a data instruction, the stack
// frame of an exception, or something unknown.
type group struct {
	id   int64
	kind groupKind
	decode.DataElement
	segment       schema.Null[int32] // that it began in
	seq           int64              // of the instruction, in the source
	noInstruction bool               // there is no instruction to name
	position      uint16             // of the next transfer
	resumed       uint16             // position at which packets were dropped last
	next          schema.Null[schema.Address]
	state         schema.Null[schema.DataState] // of all its rows
	paused        bool                          // the transfers traced so far are the first ones
	unplaced      bool                          // an unplaced instruction after it may have transferred data
}

type groupKind uint8

const (
	noGroup groupKind = iota
	unknownGroup
	instructionGroup
	pushGroup
	popGroup
)

// incomplete reports whether more transfers of the group may come.
func (g *group) incomplete() bool {
	return g.kind != noGroup && (g.kind != instructionGroup || g.position < uint16(g.Count))
}

// takes reports whether the next transfer belongs to the group. If the instruction
// is not known for sure, a transfer with a new address starts another group.
func (g *group) takes(newAddress bool) bool {
	switch {
	case g.kind == noGroup:
		return false
	case g.kind == unknownGroup:
		return !newAddress
	case g.unplaced:
		return !newAddress && g.incomplete()
	}
	return true
}

// access returns how the transfer at a position accesses memory.
func (g *group) access(position uint16) schema.Null[schema.Access] {
	switch g.kind {
	case instructionGroup:
		if g.Swap && position > 0 {
			return schema.Of(schema.AccessWrite)
		}
		return schema.Of(g.Access)
	case pushGroup:
		return schema.Of(schema.AccessPush)
	case popGroup:
		return schema.Of(schema.AccessPop)
	case noGroup, unknownGroup:
	}
	return schema.Null[schema.Access]{}
}

// size returns the size of each transfer, in bytes.
func (g *group) size() schema.Null[uint8] {
	switch g.kind {
	case instructionGroup:
		return schema.Of(g.Size)
	case pushGroup, popGroup:
		return schema.Of[uint8](4)
	case noGroup, unknownGroup:
	}
	return schema.Null[uint8]{}
}
