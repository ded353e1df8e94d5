package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/tracelake/tracelake/cmd/tracelake/internal/table"
	"github.com/tracelake/tracelake/pipeline/report"
)

// hotspotChange writes what takes more, and what less, than in the baseline.
func (s *screen) hotspotChange(q *question, c *report.HotspotChange) {
	if c == nil {
		return
	}
	s.blank()
	by, named, dir := q.by, c.Now.Named && c.Before.Named, q.baselineDir()
	if !c.SameProgram {
		by = report.ByFunction
	}
	switch {
	case !c.SameProgram && !named:
		s.line("against %s, which is of another program: there are no names to compare by", dir)
		return
	case !c.SameProgram:
		dir += ", which is of another program, so that functions are compared by name"
	}
	s.line("against %s: %s now, %s before; %s new, %s lost", dir, count(ownTotal(c.Now, c.ByCycles), unitOf(c.ByCycles)),
		thousands(ownTotal(c.Before, c.ByCycles)), count(c.New, rowNoun(c.Now.Named, by)), thousands(c.Lost))
	if len(c.Rows) == 0 {
		s.line("no share changed")
		return
	}
	rows := atMost(c.Rows, q.top)
	s.table(s.hotspotChanges(c, rows, by))
	s.line("changes are in percentage points of all %ss", unitOf(c.ByCycles))
	s.left(len(c.Rows)-len(rows), rowNoun(c.Now.Named, by), 0, 0, "")
}

// hotspotChanges has a row for each change.
func (s *screen) hotspotChanges(c *report.HotspotChange, rows []report.HotspotChangeRow, by report.By) *table.Table {
	names := make([]report.Name, len(c.Rows))
	for i := range c.Rows {
		names[i] = c.Rows[i].Row().Name
	}
	n, unit := newNamer(names), "INSTRUCTIONS"
	if c.ByCycles {
		unit = "CYCLES"
	}
	t := &table.Table{Columns: append(nameColumn(c.Now.Named, by),
		table.Column{Title: "CHANGE", Kind: table.Main}, table.Column{Title: "SHARE", Kind: table.Main}, table.Column{Title: "BEFORE", Kind: table.Main},
		table.Column{Title: unit, Kind: table.Number}, table.Column{Title: unit + " BEFORE", Kind: table.Number})}
	if c.Inclusive {
		t.Columns = slices.Insert(t.Columns, 2, table.Column{Title: "WITH CALLEES", Kind: table.Number})
	}
	for i := range rows {
		r := &rows[i]
		name := n.row(&r.Row().Name, by)
		if r.Row().Outside {
			name = outsideProgram
		}
		share, figure := s.hotspotCells(c, c.Now, r.Now)
		shareBefore, figureBefore := s.hotspotCells(c, c.Before, r.Before)
		cells := []string{name, points(c.Change(r)), share, shareBefore, figure, figureBefore}
		if c.Inclusive {
			cells = slices.Insert(cells, 2, points(c.TotalChange(r)))
		}
		t.Add(table.Bar{}, cells...)
	}
	return t
}

// hotspotCells are the share and the figure of what ran, now or before.
func (s *screen) hotspotCells(c *report.HotspotChange, h *report.Hotspots, r *report.HotspotRow) (share, figure string) {
	if r == nil {
		return s.None(), s.None()
	}
	n := ownFigure(r, c.ByCycles)
	return cellPercent(n, ownTotal(h, c.ByCycles)), thousands(n)
}

// points is a difference of shares, in percentage points.
func points(change float64) string {
	tenths := math.Round(change * 1000)
	if tenths == 0 {
		return "0.0"
	}
	return fmt.Sprintf("%+.1f", tenths/10)
}

// ownFigure is what a row has of the unit: rounded cycles, or instructions.
func ownFigure(r *report.HotspotRow, byCycles bool) int64 {
	if byCycles {
		return int64(math.Round(r.Cycles))
	}
	return r.Instructions
}

// ownTotal is the sum of that.
func ownTotal(h *report.Hotspots, byCycles bool) int64 {
	if byCycles {
		return int64(math.Round(h.Cycles))
	}
	return h.Instructions
}

func unitOf(byCycles bool) string {
	if byCycles {
		return "cycle"
	}
	return "instruction"
}
