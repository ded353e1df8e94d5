package stacks

import "github.com/tracelake/tracelake/schema"

// A stretch is the trace between two gaps, and the stacks in it. It has a tree of its own, since what comes below all
// of a stack may be seen last: its nodes have their place in the tree of the source when it ends, or when the roots
// of its stacks are fixed.
type stretch struct {
	tree    *tree
	source  source
	stacks  []running
	gaps    bool // it is not the first one
	settled int  // nodes that have a place
	kept    keptStacks
}

// A running is a stack of the stretch.
type running struct {
	root     int32                 // the node at the bottom
	context  schema.Null[identity] // the first Context ID that it had, if that was known before its root was fixed
	bound    schema.Null[identity] // the one that it had when it got its turn
	task     int32                 // in the source; -1: not known yet
	origin   schema.TaskOrigin
	firstSeq int64
	callers  int   // that came below it
	calls    bool  // the root has called something, or returned from what did
	body     int32 // what the root called first, if indirectly; -1: nothing
	called   int32 // the function that the root called, if that was seen to return; else none
	figures
}

// settle gives all nodes a place, and rows that place.
func (s *stretch) settle(rows *ended) {
	for ; s.settled < len(s.tree.nodes); s.settled++ {
		s.place(int32(s.settled))
	}
	for i := range rows.calls {
		x := &rows.calls[i]
		x.Stack = s.place(x.Stack)
	}
	for i := range rows.spans {
		if x := &rows.spans[i]; x.Stack.OK {
			x.Stack.V = s.place(x.Stack.V)
		}
	}
	for i := range rows.heads {
		x := &rows.heads[i]
		x.Stack = s.place(x.Stack)
	}
}

// place returns the node of the source that has the path of one of the stretch.
func (s *stretch) place(i int32) int32 {
	n := &s.tree.nodes[i]
	if n.place == 0 {
		k := n.nodeKey
		switch {
		case isHandlers(k.parent):
			k.parent = rootOf(s.source.handler(k.exception, n.first))
		case k.parent < 0:
			k.parent = rootOf(s.taskOf(stackOf(k.parent)))
		default:
			k.parent = s.place(k.parent)
		}
		n.place = s.source.child(k) + 1
		if k.parent < 0 && !s.gaps {
			s.source.tree.nodes[n.place-1].seen = true
		}
	}
	return n.place - 1
}

// taskOf returns the task that a stack is of.
func (s *stretch) taskOf(stack int32) int32 {
	x := &s.stacks[stack]
	if x.task < 0 {
		root := &s.tree.nodes[x.root]
		k := taskKey{kind: ofRoot, function: root.function, address: root.address, gap: s.gaps, called: none}
		switch {
		case x.context.OK:
			k = taskKey{kind: ofContext, identity: x.context.V}
		case s.gaps && root.function == none:
			k = taskKey{kind: notSeen}
		case s.gaps:
			k.called = x.called
		}
		x.task = s.source.task(k, x.firstSeq, x.origin)
	}
	return x.task
}

// end adds what was executed to the tree of the source, and begins the next stretch.
func (s *stretch) end() {
	for i := range s.kept {
		if k := &s.kept[i]; k.stack >= 0 {
			k.task, k.stack = s.taskOf(k.stack), -1
		}
	}
	for i := range s.tree.nodes {
		n := &s.tree.nodes[i]
		s.source.tree.nodes[n.place-1].join(n)
	}
	for i := range s.stacks {
		x := &s.stacks[i]
		s.source.tasks[s.taskOf(int32(i))].add(x.figures)
		if root := &s.source.tree.nodes[s.place(x.root)]; x.body >= 0 && root.body == 0 {
			root.body = s.place(x.body) + 1
		}
	}
	s.source.endStretch()
	s.tree.clear()
	s.stacks, s.settled, s.gaps = s.stacks[:0], 0, true
}
