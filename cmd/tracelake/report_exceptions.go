package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/cmd/tracelake/internal/table"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/schema"
)

func exceptionsCommand() *cli.Command {
	return &cli.Command{
		Name:      "exceptions",
		Usage:     "says how many exceptions there were, and how long",
		UsageText: "tracelake report exceptions DIR... [flags]",
		Description: `A row is a type and number of exception. Its durations are from entry to return,
or to where another task went on: in cycles if all of them have cycles, else in
ticks of the timestamps, else in instructions. WORST AT is the seq of the first
instruction of the longest.

Examples:
   tracelake report exceptions run
   tracelake report exceptions run --baseline yesterday`,
		Flags:  slices.Concat(datasetFlags(), []cli.Flag{baselineFlag("say which got slower, and which faster, than in the dataset in `DIR`"), topFlag(), jsonFlag()}, screenFlags()),
		Action: reportExceptions,
	}
}

func reportExceptions(ctx *cli.Context) error {
	q, err := ask(ctx, "")
	if err != nil {
		return err
	}
	x, err := report.ReadExceptions(q.dirs, q.options.Test)
	if err != nil {
		return err
	}
	var change *report.ExceptionsChange
	if q.baseline != nil {
		before, err := report.ReadExceptions([]string{q.reportArgs.baseline}, "")
		if err != nil {
			return err
		}
		change = x.Against(before)
	}
	return q.answer(ctx, func() any { return exceptionsObject(q, x, change) }, func(s *screen) {
		s.exceptions(x, q.top)
		s.exceptionsChange(q, change)
	})
}

// exceptions writes a row for each type and number.
func (s *screen) exceptions(x *report.Exceptions, limit int) {
	s.blank()
	if len(x.Rows) == 0 {
		s.line("no exceptions")
		return
	}
	t := &table.Table{Columns: slices.Concat([]table.Column{{Title: "EXCEPTION", Kind: table.Name}, {Title: "ENTRIES", Kind: table.Number}}, durationColumns(), []table.Column{{Title: "NO END", Kind: table.Number}})}
	rows := atMost(x.Rows, limit)
	several := slices.ContainsFunc(x.Rows, func(r report.ExceptionRow) bool { return r.Core != x.Rows[0].Core })
	for i := range rows {
		r := &rows[i]
		t.Add(table.Bar{}, slices.Concat([]string{exceptionName(r, several), thousands(r.Entries)}, s.durations(&r.Durations), []string{thousands(r.Unended)})...)
	}
	s.table(t)
	s.left(len(x.Rows)-len(rows), "exception", entries(x.Rows[len(rows):]), x.Entries, "entry")
}

// exceptionName names it, with its core if there are several.
func exceptionName(r *report.ExceptionRow, several bool) string {
	if several {
		return r.Core + ": " + r.String()
	}
	return r.String()
}

func entries(rows []report.ExceptionRow) (n int64) {
	for i := range rows {
		n += rows[i].Entries
	}
	return n
}

// durationColumns are the columns of durations.
func durationColumns() []table.Column {
	return []table.Column{
		{Title: "MEDIAN", Kind: table.Main},
		{Title: "P99", Kind: table.Number},
		{Title: "LONGEST", Kind: table.Number},
		{Title: "UNIT", Kind: table.Main},
		{Title: "WORST AT", Kind: table.Number},
	}
}

// durations are the cells of durations.
func (s *screen) durations(d *report.Durations) []string {
	if d.Ended == 0 {
		return []string{s.None(), s.None(), s.None(), s.None(), s.None()}
	}
	p99 := s.None()
	if d.Ended >= report.LeastOfRank {
		p99 = thousands(d.P99)
	}
	return []string{thousands(d.Median), p99, thousands(d.Longest), d.Unit.String(), thousands(d.Worst.Seq)}
}

// The objects of report exceptions --json, and those that report calls has too.
type (
	jsonExceptions struct {
		reportHead
		Entries     int64           `json:"entries"`
		RowsLeftOut int             `json:"rows_left_out"`
		Rows        []jsonException `json:"rows"`

		Baseline *jsonExceptionsChange `json:"baseline,omitempty"`
	}
	jsonException struct {
		Core    string  `json:"core,omitempty"`
		Type    *string `json:"type"`
		Number  *int64  `json:"number"`
		Entries int64   `json:"entries"`
		Unended int64   `json:"end_not_seen"`
		jsonDurations
	}
	jsonDurations struct {
		Ended   int64      `json:"ended"`
		Unit    *string    `json:"unit"`
		Median  *int64     `json:"median"`
		P99     *int64     `json:"p99"`
		Longest *int64     `json:"longest"`
		Sum     *int64     `json:"sum"`
		Worst   *jsonPlace `json:"worst"`

		Each      []int64        `json:"each,omitempty"` // of few
		Histogram *jsonHistogram `json:"histogram,omitempty"`
	}
	jsonHistogram struct {
		Log    bool      `json:"logarithmic"`
		Edges  []float64 `json:"edges"`
		Counts []int64   `json:"counts"`
	}
	jsonPlace struct {
		Directory string `json:"directory"`
		Source    string `json:"source"`
		Seq       int64  `json:"seq"`
	}
)

func exceptionsObject(q *question, x *report.Exceptions, change *report.ExceptionsChange) any {
	rows := atMost(x.Rows, q.top)
	o := &jsonExceptions{reportHead: q.head("exceptions"), Entries: x.Entries, RowsLeftOut: len(x.Rows) - len(rows), Rows: []jsonException{}, Baseline: exceptionsChangeObject(q, change)}
	for i := range rows {
		r := &rows[i]
		row := jsonException{Core: r.Core, Number: nullable(schema.Null[int64]{V: int64(r.Number.V), OK: r.Number.OK}), Entries: r.Entries, Unended: r.Unended, jsonDurations: durationsObject(&r.Durations)}
		if r.Type.OK {
			row.Type = new(r.Type.V.String())
		}
		o.Rows = append(o.Rows, row)
	}
	return o
}

func durationsObject(d *report.Durations) jsonDurations {
	o := jsonDurations{Ended: d.Ended}
	if d.Ended == 0 {
		return o
	}
	o.Unit, o.Median, o.Longest, o.Sum = new(d.Unit.String()), &d.Median, &d.Longest, &d.Sum
	if d.Ended >= report.LeastOfRank {
		o.P99 = &d.P99
	}
	o.Each = d.Each
	if d.Histogram != nil {
		o.Histogram = new(jsonHistogram(*d.Histogram))
	}
	o.Worst = &jsonPlace{d.Worst.Dir, schema.SourceText(d.Worst.Source), d.Worst.Seq}
	return o
}
