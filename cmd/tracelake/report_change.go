package main

import (
	"fmt"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
)

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
