package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
)

func hotspotsCommand() *cli.Command {
	return &cli.Command{
		Name:      "hotspots",
		Usage:     "say where instructions and cycles went",
		UsageText: "tracelake report hotspots DIR... [flags]",
		Description: `DIR is a dataset, or a capture, which is decoded first; several of one program
are added up. Figures are of the code itself; beside them stands what functions
took with what they called, where recursion counts once. If cycles are traced
for all of it, rows are in their order, else in that of executed instructions.
Against a baseline shares are compared, as one may have run longer.

Times are cycles by the clock of the core: as given to export with --cycle-hz,
else as measured between timestamps, if their frequency is known and the clock
was steady. Otherwise timestamps say only how long all of it took.

Examples:
   tracelake report hotspots run
   tracelake report hotspots run --by line --top 50
   tracelake report hotspots run --baseline yesterday`,
		Flags: slices.Concat(datasetFlags(true), selectionFlags(), excludeFlags(), []cli.Flag{
			baselineFlag("say what takes more, and what less, than in the dataset in `DIR`"),
		}, rowFlags("function")),
		Action: hotspots,
	}
}

func hotspots(ctx *cli.Context) error {
	a, err := readReport(ctx, "")
	if err != nil {
		return err
	}
	a.options.Clocks = true
	q, err := a.ask(ctx)
	if err != nil {
		return err
	}
	h := q.m.Hotspots(q.by)
	var change *report.HotspotChange
	baseline := answer.Absent
	if q.baseline != nil {
		change = q.m.HotspotsAgainst(q.baseline, q.by)
		baseline = answer.HotspotChange(change, q.by, q.top, q.baselineDir())
	}
	rows := answer.Hotspots(q.head("hotspots"), h, q.by, q.top, baseline)
	return q.write(ctx, rows, func(s *screen) {
		s.blank()
		s.section(rows.Section())
		s.hotspotsLeft(h, rows.Section())
		s.hotspotChange(q, change)
	})
}

// hotspotsLeft says what the table leaves out, and what the shares are of.
func (s *screen) hotspotsLeft(h *report.Hotspots, x *answer.Section) {
	if h.Cycles > 0 && !h.ByCycles {
		s.line("cycles are not traced for all of them: rows are in the order of instructions")
	}
	s.clocks(h)
	if x.Shown() == x.Rows {
		s.line("%s in all", count(x.Whole, x.Unit))
	}
	s.leftOut(x)
}

// hotspotChange writes what takes more, and what less, than in the baseline.
func (s *screen) hotspotChange(q *question, c *report.HotspotChange) {
	if c == nil {
		return
	}
	s.blank()
	dir, unit := q.baselineDir(), answer.UnitOf(c.ByCycles)
	switch {
	case !c.SameProgram && (!c.Now.Named || !c.Before.Named):
		s.line("against %s, which is of another program: there are no names to compare by", dir)
		return
	case !c.SameProgram:
		dir += ", which is of another program, so that functions are compared by name"
	}
	x := answer.HotspotChanges(c, q.by, q.top)
	s.line("against %s: %s now, %s before; %s new, %s lost", dir, count(answer.Total(c.Now, c.ByCycles), unit),
		thousands(answer.Total(c.Before, c.ByCycles)), count(c.New, x.Noun), thousands(c.Lost))
	if x.Rows == 0 {
		s.line("no share changed")
		return
	}
	s.section(x)
	s.line("changes are in percentage points of all %ss", unit)
	s.leftOut(x)
}
