package stacks

import (
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
)

// A frame is what a node is of, in a part of the tree.
type frame struct {
	within    int32 // the exception node that the part is below; none: -1
	function  int32
	address   schema.Address // of code that no function has
	exception read.Exception
}

// frameOf returns the frame of a node, which has one if it is a function, or code that no function has.
func (n *Node) frameOf(within int32) (f frame, ok bool) {
	f = frame{within: within, function: n.Function}
	if n.Function == none {
		f.address = n.Address
	}
	return f, n.Entry != schema.StackException && n.Entry != schema.StackOther
}

// Inclusive calls a function with each outermost node, and what was executed in it and in all that
// it called, exceptions too: of those of a function this adds up to what it took with its callees.
// A node is outermost if nothing on the path to it is of its function: a function that called
// itself, again, counts once.
func (t *Tree) Inclusive(do func(node int32, all Work)) {
	t.outermost(func(node int32) (frame, bool) { return t.Nodes[node].frameOf(none) },
		func(node int32) { do(node, t.Nodes[node].All) })
}

// InExceptions calls a function with each exception whose entry was seen, unless it is within one of the same type
// and number: of those of a type and number All adds up to what was executed in them.
func (t *Tree) InExceptions(do func(node int32)) {
	t.outermost(func(node int32) (frame, bool) {
		n := &t.Nodes[node]
		return frame{exception: n.Exception}, n.Entry == schema.StackException && !n.IsEntryNotSeen()
	}, do)
}

// InCalls calls a function with each node whose calls are in no other call of its function, and what
// those took with all that they called, without exceptions: of those of a function this adds up to how
// long its calls took, those too that did not end.
func (t *Tree) InCalls(do func(node int32, all Work)) {
	all, outermost := make([]Work, len(t.Nodes)), t.Outermost()
	for i := len(t.Nodes) - 1; i >= 0; i-- {
		n := &t.Nodes[i]
		all[i].Add(n.Own)
		if n.Parent != none && n.Entry != schema.StackException {
			all[n.Parent].Add(all[i])
		}
	}
	for i := range t.Nodes {
		if outermost[i] && t.Nodes[i].IsCall() {
			do(int32(i), all[i])
		}
	}
}

// Outermost says of each node whether its calls are in no other call of its function. Calls are
// without exceptions, so that one in a handler is in none of what that interrupted; nor is one in a
// function that was not called, but is a root.
func (t *Tree) Outermost() []bool {
	outermost, within := make([]bool, len(t.Nodes)), make([]int32, len(t.Nodes))
	for i := range t.Nodes {
		n := &t.Nodes[i]
		outermost[i] = !n.IsCall() // else it is found below
		switch {
		case n.Parent == none:
			within[i] = none
		case t.Nodes[n.Parent].Entry == schema.StackException:
			within[i] = n.Parent
		default:
			within[i] = within[n.Parent]
		}
	}
	t.outermost(func(node int32) (frame, bool) {
		f, _ := t.Nodes[node].frameOf(within[node])
		return f, t.Nodes[node].IsCall()
	}, func(node int32) { outermost[node] = true })
	return outermost
}

// outermost calls a function with each node that has a frame, and is below none of the same.
func (t *Tree) outermost(frameOf func(node int32) (f frame, ok bool), do func(node int32)) {
	open := map[frame]int{} // how often a frame is on the path
	enter := func(node int32) {
		if f, ok := frameOf(node); ok {
			if open[f]++; open[f] == 1 {
				do(node)
			}
		}
	}
	leave := func(node int32) {
		f, ok := frameOf(node)
		switch {
		case !ok:
		case open[f] == 1:
			delete(open, f)
		default:
			open[f]--
		}
	}
	for i := range t.Nodes {
		if t.Nodes[i].Parent == none {
			t.walk(int32(i), enter, leave)
		}
	}
}

// walk calls enter with a root and the nodes below it, each before those that go on from it, and
// leave after those.
func (t *Tree) walk(root int32, enter, leave func(node int32)) {
	for at, down := root, true; ; {
		n := &t.Nodes[at]
		if down {
			enter(at)
			if n.firstNext[0] != none {
				at = n.firstNext[0]
				continue
			}
		}
		leave(at)
		switch {
		case at == root:
			return
		case n.firstNext[1] != none:
			at, down = n.firstNext[1], true
		default:
			at, down = n.Parent, false
		}
	}
}
