package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/cmd/tracelake/internal/table"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/schema"
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
		Flags:  slices.Concat(datasetFlags(), []cli.Flag{topFlag(), jsonFlag()}, screenFlags()),
		Action: tasks,
	}
}

func tasks(ctx *cli.Context) error {
	q, err := ask(ctx, "")
	if err != nil {
		return err
	}
	t, err := report.ReadTasks(q.dirs, q.options.Test)
	if err != nil {
		return err
	}
	slices.SortStableFunc(t.Rows, func(x, y report.Task) int { return cmp.Compare(taskFigure(t, &y), taskFigure(t, &x)) })
	return q.answer(ctx, func() any { return tasksObject(q, t) }, func(s *screen) { s.tasks(t, q.top) })
}

// taskFigure is what tasks are in the order of.
func taskFigure(t *report.Tasks, x *report.Task) int64 {
	if t.ByCycles {
		return x.Executed.Cycles.V
	}
	return x.Executed.Instructions
}

// tasks writes a row for each task.
func (s *screen) tasks(t *report.Tasks, limit int) {
	total := t.Executed.Instructions
	if t.ByCycles {
		total = t.Executed.Cycles.V
	}
	several := slices.ContainsFunc(t.Rows, func(x report.Task) bool { return x.Source != t.Rows[0].Source || x.Dir != t.Rows[0].Dir })
	x := &table.Table{Columns: []table.Column{
		{Title: "TASK", Kind: table.Name},
		{Title: "SHARE", Kind: table.Main},
		{Kind: table.Share},
		{Title: strings.ToUpper(unitOf(t.ByCycles)) + "S", Kind: table.Number},
		{Title: "SWITCHES", Kind: table.Number},
		{Title: "FIRST SEQ", Kind: table.Number},
		{Title: "CONTEXT", Kind: table.Spare},
		{Title: "BEGAN", Kind: table.Spare},
		{Title: "DRIFT", Kind: table.Spare},
	}}
	rows := atMost(t.Rows, limit)
	for i := range rows {
		r := &rows[i]
		name := r.Name
		if several {
			name = schema.SourceText(r.Source) + ": " + name
		}
		context := s.None()
		if r.ContextID.OK {
			context = hexAddress(r.ContextID.V)
		}
		x.Add(table.Bar{Full: float64(taskFigure(t, r)), Whole: float64(taskFigure(t, &t.Rows[0]))},
			name, cellPercent(taskFigure(t, r), total), thousands(taskFigure(t, r)), thousands(r.Switches), thousands(r.FirstSeq), context,
			r.Origin.String(), thousands(r.Drift))
	}
	s.blank()
	s.table(x)
	left := int64(0)
	for i := range t.Rows[len(rows):] {
		left += taskFigure(t, &t.Rows[len(rows)+i])
	}
	s.left(len(t.Rows)-len(rows), "task", left, total, unitOf(t.ByCycles))
}

// The objects of report tasks --json.
type (
	jsonTasks struct {
		reportHead
		Instructions int64      `json:"instructions"`
		Cycles       *int64     `json:"cycles"`
		RowsLeftOut  int        `json:"rows_left_out"`
		Rows         []jsonTask `json:"rows"`
	}
	jsonTask struct {
		Directory    string `json:"directory"`
		Source       string `json:"source"`
		Core         string `json:"core,omitempty"`
		Task         int32  `json:"task"`
		Name         string `json:"name"`
		ContextID    *int64 `json:"context_id"`
		Origin       string `json:"origin"`
		FirstSeq     int64  `json:"first_seq"`
		Switches     int64  `json:"switches"`
		Ambiguous    int64  `json:"ambiguous"`
		StackDrift   int64  `json:"stack_drift"`
		Instructions int64  `json:"instructions"`
		Cycles       *int64 `json:"cycles"`
	}
)

func tasksObject(q *question, t *report.Tasks) any {
	rows := atMost(t.Rows, q.top)
	o := &jsonTasks{
		reportHead: q.head("tasks"), Instructions: t.Executed.Instructions, Cycles: nullable(t.Executed.Cycles),
		RowsLeftOut: len(t.Rows) - len(rows), Rows: []jsonTask{},
	}
	for i := range rows {
		r := &rows[i]
		o.Rows = append(o.Rows, jsonTask{
			r.Dir, schema.SourceText(r.Source), r.Core, r.Number, r.Name,
			nullable(schema.Null[int64]{V: int64(r.ContextID.V), OK: r.ContextID.OK}), r.Origin.String(),
			r.FirstSeq, r.Switches, r.Ambiguous, r.Drift, r.Executed.Instructions, nullable(r.Executed.Cycles),
		})
	}
	return o
}

// nullable is a number as JSON has it: null if there is none.
func nullable(n schema.Null[int64]) *int64 {
	if !n.OK {
		return nil
	}
	return &n.V
}
