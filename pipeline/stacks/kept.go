package stacks

import (
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// This file has a stack after a gap go on with one from before it. What is on a stack after a gap is not known, until
// control returns from there: if a stack of before has a call that returns to that address, in the function that is
// there, it is taken to be the same. That is inference: so all stacks that fit have to agree.

// A keptStack is a stack from before a gap.
type keptStack struct {
	stack  int32 // of the stretch that ended; -1: its task is known
	task   int32
	bound  schema.Null[uint32]
	frames []keptFrame
}

// A keptFrame is a frame with its path.
type keptFrame struct {
	frame
	nodeKey // its parent is of no use any more
}

// mostKept is how many stacks are kept, and mostFrames how deep one may be.
const (
	mostKept   = 16
	mostFrames = 1024
)

// keep keeps the stacks of the stretch that have a call which may return.
func (t *tasks) keep() {
	from := max(0, len(t.waiting)-mostKept+1)
	for i := range t.waiting[from:] {
		w := &t.waiting[from+i]
		t.keepFrames(w.stack, w.bound, w.frames)
	}
	t.keepFrames(t.now, t.stretch[t.now].bound, t.frames)
	if more := len(t.kept) - mostKept; more > 0 {
		t.kept = slices.Delete(t.kept, 0, more)
	}
}

func (t *tasks) keepFrames(stack int32, bound schema.Null[uint32], frames []frame) {
	called := slices.ContainsFunc(frames, func(f frame) bool { return f.link == byCall })
	if !called || len(frames) > mostFrames {
		return
	}
	k := keptStack{stack: stack, bound: bound, frames: make([]keptFrame, len(frames))}
	for i, f := range frames {
		k.frames[i] = keptFrame{f, t.tree.nodes[f.node].nodeKey}
	}
	t.kept = append(t.kept, k)
}

// settleKept notes the tasks of the stacks that were kept of the stretch.
func (t *tasks) settleKept() {
	for i := range t.kept {
		if k := &t.kept[i]; k.stack >= 0 {
			k.task, k.stack = t.taskOf(k.stack), -1
		}
	}
}

// findKept returns the frames of a stack that was kept, up to the one that a step returns to, and the task. Without
// one, and if two differ, it has no frames.
func (t *tasks) findKept(st *step) (frames []keptFrame, task int32) {
	for i := range slices.Backward(t.kept) {
		k := &t.kept[i]
		if k.bound.OK && t.context.OK && k.bound != t.context {
			continue
		}
		for n := len(k.frames) - 1; n > 0; n-- {
			if f := &k.frames[n]; f.link != byCall || f.back != st.to || k.frames[n-1].frame.function != st.function {
				continue
			}
			switch fits := k.frames[:n]; {
			case frames == nil:
				frames, task = fits, k.task
			case !slices.EqualFunc(frames, fits, keptFrame.equals):
				return nil, 0
			}
		}
	}
	return frames, task
}

// equals says whether two frames are of one path, and return to the same address.
func (f keptFrame) equals(x keptFrame) bool {
	f.node, f.parent, x.node, x.parent = 0, 0, 0, 0
	return f == x
}

// joins has the stack that runs go on with one that was kept, if one has a call which returns to where a step goes. Its
// root, which has nothing below, becomes what that called.
func (t *tasks) joins(root int32, st *step) bool {
	if t.source.recursive[st.function] { // nobody knows how deep
		return false
	}
	frames, task := t.findKept(st)
	if frames == nil || len(t.tree.nodes)+len(frames) > t.tree.limit {
		return false
	}
	s := &t.stretch[t.now]
	t.tree.take(root)
	t.frames, t.begins = t.frames[:0], t.begins[:0]
	at := rootOf(t.now)
	for _, f := range frames {
		k := f.nodeKey
		switch {
		case isHandlers(k.parent):
			k.parent = handlers
		default:
			k.parent = at
		}
		at = t.tree.child(k)
		f.node = at
		t.push(f.frame).joined = true
	}
	t.tree.move(root, at, schema.StackCall)
	s.root, s.task, s.calls, s.body = t.frames[0].node, task, true, -1
	s.joined++
	return true
}
