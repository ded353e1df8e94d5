package stacks

import "github.com/tracelake/tracelake/schema"

// This file gives what a stretch has its place in the tree of the source. That waits for the end of the stretch, or
// until the roots of its stacks are fixed.

// release settles what the stretch has so far, if its roots are fixed, and passes on its rows.
func (t *tasks) release() {
	if t.isFixed() {
		t.settle()
	}
}

// settle gives all nodes a place, and passes on rows.
func (t *tasks) settle() {
	for ; t.settled < len(t.tree.nodes); t.settled++ {
		t.place(int32(t.settled))
	}
	for i := range t.ended.calls {
		x := &t.ended.calls[i]
		x.Stack = t.place(x.Stack)
	}
	for i := range t.ended.spans {
		if x := &t.ended.spans[i]; x.Stack.OK {
			x.Stack.V = t.place(x.Stack.V)
		}
	}
	t.out.calls, t.out.spans = append(t.out.calls, t.ended.calls...), append(t.out.spans, t.ended.spans...)
	t.ended = ended{t.ended.calls[:0], t.ended.spans[:0]}
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

// taskOf returns the task that a stack of the stretch is of.
func (t *tasks) taskOf(stack int32) int32 {
	s := &t.stretch[stack]
	if s.task < 0 {
		root := &t.tree.nodes[s.root]
		k := taskKey{kind: ofRoot, function: root.function, address: root.address, gap: t.gaps, called: none}
		if s.context.OK {
			k = taskKey{kind: ofContext, context: s.context.V}
		} else if t.gaps && root.function == none {
			k = taskKey{kind: notSeen}
		} else if t.gaps {
			k.called = s.called
		}
		s.task = t.source.task(k, s)
	}
	return s.task
}

// endStretch adds what was executed in the stretch to the tree of the source, and forgets the stretch.
func (t *tasks) endStretch() {
	t.settle()
	t.settleKept()
	for i := range t.tree.nodes {
		n := &t.tree.nodes[i]
		t.source.tree.nodes[n.place-1].join(n)
	}
	for i := range t.stretch {
		s := &t.stretch[i]
		if s.root < 0 {
			continue
		}
		t.source.tasks[t.taskOf(int32(i))].add(s.figures)
		if root := &t.source.tree.nodes[t.place(s.root)]; s.body >= 0 && root.body == 0 {
			root.body = t.place(s.body) + 1
		}
	}
	t.source.times.take(&t.times)
	t.source.endStretch()
	t.tree.clear()
	t.source.calls += t.done.calls
	t.stretch, t.settled, t.done, t.clock = t.stretch[:0], 0, done{}, work{}
}

// rows takes the rows that are ready.
func (t *tasks) ready() ended {
	t.release()
	rows := t.out
	t.out = ended{}
	return rows
}

// contextOf is the Context ID of a key; NULL if it has none.
func (k *taskKey) contextOf() schema.Null[uint32] {
	return schema.Null[uint32]{V: k.context, OK: k.kind == ofContext}
}
