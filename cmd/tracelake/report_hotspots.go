package main

import (
	"fmt"
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
			baselineFlag("say what takes more, and what less, than in the earlier run in `DIR`"),
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
	s.changes(x, "no share changed", unit)
}

// changes writes the rows of a comparison, whose shares are of so many units.
func (s *screen) changes(x *answer.Section, none, unit string) {
	if x.Rows == 0 {
		s.line("%s", none)
		return
	}
	s.section(x)
	s.line("changes are in percentage points of all %ss", unit)
	s.leftOut(x)
}

// clocks says where times come from, or why there are none.
func (s *screen) clocks(h *report.Hotspots) {
	var measured, steady, elapsed []float64
	for _, c := range h.Clocks {
		if c.Measured && c.Hz > 0 {
			steady = append(steady, c.Hz)
		}
		if c.Measured && c.Hz == 0 {
			measured = append(measured, c.Least, c.Most)
		}
		if c.Elapsed > 0 {
			elapsed = append(elapsed, c.Elapsed)
		}
	}
	switch {
	case h.Clocked && len(steady) > 0:
		s.line("times by the clock of the core as timestamps measure it: %s", span(steady, megahertz))
	case h.Clocked:
	case len(measured) > 0:
		s.line("no times: between timestamps the clock of the core was not steady, %s; export with --cycle-hz takes it as "+
			"given", span(measured, megahertz))
	case h.Cycles > 0:
		s.line("no times: the clock of the core is not known; export with --cycle-hz, or with --timestamp-hz if timestamps " +
			"are traced")
	case len(elapsed) > 0:
		s.line("from the first timestamp to the last: %s; times of rows need cycles", span(elapsed, s.duration))
	}
}

// span is the least and the most of values in words.
func span(values []float64, text func(float64) string) string {
	least, most := text(slices.Min(values)), text(slices.Max(values))
	if least == most {
		return least
	}
	return least + " to " + most
}

func megahertz(hz float64) string { return fmt.Sprintf("%.1f MHz", hz/1e6) }

// duration is a time in a unit that suits it.
func (s *screen) duration(seconds float64) string {
	switch {
	case seconds >= 1:
		return fmt.Sprintf("%.2f s", seconds)
	case seconds >= 1e-3:
		return fmt.Sprintf("%.2f ms", seconds*1e3)
	case s.UTF8:
		return fmt.Sprintf("%.2f µs", seconds*1e6)
	}
	return fmt.Sprintf("%.2f us", seconds*1e6)
}
