package stacks

import "github.com/tracelake/tracelake/schema"

// A stretch is the trace between two gaps, and the stacks in it. It has a tree of its own, since what comes below all
// of a stack may be seen last: its nodes have their place in the tree of the source when it ends, or when the roots
// of its stacks are fixed.
type stretch struct {
	stacks  []running
	gaps    bool // it is not the first one
	settled int  // nodes that have a place
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

// settle gives all nodes a place, and passes on rows with that of theirs.
func (t *tasks) settle() {
	for ; t.settled < len(t.tree.nodes); t.settled++ {
		t.place(int32(t.settled))
	}
	t.ended.renumber(t.place)
	t.out.add(t.ended)
	t.ended.clear()
}

// place returns the node of the source that has the path of one of the stretch.
func (t *tasks) place(i int32) int32 {
	n := &t.tree.nodes[i]
	if n.place == 0 {
		k := n.nodeKey
		switch {
		case isHandlers(k.parent):
			k.parent = rootOf(t.source.handler(k.exception, n.first))
		case k.parent < 0:
			k.parent = rootOf(t.taskOf(stackOf(k.parent)))
		default:
			k.parent = t.place(k.parent)
		}
		n.place = t.source.child(k) + 1
		if k.parent < 0 && !t.gaps {
			t.source.tree.nodes[n.place-1].seen = true
		}
	}
	return n.place - 1
}

// taskOf returns the task that a stack is of.
func (t *tasks) taskOf(stack int32) int32 {
	x := &t.stacks[stack]
	if x.task < 0 {
		root := &t.tree.nodes[x.root]
		k := taskKey{kind: ofRoot, function: root.function, address: root.address, gap: t.gaps, called: none}
		switch {
		case x.context.OK:
			k = taskKey{kind: ofContext, identity: x.context.V}
		case t.gaps && root.function == none:
			k = taskKey{kind: notSeen}
		case t.gaps:
			k.called = x.called
		}
		x.task = t.source.task(k, x.firstSeq, x.origin)
	}
	return x.task
}

// endStretch adds what was executed to the source, and begins the next stretch.
func (t *tasks) endStretch() {
	t.settle()
	t.source.times.take(&t.times)
	for i := range t.kept {
		if k := &t.kept[i]; k.stack >= 0 {
			k.task, k.stack = t.taskOf(k.stack), -1
		}
	}
	for i := range t.tree.nodes {
		n := &t.tree.nodes[i]
		t.source.tree.nodes[n.place-1].join(n)
	}
	for i := range t.stacks {
		x := &t.stacks[i]
		t.source.tasks[t.taskOf(int32(i))].add(x.figures)
		if root := &t.source.tree.nodes[t.place(x.root)]; x.body >= 0 && root.body == 0 {
			root.body = t.place(x.body) + 1
		}
	}
	clear(t.source.instances)
	t.tree.clear()
	t.stretch, t.done, t.clock = stretch{stacks: t.stacks[:0], gaps: true}, 0, work{}
}
