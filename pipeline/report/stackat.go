package report

import (
	"fmt"
	"iter"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A Stack is the frames of a task at an instruction.
type Stack struct {
	Task   Task
	Frames []StackFrame // the innermost first
}

// A StackFrame is a function on a stack, or an exception.
type StackFrame struct {
	Name
	Entry     schema.StackEntry
	Exception string // type and number, if it is one
}

// stackAt returns the stack at an instruction, or why it is not known. It reads `calls` from
// where those end that were open then, until it comes to the innermost one.
func (m *Merged) stackAt(d *dataset.Dataset, s *schema.SourceTotals, x *Executed) (*Stack, string, error) {
	for _, t := range []*schema.Table{
		&schema.Calls, &schema.Stacks, &schema.Tasks, &schema.ExceptionSpans,
		&schema.Exceptions,
	} {
		if !d.Has(t) {
			return nil, "the dataset has no table " + t.Name, nil
		}
	}
	tree, err := m.CallTree(d, s)
	if err != nil {
		return nil, "", err
	}
	tasks := &Tasks{}
	if err := read.EachBatch(d, &schema.Tasks, s.Source,
		func(b *schema.Batch) error { return tasks.add(b, d, s) }); err != nil {
		return nil, "", err
	}
	w, err := readMoment(d, s.Source, x.Seq, tree, tasks.Rows)
	if err != nil {
		return nil, "", err
	}
	if w.task < 0 || int(w.task) >= len(tasks.Rows) {
		return nil, "nothing near it says which task ran", nil
	}
	call, ok := w.open[w.task]
	if !ok && !w.outermost[w.task] && s.CallsLeftOut > 0 {
		return nil, fmt.Sprintf("calls that were open then may be among the %d that were left out at export", s.CallsLeftOut),
			nil
	}
	from := []int32{call.node}
	if !ok {
		from = tree.roots(w.task)
	}
	node := tree.search(from, w.since(call, ok), tree.functionOf(x.Function, x.Name.Address))
	if node == none {
		return nil, "no path of task " + tasks.Rows[w.task].Name + " leads to its function", nil
	}
	return &Stack{Task: tasks.Rows[w.task], Frames: tree.frames(node)}, "", nil
}

// functionOf returns the number of a function; none: of code that has no function.
func (t *CallTree) functionOf(name string, address uint32) int32 {
	if name == "" || t.program == nil {
		return none
	}
	return int32(slices.IndexFunc(t.program.functions, func(f function) bool { return f.address == address }))
}

// roots returns the nodes that stacks of a task began with.
func (t *CallTree) roots(task int32) []int32 {
	var roots []int32
	for i := range t.Nodes {
		if t.Nodes[i].Parent == none && t.Nodes[i].Task == task {
			roots = append(roots, int32(i))
		}
	}
	return roots
}

// search returns the node of a function that may be on top where one of some nodes was
// entered, and then exceptions began; none: there is no such. Tail calls put others in the
// place of a function.
func (t *CallTree) search(from []int32, exceptions []read.Exception, function int32) int32 {
	level := t.withTails(from)
	for _, x := range exceptions {
		var handlers []int32
		for _, n := range level {
			for c := range t.children(n) {
				if e := &t.Nodes[c]; e.Entry == schema.StackException && e.exception == x {
					handlers = slices.AppendSeq(handlers, t.children(c))
				}
			}
		}
		level = handlers
	}
	i := slices.IndexFunc(level, func(n int32) bool {
		return t.Nodes[n].function == function && t.Nodes[n].Entry != schema.StackException
	})
	if i < 0 {
		return none
	}
	return level[i]
}

// withTails returns nodes, and those that may have taken the place of one.
func (t *CallTree) withTails(nodes []int32) []int32 {
	all := slices.Clone(nodes)
	for _, n := range nodes {
		if parent := t.Nodes[n].Parent; parent != none {
			for c := range t.children(parent) {
				if t.Nodes[c].Entry == schema.StackTail {
					all = append(all, c)
				}
			}
		}
	}
	return all
}

// children are the nodes that continue one.
func (t *CallTree) children(n int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for c := t.Nodes[n].firstNext[0]; c != none && yield(c); c = t.Nodes[c].firstNext[1] {
		}
	}
}

// frames returns the path of a node, the innermost first.
func (t *CallTree) frames(node int32) []StackFrame {
	var frames []StackFrame
	for ; node != none; node = t.Nodes[node].Parent {
		n := &t.Nodes[node]
		f := StackFrame{Name: t.name(node), Entry: n.Entry}
		if n.Entry == schema.StackException {
			f.Exception = n.exception.String()
		}
		frames = append(frames, f)
	}
	return frames
}
