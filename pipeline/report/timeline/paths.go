package timeline

import (
	"math"
	"slices"

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

// separate gives the stacks that a task is of lanes of their own, where their rows say that there are several. Only what
// runs after gaps may be: all of which no caller was seen is one task. A stack is known by where it begins.
func (t *Timeline) separate() {
	for task := range t.Tasks {
		if x := &t.Tasks[task]; x.origin == schema.TaskGap && x.roots > 1 && t.crosses(int32(task)) {
			t.split(int32(task))
		}
	}
}

// crosses says whether a row of a task begins in another one and ends after it.
func (t *Timeline) crosses(task int32) bool {
	var ends []int64 // of the rows that are open, the outermost first
	for i := range t.spans {
		x := &t.spans[i]
		if x.task != task || x.isException() && x.why == schema.CallSwitch {
			continue // what an exception left by a switch to another task cuts
		}
		for len(ends) > 0 && ends[len(ends)-1] <= x.seq {
			ends = ends[:len(ends)-1]
		}
		if len(ends) > 0 && x.end > ends[len(ends)-1] {
			return true
		}
		ends = append(ends, x.end)
	}
	return false
}

// split puts the rows of a task that begin elsewhere than the first one into lanes of tasks of the same name.
func (t *Timeline) split(task int32) {
	lanes := map[int32]int32{} // by root
	last := task
	for i := range t.spans {
		x := &t.spans[i]
		if x.task != task {
			continue
		}
		if x.isException() { // in the stack that ran
			x.task = last
			continue
		}
		root := t.paths.root(x.node)
		lane, ok := lanes[root]
		if !ok {
			if lane = task; len(lanes) > 0 {
				lane = int32(len(t.Tasks))
				other := t.Tasks[task]
				other.firstSeq, other.executed.Instructions, other.executed.Cycles.V = math.MaxInt64, 0, 0
				t.Tasks = append(t.Tasks, other)
			}
			lanes[root] = lane
		}
		x.task, last = lane, lane
	}
	slices.SortFunc(t.spans, t.compareSpans)
}

// root returns the node that the path to a node begins with.
func (p *paths) root(node int32) int32 {
	for p.parent(node) != none {
		node = p.parent(node)
	}
	return node
}
