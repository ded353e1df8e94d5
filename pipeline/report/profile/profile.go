// Package profile adds up what ran for profiles of other programs: [Read] call trees, by task and
// path; [ReadCosts] what each function and its calls cost, by instruction and line; and
// [ReadSamples] executions by line of the source, for compilers.
//
// Its API is promised (docs/guide/library.md).
package profile

import (
	"fmt"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/calls"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A Profile is the call trees of datasets, added up: paths of the same frames in the same task
// are one. The sum of what its nodes took by themselves is what ran.
type Profile struct {
	Executed stacks.Work
	ByCycles bool // all sources that ran count cycles
	Tasks    []Task
	Frames   []calls.Frame
	Nodes    []Node          // a parent comes before its children
	Sections report.Sections // of the program, by core and address
}

// A Task is a task, or the handlers of an asynchronous exception: of several datasets those of one
// name, core and Context ID are one.
type Task struct {
	Core      string // "": the source has none
	Source    uint8
	Name      string
	ContextID schema.Null[uint32]
	// Handlers says that it is the handlers of an exception, which is all roots of its paths.
	Handlers bool
}

// A Node is a path of frames from the root of a task.
type Node struct {
	Parent int32 // in Nodes; of a root -1
	Task   int32 // in Tasks
	Frame  int32 // in Frames: the last of the path
	Calls  int64 // how often it was entered
	Own    stacks.Work
	All    stacks.Work // with all that it called, exceptions too
}

// none is the index of what there is not.
const none = -1

// Read returns the call trees in the datasets of m, which have to be those in dirs. It fails
// with a [*dataset.Error] if one has no `stacks` or `tasks`.
func Read(m *report.Merged, dirs []string, test string) (*Profile, error) {
	b := &builder{
		p: &Profile{ByCycles: true}, tasks: read.Index[Task]{}, frames: read.Index[calls.Frame]{},
		nodes: read.Index[nodeKey]{},
	}
	err := read.EachSource(dirs, test, &schema.Stacks, func(d *dataset.Dataset, s *schema.SourceTotals) error {
		if err := read.Need(d, &schema.Tasks); err != nil {
			return err
		}
		tree, err := calls.ReadTree(m, d, s)
		if err != nil {
			return err
		}
		tasks, err := b.readTasks(d, s)
		if err != nil {
			return err
		}
		if err := b.add(tree, tasks); err != nil {
			return read.Damaged(d, &schema.Stacks, err)
		}
		return nil
	})
	b.p.conclude()
	b.p.Sections = m.Sections()
	return b.p, err
}

// conclude adds up what nodes took with all that they called.
func (p *Profile) conclude() {
	for i := len(p.Nodes) - 1; i >= 0; i-- {
		n := &p.Nodes[i]
		n.All.Add(n.Own)
		if n.Parent >= 0 {
			p.Nodes[n.Parent].All.Add(n.All)
		}
	}
	p.ByCycles = p.ByCycles && p.Executed.Cycles.OK
}

// A builder adds call trees to a profile.
type builder struct {
	p      *Profile
	tasks  read.Index[Task]
	frames read.Index[calls.Frame]
	nodes  read.Index[nodeKey]
	calls  int64 // in all
}

// A nodeKey is what makes two nodes one.
type nodeKey struct{ parent, task, frame int32 }

// intern returns the index of a value in a list, which it appends if it is new.
func intern[T comparable](list *[]T, index read.Index[T], value T) int32 {
	i, isNew := index.Of(value)
	if isNew {
		*list = append(*list, value)
	}
	return int32(i)
}

// readTasks returns the tasks of a source, as indexes in those of the profile.
func (b *builder) readTasks(d *dataset.Dataset, s *schema.SourceTotals) ([]int32, error) {
	all, err := stacks.ReadTasksOf(d, s)
	if err != nil {
		return nil, err
	}
	tasks := make([]int32, len(all.Rows))
	for i := range all.Rows {
		t := &all.Rows[i]
		tasks[i] = intern(&b.p.Tasks, b.tasks, Task{t.Core, t.Source, t.Name, t.ContextID, t.IsHandlers()})
	}
	return tasks, nil
}

// add adds the call tree of a source. Tasks are the indexes of its tasks in the profile.
func (b *builder) add(t *calls.Tree, tasks []int32) error {
	at := make([]int32, len(t.Nodes)) // where the nodes are in the profile
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Task < 0 || int(n.Task) >= len(tasks) {
			return fmt.Errorf("stack %d is of task %d, which there is not", i, n.Task)
		}
		if b.p.Executed.Instructions > read.MaxCount-n.Own.Instructions ||
			b.p.Executed.Cycles.V > read.MaxCount-n.Own.Cycles.V ||
			b.calls > read.MaxCount-n.Calls {
			return fmt.Errorf("stack %d has counts that no trace can have", i)
		}
		key := nodeKey{parent: none, task: tasks[n.Task], frame: intern(&b.p.Frames, b.frames, t.Frame(int32(i)))}
		if n.Parent != none {
			key.parent = at[n.Parent]
		}
		at[i] = b.node(key)
		x := &b.p.Nodes[at[i]]
		x.Calls += n.Calls
		b.calls += n.Calls
		x.Own.Add(n.Own)
		b.p.Executed.Add(n.Own)
		b.p.ByCycles = b.p.ByCycles && (n.Own.Cycles.OK || n.Own.Instructions == 0)
	}
	return nil
}

// node returns the index of the node of a key.
func (b *builder) node(key nodeKey) int32 {
	i, isNew := b.nodes.Of(key)
	if isNew {
		b.p.Nodes = append(b.p.Nodes, Node{Parent: key.parent, Task: key.task, Frame: key.frame})
	}
	return int32(i)
}
