package stacks

import (
	"fmt"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Tasks are the tasks, and handlers, that datasets ran, with what each took: together all that was executed.
type Tasks struct {
	Executed Work
	ByCycles bool // all sources that ran count cycles
	Rows     []Task
}

// A Task is a task of a source, or the handlers of an asynchronous exception.
type Task struct {
	Dir       string
	Source    uint8
	Core      string
	Number    int32
	Name      string
	Root      string // the function at the bottom of its stack; "": of handlers, and of several stacks
	ContextID schema.Null[uint32]
	Origin    schema.TaskOrigin
	FirstSeq  int64
	Switches  int64
	Ambiguous int64
	Joined    int64
	Drift     int64
	Executed  Work
}

// IsHandlers says whether it is the handlers of an exception.
func (t *Task) IsHandlers() bool { return t.Origin == schema.TaskException }

// ReadTasks returns the tasks of datasets, in the order of datasets and sources, the one that
// ran first first. It fails with a [*dataset.Error] if one has no such table.
func ReadTasks(dirs []string, test string) (*Tasks, error) {
	t := &Tasks{ByCycles: true}
	return t, read.EachSource(dirs, test, &schema.Tasks, t.read)
}

// ReadTasksOf returns the tasks of a source.
func ReadTasksOf(d *dataset.Dataset, s *schema.SourceTotals) (*Tasks, error) {
	t := &Tasks{ByCycles: true}
	return t, t.read(d, s)
}

// read adds the tasks of a source, which have their numbers in order.
func (t *Tasks) read(d *dataset.Dataset, s *schema.SourceTotals) error {
	first := len(t.Rows)
	return read.EachBatch(d, &schema.Tasks, s.Source, func(b *schema.Batch) error { return t.add(b, d, s, first) })
}

func (t *Tasks) add(b *schema.Batch, d *dataset.Dataset, s *schema.SourceTotals, first int) error {
	names, roots := b.Columns[schema.TasksName].Str, b.Columns[schema.TasksRoot].Str
	for row := range b.Rows() {
		x := Task{
			Dir: d.Dir, Source: s.Source, Core: s.Core, Number: int32(schema.TasksTask.At(b, row)), Name: names[row],
			Root: roots[row], Origin: schema.TaskOrigin(schema.TasksOrigin.At(b, row)), FirstSeq: int64(schema.TasksFirstSeq.At(b, row)),
			Switches: int64(schema.TasksSwitches.At(b, row)), Ambiguous: int64(schema.TasksAmbiguous.At(b, row)),
			Drift: int64(schema.TasksStackDrift.At(b, row)), Joined: int64(schema.TasksJoined.At(b, row)),
			Executed:  WorkAt(b, row, schema.TasksInstructions, schema.TasksCycles),
			ContextID: read.Null32(b, row, schema.TasksContextID),
		}
		switch n := len(t.Rows) - first; {
		case int(x.Number) != n:
			return fmt.Errorf("task %d comes where %d is expected", x.Number, n)
		case !x.Executed.Possible():
			return fmt.Errorf("task %d has counts that no trace can have", x.Number)
		}
		t.Executed.Add(x.Executed)
		t.ByCycles = t.ByCycles && x.Executed.Cycles.OK
		t.Rows = append(t.Rows, x)
	}
	return nil
}
