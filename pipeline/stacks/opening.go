package stacks

import "github.com/tracelake/tracelake/schema"

// An Opening is where a trace begins that is part of one that was decoded before: in a stack, of a task.
type Opening struct {
	Frames    []schema.Frame // the root first
	ContextID schema.Null[uint32]
	VMID      schema.Null[uint32]
}

// identity is that of the task.
func (o *Opening) identity() schema.Null[identity] {
	return schema.Null[identity]{V: identity{o.ContextID.V, o.VMID}, OK: o.ContextID.OK}
}
