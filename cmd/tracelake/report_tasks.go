package main

import (
	"cmp"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
)

func tasksCommand() *cli.Command {
	return &cli.Command{
		Name:      "tasks",
		Usage:     "say which tasks ran, and what each took",
		UsageText: "tracelake report tasks DIR... [flags]",
		Description: `A task is what has a Context ID or, without, a stack of its own: tasks
differ in where calls and exceptions return to. Its name is that of the function
at the bottom of its stack, or of what that begins it with: then ROOT is the
bottom. After a gap in the trace a task continues if its bottom was seen; what
has callers that nobody saw is (callers not seen). Handlers of asynchronous
exceptions are in no task: they have rows of their own, as [irq 14]. Tasks of a
baseline are the same if name and Context ID are; shares are compared.

Examples:
   tracelake report tasks run
   tracelake report tasks run --baseline yesterday`,
		Flags: slices.Concat(datasetFlags(true), []cli.Flag{
			baselineFlag("say which take more, and which less, than in the dataset in `DIR`"), topFlag(), jsonFlag(), csvFlag(),
		}, screenFlags()),
		Action: asking("", tasks),
	}
}

func tasks(ctx *cli.Context, q *question) error {
	t, err := stacks.ReadTasks(q.dirs, q.options.Test)
	if err != nil {
		return err
	}
	took := func(x *stacks.Task) int64 { return x.Executed.In(t.ByCycles) }
	slices.SortStableFunc(t.Rows, func(x, y stacks.Task) int { return cmp.Compare(took(&y), took(&x)) })
	var change *stacks.TaskChange
	baseline := answer.Absent
	if q.baseline != nil {
		before, err := stacks.ReadTasks([]string{q.reportArgs.baseline}, "")
		if err != nil {
			return err
		}
		change = t.Against(before)
		baseline = answer.TasksChange(change, q.top, q.baselineDir())
	}
	a := answer.Tasks(q.head("tasks"), t, q.top, baseline)
	return q.write(ctx, a, func(s *screen) {
		x, handlers := a.Section(), int64(0)
		for i := range t.Rows {
			if t.Rows[i].IsHandlers() {
				handlers += took(&t.Rows[i])
			}
		}
		s.blank()
		s.section(x)
		s.leftOut(x)
		if handlers > 0 {
			s.line("%s executed: %s in tasks, %s in handlers of exceptions", count(x.Whole, x.Unit),
				thousands(x.Whole-handlers), thousands(handlers))
		}
		if change != nil {
			s.taskChange(q.baselineDir(), baseline.Section(), change)
		}
	})
}

// taskChange writes which tasks take more, and which less, than in the baseline.
func (s *screen) taskChange(dir string, x *answer.Section, c *stacks.TaskChange) {
	unit := answer.UnitOf(c.ByCycles)
	s.blank()
	s.line("against %s: %s now, %s before; %s new, %s lost", dir, count(c.Now.Executed.In(c.ByCycles), unit),
		thousands(c.Before.Executed.In(c.ByCycles)), count(c.New, x.Noun), thousands(c.Lost))
	s.changes(x, "none changed", unit)
}
