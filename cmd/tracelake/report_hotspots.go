package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/cmd/tracelake/internal/table"
	"github.com/tracelake/tracelake/pipeline/report"
)

func hotspotsCommand() *cli.Command {
	return &cli.Command{
		Name:      "hotspots",
		Usage:     "says where instructions and cycles went",
		UsageText: "tracelake report hotspots DIR... [flags]",
		Description: `DIR is a dataset that export wrote; several of one program are added up. Figures
are of the code itself; beside them stands what functions took with what they
called, where recursion counts once. If cycles are traced for all of it, rows
are in their order, else in that of executed instructions.
Against a baseline shares are compared, as one may have run longer.

Times are cycles by the clock of the core: as given to export with --cycle-hz,
else as measured between timestamps, if their frequency is known and the clock
was steady. Timestamps alone say how long all of it took, not a function.

Examples:
   tracelake report hotspots run
   tracelake report hotspots run --by line --top 50
   tracelake report hotspots run --baseline yesterday`,
		Flags: slices.Concat(datasetFlags(), excludeFlags(), []cli.Flag{
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
	q, err := a.ask()
	if err != nil {
		return err
	}
	h := q.m.Hotspots(q.by)
	var change *report.HotspotChange
	if q.baseline != nil {
		change = q.m.HotspotsAgainst(q.baseline, q.by)
	}
	return q.answer(ctx, func() any { return hotspotsObject(q, h, change) }, func(s *screen) {
		s.hotspots(h, q.by, q.top)
		s.hotspotChange(q, change)
	})
}

// hotspots writes a row for each function, file or line.
func (s *screen) hotspots(h *report.Hotspots, by report.By, limit int) {
	names := make([]report.Name, len(h.Rows))
	for i := range h.Rows {
		names[i] = h.Rows[i].Name
	}
	columns := s.hotspotColumns(h, by)
	t := &table.Table{Columns: append(nameColumn(h.Named, by), table.Column{Title: "SHARE", Kind: table.Main}, table.Column{Kind: table.Share})}
	for _, c := range columns {
		t.Columns = append(t.Columns, table.Column{Title: c.title, Kind: c.kind})
	}
	n, rows, total := newNamer(names), atMost(h.Rows, limit), ownTotal(h, h.ByCycles)
	for i := range rows {
		r := &rows[i]
		cells := []string{n.row(&r.Name, by), cellPercent(ownFigure(r, h.ByCycles), total)}
		if r.Outside {
			cells[0] = outsideProgram
		}
		for _, c := range columns {
			cells = append(cells, c.cell(r))
		}
		t.Add(table.Bar{Full: float64(ownFigure(r, h.ByCycles)), Whole: float64(ownFigure(&h.Rows[0], h.ByCycles))}, cells...)
	}
	s.blank()
	s.table(t)
	s.hotspotsLeft(h, len(rows), by)
}

// A hotspotColumn is a column of figures.
type hotspotColumn struct {
	title string
	kind  table.Kind
	cell  func(*report.HotspotRow) string
}

// hotspotColumns returns the columns that the trace has figures for, the most
// important first.
func (s *screen) hotspotColumns(h *report.Hotspots, by report.By) []hotspotColumn {
	instructions := hotspotColumn{"INSTRUCTIONS", table.Number, func(r *report.HotspotRow) string { return thousands(r.Instructions) }}
	all := hotspotColumn{"WITH CALLEES", table.Number, func(r *report.HotspotRow) string { return s.work(&r.All, h.ByCycles) }}
	entries := hotspotColumn{"ENTRIES", table.Number, func(r *report.HotspotRow) string { return thousands(r.Entries) }}
	cycles := hotspotColumn{"CYCLES", table.Number, s.ifTimed(func(r *report.HotspotRow) string { return thousands(int64(math.Round(r.Cycles))) })}
	duration := hotspotColumn{"TIME", table.Spare, s.ifTimed(func(r *report.HotspotRow) string { return s.duration(r.Seconds) })}
	ipc := hotspotColumn{"IPC", table.Spare, s.ifTimed(func(r *report.HotspotRow) string { return fmt.Sprintf("%.2f", r.IPC()) })}
	columns := []hotspotColumn{instructions, all, entries, cycles, duration, ipc}
	if h.ByCycles {
		instructions.kind = table.Spare
		columns = []hotspotColumn{cycles, all, duration, instructions, entries, ipc}
	}
	return slices.DeleteFunc(columns, func(c hotspotColumn) bool {
		return c.title == all.title && !h.Inclusive || c.title == entries.title && (by != report.ByFunction || !h.Named) || c.title == duration.title && !h.Clocked ||
			(c.title == cycles.title || c.title == ipc.title) && h.Cycles == 0
	})
}

// work writes what was executed: the cycles, or the instructions.
func (s *screen) work(w *report.Work, cycles bool) string {
	switch {
	case !cycles:
		return thousands(w.Instructions)
	case w.Cycles.OK:
		return thousands(w.Cycles.V)
	}
	return s.None()
}

// ifTimed writes a cell only for rows that have cycles.
func (s *screen) ifTimed(cell func(*report.HotspotRow) string) func(*report.HotspotRow) string {
	return func(r *report.HotspotRow) string {
		if r.Cycles == 0 {
			return s.None()
		}
		return cell(r)
	}
}

// hotspotsLeft says what the table leaves out, and what the shares are of.
func (s *screen) hotspotsLeft(h *report.Hotspots, shown int, by report.By) {
	unit, total, left := unitOf(h.ByCycles), ownTotal(h, h.ByCycles), int64(0)
	for i := range h.Rows[shown:] {
		left += ownFigure(&h.Rows[shown+i], h.ByCycles)
	}
	if h.Cycles > 0 && !h.ByCycles {
		s.line("cycles are not traced for all of them: rows are in the order of instructions")
	}
	s.clocks(h)
	if shown == len(h.Rows) {
		s.line("%s in all", count(total, unit))
	}
	s.left(len(h.Rows)-shown, rowNoun(h.Named, by), left, total, unit)
}
