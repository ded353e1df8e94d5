package stacks

import (
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// What is on a stack after a gap is not known, until control returns from there. If a stack from before the gap has a
// call that returns to that address, in the function that is there, it is taken to be the same stack. That is
// inference: all stacks that fit have to agree.

// keptStacks are stacks from before the last gaps, the latest last.
type keptStacks []keptStack

// A keptStack is a stack from before a gap.
type keptStack struct {
	stack  int32 // of the stretch that ended; -1: its task is known
	task   int32
	bound  schema.Null[identity] // Context ID
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

// keep keeps a stack of the stretch, whose nodes are in a tree, if it has a call that may return.
func (all *keptStacks) keep(stack int32, bound schema.Null[identity], frames []frame, in *tree) {
	called := slices.ContainsFunc(frames, func(f frame) bool { return f.link == byCall })
	if !called || len(frames) > mostFrames {
		return
	}
	k := keptStack{stack: stack, bound: bound}
	if len(*all) == mostKept {
		k.frames = (*all)[0].frames[:0]
		*all = slices.Delete(*all, 0, 1)
	}
	for _, f := range frames {
		k.frames = append(k.frames, keptFrame{f, in.nodes[f.node].nodeKey})
	}
	*all = append(*all, k)
}

// find returns the frames of a stack up to the one that a step returns to, under a Context ID, and the task. Without
// one, and if two differ, it returns no frames.
func (all keptStacks) find(st *step, context schema.Null[identity]) (frames []keptFrame, task int32) {
	for i := range slices.Backward(all) {
		k := &all[i]
		if differs(k.bound, context) {
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
