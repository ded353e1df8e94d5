package timeline

import (
	"math"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

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
