package main

import (
	"fmt"

	"github.com/tracelake/tracelake/cmd/tracelake/internal/table"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
)

// change writes what is new, and what is lost, against the baseline.
func (s *screen) change(q *question, c *report.Change) {
	if c == nil {
		return
	}
	dir := q.baselineDir()
	s.blank()
	if !c.SameProgram {
		s.line("against %s, which is of another program, so that functions are compared by name: %s", dir, deltaText("function", c.Functions))
	} else {
		s.line("against %s, where %s of instructions ran: %s; %s; %s; %s", dir, before(c), deltaText("instruction", c.Instructions), deltaText("line", c.Lines),
			deltaText("function", c.Functions), deltaText("branch outcome", c.Outcomes))
	}
	if len(c.Rows) == 0 {
		return
	}
	by, unit := q.by, "INSTRUCTIONS"
	switch {
	case !c.SameProgram:
		by, unit = report.ByFunction, "FUNCTIONS"
	case c.OfOutcomes:
		unit = "OUTCOMES"
	}
	names := make([]report.Name, len(c.Rows))
	for i := range c.Rows {
		names[i] = c.Rows[i].Name
	}
	named := names[0].Function != "" || names[0].File != ""
	n, rows := newNamer(names), atMost(c.Rows, q.top)
	t := &table.Table{Columns: append(nameColumn(named, by), table.Column{Title: "LOST " + unit, Kind: table.Main}, table.Column{Title: "NEW " + unit, Kind: table.Main})}
	for i := range rows {
		t.Add(table.Bar{}, n.Row(&rows[i].Name, by), thousands(rows[i].Lost), thousands(rows[i].New))
	}
	s.table(t)
	s.left(len(c.Rows)-len(rows), answer.RowNoun(named, by), 0, 0, "")
}

// baselineDir is the directory of the baseline.
func (q *question) baselineDir() string { return q.baseline.Trust().Datasets[0].Dir }

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
