package last

import (
	"fmt"

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
