package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/cmd/tracelake/internal/table"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/pipeline/report/growth"
)

func coverageCommand() *cli.Command {
	return &cli.Command{
		Name:      "coverage",
		Usage:     "say how much of the program ran",
		UsageText: "tracelake report coverage DIR... [flags]",
		Description: `DIR is a dataset, or a capture, which is decoded first; several of one program
are added up. Names and percentages need a program file: export with -e FILE.

An instruction is covered if it ran. One that was reached, but always failed its
condition, is not. Of conditional branches, both outcomes count. Coverage is of
instructions, branches, lines and functions of the compiled program; it says
nothing of decisions in the source or their conditions. What is not seen may
still have run, before the trace began or where it has gaps.

Examples:
   tracelake report coverage run
   tracelake report coverage run1 run2 --by function --top 0
   tracelake report coverage run --fail-under 80:lines --exclude 'fault.c=needs a fault'`,
		Flags:  slices.Concat(datasetFlags(true), selectionFlags(), excludeFlags(), limitFlags(limitInstructions), rowFlags("file")),
		Action: asking(limitInstructions, coverage),
	}
}

func coverage(ctx *cli.Context, q *question) error {
	if q.each && !q.m.HasLines() { // nobody asked for files, and there are none
		q.by = report.ByFunction
	}
	c := q.m.Coverage(q.by)
	change := q.change(false)
	growth, err := growth.Read(q.dirs, q.options.Test)
	if err != nil {
		return err
	}
	var stretches []report.Stretch
	if !c.Named {
		stretches = q.m.Stretches()
	}
	baseline := q.baselineOf(change)
	a := answer.Coverage(q.head("coverage"), c, q.by, q.top, q.limit.value(c), baseline, growth, stretches)
	err = q.write(ctx, a, func(s *screen) {
		s.coverage(c)
		s.coverageRows(c, a.Section())
		s.change(q, change, baseline)
	})
	if err != nil {
		return err
	}
	return q.limit.check(c)
}

// coverage writes the totals.
func (s *screen) coverage(c *report.Coverage) {
	t := &table.Table{Columns: []answer.Column{
		{Title: "COVERAGE", Weight: answer.Name},
		{Title: "SHARE", Weight: answer.Main},
		{Weight: answer.Extent},
		{Title: "COUNT", Weight: answer.Main},
		{Weight: answer.Remark},
	}}
	add := func(what string, f report.Figure, reached int64, remark string) {
		t.Add(extent(f, reached), what, s.share(f), figure(f), remark)
	}
	in := c.Instructions
	add("instructions", in.Figure, in.Reached, thousands(in.Reached)+" reached, never passed")
	if c.Named {
		add("functions", c.Functions, 0, thousands(c.Full)+" in full")
		add("lines", c.Lines, 0, "")
		add("files", c.Files, 0, "")
		add("branch outcomes", c.Branches.Outcomes(), 0, thousands(c.Branches.Both)+" both ways")
	}
	s.blank()
	s.table(t)
	s.lines(answer.CoverageNotes(c))
}

// coverageRows writes a row for each function, file or line. Without names there are
// only executions.
func (s *screen) coverageRows(c *report.Coverage, x *answer.Section) {
	s.blank()
	if !c.Named {
		s.section(x)
		s.leftOut(x)
		return
	}
	s.section(x, "covered", "reached, never passed", "not seen")
	s.leftOut(x)
}

// atMost returns the rows to show, 0 being all.
func atMost[R any](rows []R, limit int) []R {
	if limit == 0 {
		return rows
	}
	return rows[:min(limit, len(rows))]
}

// share is a figure in percent; there is none of nothing.
func (s *screen) share(f report.Figure) string {
	if f.Of == 0 {
		return s.None()
	}
	return cellPercent(f.Covered, f.Of)
}

// cellPercent is a percentage in a table, which has no room for spaces.
func cellPercent(n, total int64) string {
	return strings.ReplaceAll(percentTo(n, total, 1), " ", "") + "%"
}

// figure is "1 of 2", or what there is if the whole is not known.
func figure(f report.Figure) string {
	switch {
	case f.Of > 0:
		return thousands(f.Covered) + " of " + thousands(f.Of)
	case f.Covered > 0:
		return thousands(f.Covered)
	}
	return ""
}

func extent(f report.Figure, reached int64) table.Bar {
	return table.Bar{Full: float64(f.Covered), Part: float64(reached), Whole: float64(f.Of)}
}

// change writes what is new, and what is lost, against the baseline.
func (s *screen) change(q *question, c *report.Change, baseline answer.Value) {
	if c == nil {
		return
	}
	dir := q.baselineDir()
	s.blank()
	if !c.SameProgram {
		s.line("against %s, which is of another program, so that functions are compared by name: %s", dir,
			deltaText("function", c.Functions))
	} else {
		s.line("against %s, where %s of instructions ran: %s; %s; %s; %s", dir, before(c),
			deltaText("instruction", c.Instructions), deltaText("line", c.Lines),
			deltaText("function", c.Functions), deltaText("branch outcome", c.Outcomes))
	}
	if len(c.Rows) == 0 {
		return
	}
	s.section(baseline.Section())
	s.leftOut(baseline.Section())
}

// baselineOf is a change for programs; it has the rows for people, too.
func (q *question) baselineOf(c *report.Change) answer.Value {
	if c == nil {
		return answer.Absent
	}
	return answer.CoverageChange(c, q.by, q.top, q.baselineDir())
}

// baselineDir is the directory of the baseline.
func (q *question) baselineDir() string { return q.inputOf(q.baseline.Trust().Datasets[0].Dir) }

// before is what the baseline covered.
func before(c *report.Change) string {
	if f := c.InstructionsBefore; f.Of > 0 {
		return percent(f.Covered, f.Of)
	}
	return thousands(c.InstructionsBefore.Covered)
}

func deltaText(noun string, d report.Delta) string {
	return fmt.Sprintf("%s new, %s lost", count(d.New, noun), thousands(d.Lost))
}
