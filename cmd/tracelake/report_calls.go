package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/cmd/tracelake/internal/table"
	"github.com/tracelake/tracelake/pipeline/report"
)

func callsCommand() *cli.Command {
	return &cli.Command{
		Name:      "calls",
		Usage:     "says how long the calls of each function took",
		UsageText: "tracelake report calls DIR... [flags]",
		Description: `A row is a function that was called; a tail call is of the function that was
called first. Durations are with all that it called, without exceptions and
other tasks: in cycles if all calls have cycles, else in instructions. WORST AT
is the seq of the first instruction of the longest.

Examples:
   tracelake report calls run
   tracelake report calls run --top 50
   tracelake report calls run --baseline yesterday`,
		Flags:  slices.Concat(datasetFlags(), []cli.Flag{baselineFlag("say which calls got slower, and which faster, than in the dataset in `DIR`"), topFlag(), jsonFlag()}, screenFlags()),
		Action: calls,
	}
}

func calls(ctx *cli.Context) error {
	q, err := ask(ctx, "")
	if err != nil {
		return err
	}
	c, err := q.m.Calls(q.dirs, q.options.Test)
	if err != nil {
		return err
	}
	var change *report.CallsChange
	if q.baseline != nil {
		before, err := q.baseline.Calls([]string{q.reportArgs.baseline}, "")
		if err != nil {
			return err
		}
		change = q.m.CallsAgainst(q.baseline, c, before)
	}
	return q.answer(ctx, func() any { return callsObject(q, c, change) }, func(s *screen) {
		s.calls(c, q.top)
		s.callsChange(q, change)
	})
}

// calls writes a row for each function that was called.
func (s *screen) calls(c *report.Calls, limit int) {
	s.blank()
	if len(c.Rows) == 0 {
		s.line("no calls")
		return
	}
	names := make([]report.Name, len(c.Rows))
	for i := range c.Rows {
		names[i] = c.Rows[i].Name
	}
	n, rows := newNamer(names), atMost(c.Rows, limit)
	t := &table.Table{Columns: slices.Concat([]table.Column{{Title: "FUNCTION", Kind: table.Name}, {Title: "CALLS", Kind: table.Number}}, durationColumns(), []table.Column{{Title: "NO END", Kind: table.Number}})}
	for i := range rows {
		r := &rows[i]
		t.Add(table.Bar{}, slices.Concat([]string{n.row(&r.Name, report.ByFunction), thousands(r.Calls)}, s.durations(&r.Durations), []string{thousands(r.Unended)})...)
	}
	s.table(t)
	if c.LeftOut > 0 {
		s.line("%s left out at export: those that ended last; export with --tables calls,... for all", count(c.LeftOut, "call"))
	}
	s.left(len(c.Rows)-len(rows), "function", 0, 0, "")
}

// The objects of report calls --json.
type (
	jsonCalls struct {
		reportHead
		Calls       int64      `json:"calls"`
		LeftOut     int64      `json:"calls_left_out"`
		RowsLeftOut int        `json:"rows_left_out"`
		Rows        []jsonCall `json:"rows"`

		Baseline *jsonCallsChange `json:"baseline,omitempty"`
	}
	jsonCall struct {
		jsonName
		Calls   int64 `json:"calls"`
		Unended int64 `json:"end_not_seen"`
		jsonDurations
	}
)

func callsObject(q *question, c *report.Calls, change *report.CallsChange) any {
	rows := atMost(c.Rows, q.top)
	o := &jsonCalls{reportHead: q.head("calls"), Calls: c.Calls, LeftOut: c.LeftOut, RowsLeftOut: len(c.Rows) - len(rows), Rows: []jsonCall{}, Baseline: callsChangeObject(q, change)}
	for i := range rows {
		r := &rows[i]
		o.Rows = append(o.Rows, jsonCall{nameObject(&r.Name), r.Calls, r.Unended, durationsObject(&r.Durations)})
	}
	return o
}
