package last

import (
	"slices"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/calls"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
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
		if t.Nodes[i].Parent == none && t.Nodes[i].Task == task {
			roots = append(roots, int32(i))
		}
	}
	return roots
}

// search returns the node of a function that may be on top where one of some nodes was
// entered, and then exceptions began; none: there is no such. Tail calls put others in the
// place of a function.
func (t tree) search(from []int32, exceptions []read.Exception, function int32) int32 {
	level := t.withTails(from)
	for _, x := range exceptions {
		var handlers []int32
		for _, n := range level {
			for c := range t.Children(n) {
				if e := &t.Nodes[c]; e.Entry == schema.StackException && e.Exception == x {
					handlers = slices.AppendSeq(handlers, t.Children(c))
				}
			}
		}
		level = handlers
	}
	i := slices.IndexFunc(level, func(n int32) bool {
		return t.Nodes[n].Function == function && t.Nodes[n].Entry != schema.StackException
	})
	if i < 0 {
		return none
	}
	return level[i]
}

// withTails returns nodes, and those that may have taken the place of one.
func (t tree) withTails(nodes []int32) []int32 {
	all := slices.Clone(nodes)
	for _, n := range nodes {
		if parent := t.Nodes[n].Parent; parent != none {
			for c := range t.Children(parent) {
				if t.Nodes[c].Entry == schema.StackTail {
					all = append(all, c)
				}
			}
		}
	}
	return all
}

// frames returns the path of a node, the innermost first.
func (t tree) frames(node int32) []Frame {
	var frames []Frame
	for ; node != none; node = t.Nodes[node].Parent {
		n := &t.Nodes[node]
		f := Frame{Name: t.Name(node), Entry: n.Entry}
		if n.Entry == schema.StackException {
			f.Exception = n.Exception.String()
		}
		frames = append(frames, f)
	}
	return frames
}

// inCall says whether a node is one of a call, or inside one.
func (t tree) inCall(node int32) bool {
	for ; node != none; node = t.Nodes[node].Parent {
		if t.Nodes[node].Entry == schema.StackCall {
			return true
		}
	}
	return false
}
