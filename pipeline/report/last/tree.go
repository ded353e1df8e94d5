package last

import (
	"slices"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/calls"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/schema"
)

// A Frame is a function on a stack, or an exception.
type Frame struct {
	report.Name
	Entry     schema.StackEntry
	Exception string // type and number, if it is one
}

// none is the ordinal of a node, function or task where there is none.
const none = -1

// A tree is a call tree in which paths are searched.
type tree struct{ *calls.Tree }

// functionOf returns the number of a function; none: of code that has no function.
func (t tree) functionOf(name string, address schema.Address) int32 {
	if name == "" {
		return none
	}
	return int32(slices.IndexFunc(t.Functions, func(f report.Function) bool { return f.Address == address }))
}

// roots returns the nodes that stacks of a task began with.
func (t tree) roots(task int32) []int32 {
	var roots []int32
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Parent == none && n.Task == task {
			roots = append(roots, int32(i))
		}
		if n.Parent != none && n.Task == task && t.Nodes[n.Parent].IsEntryNotSeen() {
			roots = append(roots, int32(i)) // its handler
		}
	}
	return roots
}

// search returns the node of a function that may be on top where one of some nodes was
// entered; none: there is no such. Tail calls put others on top of a function. Where code of no
// function is at several addresses, nothing tells which of them it is: then there are several.
func (t tree) search(from []int32, function int32) (node int32, several bool) {
	node = none
	for _, n := range t.withTails(from) {
		if x := &t.Nodes[n]; x.Function != function || x.Entry == schema.StackException || x.Entry == schema.StackOther {
			continue
		}
		if node == none {
			node = n
		}
		several = several || t.Nodes[n].Address != t.Nodes[node].Address
	}
	return node, several
}

// withTails returns nodes, and those that may have taken the place of one.
func (t tree) withTails(nodes []int32) []int32 {
	all := slices.Clone(nodes)
	for _, n := range nodes {
		for c := range t.Children(n) {
			if t.Nodes[c].Entry == schema.StackTail {
				all = append(all, c)
			}
		}
	}
	return all
}

// frame returns the frame of a node.
func (t tree) frame(node int32) Frame {
	n := &t.Nodes[node]
	f := Frame{Name: t.Name(node), Entry: n.Entry}
	switch {
	case n.IsEntryNotSeen():
		f.Exception = schema.EntryNotSeen
	case n.Entry == schema.StackException:
		f.Exception = n.Exception.String()
	case n.Entry == schema.StackOther:
		f.Name = report.Name{Core: f.Core}
	}
	return f
}

// exception returns the node of an exception that interrupted a node, if that is known; none: there is no such.
func (t tree) exception(interrupted int32, of read.Exception) int32 {
	if interrupted >= 0 && int(interrupted) < len(t.Nodes) {
		for c := range t.Children(interrupted) {
			if n := &t.Nodes[c]; n.Entry == schema.StackException && n.Exception == of {
				return c
			}
		}
	}
	return int32(slices.IndexFunc(t.Nodes, func(n stacks.Node) bool {
		return n.Parent == none && n.Entry == schema.StackException && n.Exception == of
	}))
}

// isBelow says whether a path leads by a node.
func (t tree) isBelow(node, by int32) bool {
	for node > by {
		node = t.Nodes[node].Parent
	}
	return node == by
}

// entryNotSeen says whether a node is of a handler of which only the return was seen.
func (t tree) entryNotSeen(node int32) bool {
	for t.Nodes[node].Parent != none {
		node = t.Nodes[node].Parent
	}
	return t.Nodes[node].IsEntryNotSeen()
}

// isEntryNotSeen says whether a task is such handlers.
func (t tree) isEntryNotSeen(task int32) bool {
	return slices.ContainsFunc(t.roots(task), func(n int32) bool { return t.Nodes[n].IsEntryNotSeen() })
}

// inCall says whether a node is one of a call, a tail call too, or inside one.
func (t tree) inCall(node int32) bool {
	for ; node != none; node = t.Nodes[node].Parent {
		if t.Nodes[node].IsCall() {
			return true
		}
	}
	return false
}
