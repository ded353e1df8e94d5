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
exceptions are in no task: they have rows of their own, as [irq 14].

Examples:
   tracelake report tasks run
   tracelake report tasks run --json`,
		Flags:  slices.Concat(datasetFlags(true), []cli.Flag{topFlag(), jsonFlag(), csvFlag()}, screenFlags()),
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
	a := answer.Tasks(q.head("tasks"), t, q.top)
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
	})
}
