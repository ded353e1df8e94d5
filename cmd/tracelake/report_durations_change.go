package main

import (
	"math"
	"slices"

	"github.com/tracelake/tracelake/cmd/tracelake/internal/table"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/schema"
)

// callsChange writes which calls got slower, and which faster, than in the baseline.
func (s *screen) callsChange(q *question, c *report.CallsChange) {
	if c == nil {
		return
	}
	dir := q.baselineDir()
	if !c.SameProgram {
		dir += ", which is of another program, so that functions are compared by name"
	}
	names := make([]report.Name, len(c.Rows))
	for i := range c.Rows {
		names[i] = c.Rows[i].Name
	}
	n, t := newNamer(names), s.durationChanges("FUNCTION", "CALLS")
	rows := atMost(c.Rows, q.top)
	for i := range rows {
		s.addChange(t, n.row(&rows[i].Name, report.ByFunction), &rows[i].DurationChange)
	}
	s.changes(dir, t, "function", c.New, c.Lost, len(c.Rows)-len(rows))
}

// exceptionsChange writes which exceptions got slower, and which faster.
func (s *screen) exceptionsChange(q *question, c *report.ExceptionsChange) {
	if c == nil {
		return
	}
	t, rows := s.durationChanges("EXCEPTION", "ENTRIES"), atMost(c.Rows, q.top)
	several := slices.ContainsFunc(c.Rows, func(r report.ExceptionChangeRow) bool { return r.Now.Core != c.Rows[0].Now.Core })
	for i := range rows {
		s.addChange(t, exceptionName(rows[i].Now, several), &rows[i].DurationChange)
	}
	s.changes(q.baselineDir(), t, "exception", c.New, c.Lost, len(c.Rows)-len(rows))
}

// durationChanges is a table of changes.
func (s *screen) durationChanges(of, counted string) *table.Table {
	return &table.Table{Columns: []table.Column{
		{Title: of, Kind: table.Name},
		{Title: "SLOWER BY", Kind: table.Main},
		{Title: "MEDIAN", Kind: table.Main},
		{Title: "P99", Kind: table.Number},
		{Title: "UNIT", Kind: table.Main},
		{Title: counted, Kind: table.Number},
		{Title: "LONGEST", Kind: table.Number},
	}}
}

// addChange adds a row to it.
func (s *screen) addChange(t *table.Table, name string, c *report.DurationChange) {
	now, was := &c.FiguresNow, &c.FiguresWas
	p99 := s.None()
	if min(c.EndedNow, c.EndedBefore) >= report.LeastOfRank {
		p99 = s.fromTo(was.P99, now.P99)
	}
	t.Add(table.Bar{}, name, signed(c.Slower), s.fromTo(was.Median, now.Median), p99, c.Unit.String(), s.fromTo(c.EndedBefore, c.EndedNow), s.fromTo(was.Longest, now.Longest))
}

// fromTo is a figure before and now.
func (s *screen) fromTo(before, now int64) string {
	if before == now {
		return thousands(now)
	}
	return thousands(before) + s.Arrow() + thousands(now)
}

// signed is a rounded number with its sign.
func signed(x float64) string {
	n := int64(math.Round(x))
	if n <= 0 {
		return thousands(n)
	}
	return "+" + thousands(n)
}

// changes writes a table of changes under what they are against.
func (s *screen) changes(dir string, t *table.Table, noun string, added, lost int64, left int) {
	s.blank()
	s.line("against %s: %s new, %s lost", dir, count(added, noun), thousands(lost))
	if t.Rows() == 0 {
		s.line("none got slower or faster")
		return
	}
	s.table(t)
	s.line("slower by: what all of now took more than as many took before, on average")
	s.left(left, noun, 0, 0, "")
}

// The objects of --baseline --json.
type (
	jsonCallsChange struct {
		Directory   string               `json:"directory"`
		SameProgram bool                 `json:"same_program"`
		New         int64                `json:"new"`
		Lost        int64                `json:"lost"`
		RowsLeftOut int                  `json:"rows_left_out"`
		Rows        []jsonCallsChangeRow `json:"rows"`
	}
	jsonCallsChangeRow struct {
		jsonName
		jsonDurationChange
	}
	jsonExceptionsChange struct {
		Directory   string                    `json:"directory"`
		New         int64                     `json:"new"`
		Lost        int64                     `json:"lost"`
		RowsLeftOut int                       `json:"rows_left_out"`
		Rows        []jsonExceptionsChangeRow `json:"rows"`
	}
	jsonExceptionsChangeRow struct {
		Core   string  `json:"core,omitempty"`
		Type   *string `json:"type"`
		Number *int64  `json:"number"`
		jsonDurationChange
	}
	jsonDurationChange struct {
		Unit     string       `json:"unit"`
		SlowerBy float64      `json:"slower_by"`
		Now      *jsonFigures `json:"now"`
		Before   *jsonFigures `json:"before"`
	}
	jsonFigures struct {
		Ended   int64      `json:"ended"`
		Median  int64      `json:"median"`
		P99     *int64     `json:"p99"`
		Longest int64      `json:"longest"`
		Sum     int64      `json:"sum"`
		Worst   *jsonPlace `json:"worst"`
	}
)

func callsChangeObject(q *question, c *report.CallsChange) *jsonCallsChange {
	if c == nil {
		return nil
	}
	rows := atMost(c.Rows, q.top)
	o := &jsonCallsChange{q.baselineDir(), c.SameProgram, c.New, c.Lost, len(c.Rows) - len(rows), []jsonCallsChangeRow{}}
	for i := range rows {
		o.Rows = append(o.Rows, jsonCallsChangeRow{nameObject(&rows[i].Name), durationChangeObject(&rows[i].DurationChange)})
	}
	return o
}

func exceptionsChangeObject(q *question, c *report.ExceptionsChange) *jsonExceptionsChange {
	if c == nil {
		return nil
	}
	rows := atMost(c.Rows, q.top)
	o := &jsonExceptionsChange{q.baselineDir(), c.New, c.Lost, len(c.Rows) - len(rows), []jsonExceptionsChangeRow{}}
	for i := range rows {
		r := rows[i].Now
		x := jsonExceptionsChangeRow{
			Core: r.Core, Number: nullable(schema.Null[int64]{V: int64(r.Number.V), OK: r.Number.OK}), jsonDurationChange: durationChangeObject(&rows[i].DurationChange),
		}
		if r.Type.OK {
			x.Type = new(r.Type.V.String())
		}
		o.Rows = append(o.Rows, x)
	}
	return o
}

func durationChangeObject(c *report.DurationChange) jsonDurationChange {
	return jsonDurationChange{c.Unit.String(), c.Slower, durationFigures(c.EndedNow, &c.FiguresNow), durationFigures(c.EndedBefore, &c.FiguresWas)}
}

func durationFigures(ended int64, f *report.Figures) *jsonFigures {
	o := &jsonFigures{ended, f.Median, nil, f.Longest, f.Sum, &jsonPlace{f.Worst.Dir, schema.SourceText(f.Worst.Source), f.Worst.Seq}}
	if ended >= report.LeastOfRank {
		o.P99 = &f.P99
	}
	return o
}
