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
		Usage:     "says which tasks ran, and what each took",
		UsageText: "tracelake report tasks DIR... [flags]",
		Description: `A task is a stack of its own: tasks are told apart by where calls and exceptions
return to, with or without Context ID. Its name is that of its first function. A
gap in the trace ends all tasks, so one that ran before and after it is two.

Examples:
   tracelake report tasks run
   tracelake report tasks run --json`,
		Flags:  slices.Concat(datasetFlags(), []cli.Flag{topFlag(), jsonFlag(), csvFlag()}, screenFlags()),
		Action: tasks,
	}
}

func tasks(ctx *cli.Context) error {
	q, err := ask(ctx, "")
	if err != nil {
		return err
	}
	t, err := stacks.ReadTasks(q.dirs, q.options.Test)
	if err != nil {
		return err
	}
	took := func(x *stacks.Task) int64 { return answer.Took(t.ByCycles, &x.Executed) }
	slices.SortStableFunc(t.Rows, func(x, y stacks.Task) int { return cmp.Compare(took(&y), took(&x)) })
	a := answer.Tasks(q.head("tasks"), t, q.top)
	return q.write(ctx, a, func(s *screen) {
		x, left := a.Section(), int64(0)
		for i := range t.Rows[x.Shown():] {
			left += took(&t.Rows[x.Shown()+i])
		}
		s.blank()
		s.section(x)
		s.leftOut(x, left, x.Whole, answer.UnitOf(t.ByCycles))
	})
}
