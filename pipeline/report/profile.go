package report

import (
	"fmt"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A Profile is the call trees of datasets, added up: paths of the same frames in the same task
// are one. The sum of what its nodes took by themselves is what ran.
type Profile struct {
	Executed Work
	ByCycles bool // all sources that ran count cycles
	Tasks    []ProfileTask
	Frames   []Frame
	Nodes    []ProfileNode // a parent comes before its children
	Sections []Section     // of the program, by core and address
}

// A ProfileTask is a task: tasks of one name, core and Context ID are one, as those are which
// a gap in the trace cut in pieces.
type ProfileTask struct {
	Core      string // "": the source has none
	Source    uint8
	Name      string
	ContextID schema.Null[uint32]
}

// A ProfileNode is a path of frames from the root of a task.
type ProfileNode struct {
	Parent int32 // in Nodes; of a root -1
	Task   int32 // in Tasks
	Frame  int32 // in Frames: the last of the path
	Calls  int64 // how often it was entered
	Own    Work
	All    Work // with all that it called, exceptions too
}

// Profile returns the call trees in the datasets of m, which have to be those in dirs. It fails
// with a [*dataset.Error] if one has no `stacks` or `tasks`.
func (m *Merged) Profile(dirs []string, test string) (*Profile, error) {
	b := &profileBuilder{p: &Profile{ByCycles: true}, tasks: map[ProfileTask]int32{}, frames: map[Frame]int32{}, nodes: map[profileKey]int32{}}
	err := eachDataset(dirs, test, &schema.Stacks, func(d *dataset.Dataset, s *schema.SourceTotals) error {
		if !d.Has(&schema.Tasks) {
			return &dataset.Error{File: d.Dir, Problem: "has no table " + schema.Tasks.Name, Remedy: "export again with it"}
		}
		tree, err := m.readStacks(d, s)
		if err != nil {
			return err
		}
		tasks, err := b.readTasks(d, s)
		if err != nil {
			return err
		}
		if err := b.add(tree, tasks, s.Core); err != nil {
			return &dataset.Error{File: d.Dir, Problem: "table " + schema.Stacks.Name + ": " + err.Error(), Remedy: "export again", Damaged: true, Err: err}
		}
		return nil
	})
	b.p.conclude()
	b.p.Sections = m.sections()
	return b.p, err
}

// conclude adds up what nodes took with all that they called.
func (p *Profile) conclude() {
	for i := len(p.Nodes) - 1; i >= 0; i-- {
		n := &p.Nodes[i]
		n.All.add(n.Own)
		if n.Parent >= 0 {
			p.Nodes[n.Parent].All.add(n.All)
		}
	}
	p.ByCycles = p.ByCycles && p.Executed.Cycles.OK
}

// A profileBuilder adds call trees to a profile.
type profileBuilder struct {
	p      *Profile
	tasks  map[ProfileTask]int32
	frames map[Frame]int32
	nodes  map[profileKey]int32
	calls  int64 // in all
}

// A profileKey is what makes two nodes one.
type profileKey struct{ parent, task, frame int32 }

// intern returns the index of a value in a list, which it appends if it is new.
func intern[T comparable](list *[]T, index map[T]int32, value T) int32 {
	i, ok := index[value]
	if !ok {
		i = int32(len(*list))
		index[value] = i
		*list = append(*list, value)
	}
	return i
}

// readTasks returns the tasks of a source, as indexes in those of the profile.
func (b *profileBuilder) readTasks(d *dataset.Dataset, s *schema.SourceTotals) ([]int32, error) {
	var tasks []int32
	return tasks, eachBatch(d, &schema.Tasks, s.Source, func(batch *schema.Batch) error {
		names, contexts := batch.Columns[schema.TasksName].Str, &batch.Columns[schema.TasksContextID]
		for row := range batch.Rows() {
			if number := int32(schema.TasksTask.At(batch, row)); int(number) != len(tasks) {
				return fmt.Errorf("task %d comes where %d is expected", number, len(tasks))
			}
			t := ProfileTask{Core: s.Core, Source: s.Source, Name: names[row]}
			if !contexts.Null(row) {
				t.ContextID = schema.Of(contexts.U32[row])
			}
			tasks = append(tasks, intern(&b.p.Tasks, b.tasks, t))
		}
		return nil
	})
}

// add adds the call tree of a source. Tasks are the indexes of its tasks in the profile.
func (b *profileBuilder) add(t *callTree, tasks []int32, core string) error {
	at := make([]int32, len(t.nodes)) // where the nodes are in the profile
	for i := range t.nodes {
		n := &t.nodes[i]
		if n.task < 0 || int(n.task) >= len(tasks) {
			return fmt.Errorf("stack %d is of task %d, which there is not", i, n.task)
		}
		if b.p.Executed.Instructions > maxExecutions-n.own.Instructions || b.p.Executed.Cycles.V > maxExecutions-n.own.Cycles.V ||
			b.calls > maxExecutions-n.calls {
			return fmt.Errorf("stack %d has counts that no trace can have", i)
		}
		key := profileKey{parent: none, task: tasks[n.task], frame: intern(&b.p.Frames, b.frames, t.frame(n, core))}
		if n.parent != none {
			key.parent = at[n.parent]
		}
		at[i] = b.node(key)
		x := &b.p.Nodes[at[i]]
		x.Calls += n.calls
		b.calls += n.calls
		x.Own.add(n.own)
		b.p.Executed.add(n.own)
		b.p.ByCycles = b.p.ByCycles && (n.own.Cycles.OK || n.own.Instructions == 0)
	}
	return nil
}

// node returns the index of the node of a key.
func (b *profileBuilder) node(key profileKey) int32 {
	i, ok := b.nodes[key]
	if !ok {
		i = int32(len(b.p.Nodes))
		b.nodes[key] = i
		b.p.Nodes = append(b.p.Nodes, ProfileNode{Parent: key.parent, Task: key.task, Frame: key.frame})
	}
	return i
}
