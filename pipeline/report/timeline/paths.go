package timeline

import (
	"github.com/tracelake/tracelake/pipeline/report/calls"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
)

// paths is what the call tree of a source says of frames.
type paths struct {
	tree   *calls.Tree
	core   string
	index  read.Index[calls.Frame]
	frames []int32 // by node: in Timeline.Frames
	depth  []int32 // by node, from 1
	// exceptions has the node of an exception by that which it interrupted, and its frame: of an asynchronous
	// one by none.
	exceptions map[[2]int32]int32
	// handlers has the first frame of the handler of an exception, by the frame of that; none:
	// it is not always the same.
	handlers map[int32]int32
}

// read reads a call tree.
func (p *paths) read(t *Timeline, tree *calls.Tree) {
	*p = paths{
		tree: tree, core: t.Core, index: read.Index[calls.Frame]{}, frames: make([]int32, len(tree.Nodes)),
		depth:      make([]int32, len(tree.Nodes)),
		exceptions: map[[2]int32]int32{}, handlers: map[int32]int32{},
	}
	for i := range tree.Nodes {
		n := &tree.Nodes[i]
		p.frames[i], p.depth[i] = p.frame(t, tree.Frame(int32(i))), 1
		if n.Parent != none {
			p.depth[i] = p.depth[n.Parent] + 1
		}
		switch {
		case n.Entry == schema.StackException:
			p.exceptions[[2]int32{n.Parent, p.frames[i]}] = int32(i)
		case n.Entry == schema.StackRoot && n.Parent != none:
			p.addHandler(p.frames[n.Parent], p.frames[i])
		}
	}
}

func (p *paths) addHandler(exception, handler int32) {
	if before, ok := p.handlers[exception]; ok && before != handler {
		handler = none
	}
	p.handlers[exception] = handler
}

// frame returns the index of a frame.
func (p *paths) frame(t *Timeline, f calls.Frame) int32 {
	i, isNew := p.index.Of(f)
	if isNew {
		t.Frames = append(t.Frames, f)
	}
	return int32(i)
}

// roots gives each task the node that it began in, if it always began there.
func (p *paths) roots(tasks []Task) {
	for i := range p.tree.Nodes {
		n := &p.tree.Nodes[i]
		if n.Parent != none || n.Task < 0 || int(n.Task) >= len(tasks) {
			continue
		}
		x := &tasks[n.Task]
		x.unseen = x.unseen || x.origin == schema.TaskException && n.IsEntryNotSeen()
		if x.root, x.roots = int32(i), x.roots+1; x.roots > 1 {
			x.root = none
		}
	}
}

// parent returns the node that a node continues, or none.
func (p *paths) parent(node int32) int32 { return p.tree.Nodes[node].Parent }

// isException says whether a node is an exception.
func (p *paths) isException(node int32) bool {
	return p.tree.Nodes[node].Entry == schema.StackException
}
