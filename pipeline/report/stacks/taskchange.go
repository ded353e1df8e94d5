package stacks

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
)

// A TaskChange is what tasks, and handlers of exceptions, take now and took before. Shares are compared, as one may
// have run longer than the other.
type TaskChange struct {
	ByCycles    bool // shares are of cycles: all that ran has them, now and before; else of instructions
	Now, Before *Tasks
	New, Lost   int64           // that ran only now, and only before
	Rows        []TaskChangeRow // those that changed, the greatest change of share first
}

// A TaskChangeRow is a task as it is now, and was before; nil: it did not run. Those of one name and Context ID are one.
type TaskChangeRow struct{ Now, Before *Task }

// Row returns the task as it is now, or was before.
func (r *TaskChangeRow) Row() *Task {
	if r.Now != nil {
		return r.Now
	}
	return r.Before
}

// Against compares tasks with those of a baseline.
func (t *Tasks) Against(before *Tasks) *TaskChange {
	c := &TaskChange{ByCycles: t.ByCycles && before.ByCycles, Now: t, Before: before}
	was := map[TaskName]*Task{}
	all := AddedUp(before.Rows)
	for i := range all {
		was[all[i].Named()] = &all[i]
	}
	now := AddedUp(t.Rows)
	for i := range now {
		name := now[i].Named()
		c.add(TaskChangeRow{&now[i], was[name]})
		delete(was, name)
	}
	for i := range all {
		if was[all[i].Named()] != nil {
			c.add(TaskChangeRow{nil, &all[i]})
		}
	}
	slices.SortStableFunc(c.Rows, func(x, y TaskChangeRow) int {
		return cmp.Or(cmp.Compare(math.Abs(c.Change(&y)), math.Abs(c.Change(&x))), strings.Compare(x.Row().Name, y.Row().Name))
	})
	return c
}

// A TaskName is what a task has in common with itself in another run.
type TaskName struct {
	core     string
	source   uint8 // where the core has no name
	name     string
	context  schema.Null[uint32]
	handlers bool
}

// Named returns what tells a task from others.
func (t *Task) Named() TaskName {
	n := TaskName{core: t.Core, name: t.Name, context: t.ContextID, handlers: t.IsHandlers()}
	if t.Core == "" {
		n.source = t.Source
	}
	return n
}

// AddedUp adds up tasks that cannot be told from one another in another run, or another dataset.
func AddedUp(rows []Task) []Task {
	var sums []Task
	index := read.Index[TaskName]{}
	for i := range rows {
		x := &rows[i]
		at, isNew := index.Of(x.Named())
		if isNew {
			sums = append(sums, *x)
			continue
		}
		sum := &sums[at]
		sum.Executed.Add(x.Executed)
		sum.Switches += x.Switches
		sum.Joined += x.Joined
		if sum.Root != x.Root {
			sum.Root = ""
		}
	}
	return sums
}

// add adds a row, if it changed.
func (c *TaskChange) add(r TaskChangeRow) {
	switch {
	case r.Before == nil:
		c.New++
	case r.Now == nil:
		c.Lost++
	case r.Now.Executed == r.Before.Executed && r.Now.Switches == r.Before.Switches && c.Change(&r) == 0:
		return
	}
	c.Rows = append(c.Rows, r)
}

// Change is by how much the share of a task grew, of 1.
func (c *TaskChange) Change(r *TaskChangeRow) float64 {
	return c.Share(c.Now, r.Now) - c.Share(c.Before, r.Before)
}

// Share is the share of a task of t, which may be nil, from 0 to 1.
func (c *TaskChange) Share(t *Tasks, x *Task) float64 {
	all := t.Executed.In(c.ByCycles)
	if x == nil || all == 0 {
		return 0
	}
	return float64(x.Executed.In(c.ByCycles)) / float64(all)
}
