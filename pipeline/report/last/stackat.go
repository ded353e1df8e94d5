package last

import (
	"slices"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/calls"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A Stack is the frames of a task at an instruction.
type Stack struct {
	Task   stacks.Task
	Frames []Frame // the innermost first
}

// stackAt returns the stack at an instruction, or why it is not known. It reads `calls` from
// where those end that were open then, until it comes to the innermost one.
func stackAt(m *report.Merged, d *dataset.Dataset, s *schema.SourceTotals, x *Executed) (*Stack, string, error) {
	for _, t := range []*schema.Table{
		&schema.Calls, &schema.Stacks, &schema.Tasks, &schema.ExceptionSpans,
		&schema.Exceptions,
	} {
		if !d.Has(t) {
			return nil, "the dataset has no table " + t.Name, nil
		}
	}
	named, err := calls.ReadTree(m, d, s)
	if err != nil {
		return nil, "", err
	}
	tree := tree{named}
	tasks, err := stacks.ReadTasksOf(d, s)
	if err != nil {
		return nil, "", err
	}
	w, err := readMoment(d, s.Source, x.Seq, tree, tasks.Rows)
	if err != nil {
		return nil, "", err
	}
	if w.task < 0 || int(w.task) >= len(tasks.Rows) {
		return nil, "nothing near it says which task ran", nil
	}
	call, ok := w.call()
	if !ok && d.Manifest.Window != nil {
		if w.opening, err = opening(d, s.Source, tree); err != nil {
			return nil, "", err
		}
	}
	switch node, several := tree.search(w.from(call, ok), tree.functionOf(x.Function, x.Name.Address)); {
	case node == none:
		return nil, "no path of task " + tasks.Rows[w.task].Name + " leads to its function", nil
	case several:
		return nil, "task " + tasks.Rows[w.task].Name + " has several stacks that begin in code of no function", nil
	default:
		frames, bottom := w.frames(node)
		return &Stack{Task: tasks.Rows[tree.Nodes[bottom].Task], Frames: frames}, "", nil
	}
}

// call returns the innermost call that was open; of an exception that was, one in its handler.
func (w *moment) call() (c openCall, ok bool) {
	c, ok = w.open[w.task]
	if ok && len(w.spans) > 0 && (c.seq < w.spans[0].seq || !w.tree.isBelow(c.node, w.exception(&w.spans[0]))) {
		return c, false
	}
	return c, ok
}

// opening returns the nodes that were entered before a window begins, the innermost first.
func opening(d *dataset.Dataset, source uint8, tree tree) (nodes []int32, err error) {
	err = eachFrom(d, source, ordered{&schema.Segments, schema.SegmentsSeq}, 0, func(b *schema.Batch, row int) bool {
		if b.Columns[schema.SegmentsStack].Null(row) {
			return true
		}
		n := int32(schema.SegmentsStack.At(b, row))
		for ok := n < int32(len(tree.Nodes)); ok && n >= 0; n = tree.Nodes[n].Parent {
			nodes = append(nodes, n)
		}
		return false
	})
	return nodes, err
}

// from returns the nodes that the function on top may be: that of the innermost call; without one the handler of the
// innermost exception, or what stacks of the task began with, or a window.
func (w *moment) from(c openCall, isCall bool) []int32 {
	switch {
	case isCall:
		return []int32{c.node}
	case len(w.spans) > 0:
		if n := w.exception(&w.spans[0]); n != none {
			return slices.Collect(w.tree.Children(n))
		}
		return nil
	}
	nodes := slices.DeleteFunc(w.opening, func(n int32) bool { return w.tree.Nodes[n].Task != w.task })
	return append(nodes, w.tree.roots(w.task)...)
}

// frames returns the path of a node, the innermost first, and the node at the bottom. Where that is the handler of an
// exception, the path of what it interrupted follows.
func (w *moment) frames(node int32) (frames []Frame, bottom int32) {
	bottom = node
	for spans := w.spans; node != none; {
		for n := node; n != none; n = w.tree.Nodes[n].Parent {
			frames, bottom = append(frames, w.tree.frame(n)), n
		}
		for node = none; len(spans) > 0 && node == none; spans = spans[1:] {
			if w.exception(&spans[0]) == bottom {
				node = spans[0].node
			}
		}
	}
	return frames, bottom
}

// exception returns the node of an exception; none: there is no such.
func (w *moment) exception(x *span) int32 { return w.tree.exception(x.node, x.of) }
