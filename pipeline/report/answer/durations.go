package answer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/calls"
	"github.com/tracelake/tracelake/pipeline/report/durations"
	"github.com/tracelake/tracelake/pipeline/report/exceptions"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
)

// Calls is how long the calls of each function took.
func Calls(head []Fact, c *calls.Table, top int, baseline Value) *Answer {
	s := &Section{Noun: "function", Rows: len(c.Rows), Top: top}
	s.Columns = append(Names("FUNCTION", Name, s.Rows, func(i int) *report.Name { return &c.Rows[i].Name },
		report.ByFunction),
		Column{"calls", "CALLS", Count, Number, 0, func(i int) Value { return Int(c.Rows[i].Calls) }},
		Column{"end_not_seen", "UNFINISHED", Count, Number, 6, func(i int) Value { return Int(c.Rows[i].Unended) }})
	s.Columns = append(s.Columns,
		durationColumns("call", func(i int) *durations.Summary { return &c.Rows[i].Summary })...)
	s.Columns = append(s.Columns,
		Column{Key: "total_instructions", At: func(i int) Value { return Int(c.Rows[i].All.Instructions) }},
		Column{Key: "total_cycles", At: func(i int) Value { return Nullable(c.Rows[i].All.Cycles) }})
	return &Answer{Name: "calls", Facts: append(head,
		Fact{"calls", Int(c.Calls)},
		Fact{"calls_at_least", Int(c.AtLeast)},
		Fact{"rows", Rows(s)},
		Fact{"baseline", baseline},
	)}
}

// CallsChange is which calls got slower, and which faster, than in the baseline in dir.
func CallsChange(c *calls.Change, top int, dir string) Value {
	s := &Section{Noun: "function", Rows: len(c.Rows), Top: top}
	s.Columns = append(Names("FUNCTION", Name, s.Rows, func(i int) *report.Name { return &c.Rows[i].Name },
		report.ByFunction),
		durationChange("CALLS", func(i int) *durations.Change { return &c.Rows[i].Change })...)
	return Object(Fact{"directory", Text(dir)}, Fact{"same_program", JSONOf(c.SameProgram)},
		Fact{"new", Int(c.New)}, Fact{"lost", Int(c.Lost)}, Fact{"rows", Rows(s)})
}

// Exceptions is how often exceptions were entered, and how long they took.
func Exceptions(head []Fact, x *exceptions.Table, top int, baseline Value) *Answer {
	s := &Section{Noun: "exception", Rows: len(x.Rows), Top: top, Unit: "entry"}
	s.addUp(func(i int) int64 { return x.Rows[i].Entries })
	s.Columns = append(exceptionNames(s.Rows, func(i int) *exceptions.Row { return &x.Rows[i] }),
		Column{"entries", "ENTRIES", Count, Number, 0, func(i int) Value { return Int(x.Rows[i].Entries) }},
		Column{"end_not_seen", "UNFINISHED", Count, Number, 6, func(i int) Value { return Int(x.Rows[i].Unended) }})
	s.Columns = append(s.Columns,
		durationColumns("exception", func(i int) *durations.Summary { return &x.Rows[i].Summary })...)
	s.Columns = append(s.Columns, executedColumns(x.Rows)...)
	s.Columns = append(s.Columns, levelColumn(x.Rows))
	return &Answer{Name: "exceptions", Facts: append(head,
		Fact{"entries", Int(x.Entries)}, Fact{"rows", Rows(s)}, Fact{"baseline", baseline})}
}

// executedColumns are the columns of what was executed in exceptions, how deep they were nested, and what handled them.
// Screens have those in which anything is known.
func executedColumns(rows []exceptions.Row) []Column {
	row := func(i int) *exceptions.Row { return &rows[i] }
	known := func(i int) bool { return row(i).Of.Instructions > 0 }
	titleIf := func(title string, there func(exceptions.Row) bool) string {
		if !slices.ContainsFunc(rows, there) {
			return ""
		}
		return title
	}
	handled := func(r exceptions.Row) bool { return r.Handler != report.Name{} }
	handler := func(i int) *report.Name { return &row(i).Handler }
	names := NewNamer(len(rows), handler)
	columns := []Column{
		{
			Title: titleIf("SHARE", func(r exceptions.Row) bool { return r.Of.Instructions > 0 }), Unit: Percent, Weight: Spare,
			Place: 7, At: func(i int) Value { return If(known(i), Of(row(i).Took())) },
		},
		{Key: "total_instructions", At: func(i int) Value { return If(known(i), Int(row(i).Executed.Instructions)) }},
		{Key: "total_cycles", At: func(i int) Value { return If(known(i), Nullable(row(i).Executed.Cycles)) }},
		{Key: "share_percent", Unit: Ratio, At: func(i int) Value { return percent(row(i).Took()) }},
		{
			"nested", titleIf("NESTED", func(r exceptions.Row) bool { return r.Nested.V > 0 }), Count, Spare, 8,
			func(i int) Value { return Nullable(row(i).Nested) },
		},
		{
			Title: titleIf("HANDLER", handled), Weight: Remark, Place: 9,
			At: func(i int) Value { return If(handled(*row(i)), Text(names.Row(handler(i), report.ByFunction))) },
		},
		{Key: "handler", At: func(i int) Value { return If(handled(*row(i)), Object()) }},
	}
	for _, c := range nameKeys(handler) {
		if c.Key != "core" { // which the row has
			c.Key = "handler." + c.Key
			columns = append(columns, c)
		}
	}
	return columns
}

// levelColumn is the column of the exception levels that exceptions were taken to. Screens have it where any is known.
func levelColumn(rows []exceptions.Row) Column {
	c := Column{Key: "exception_level", Weight: Number, Place: 10, At: func(i int) Value {
		var levels []string
		for level := range 4 {
			if rows[i].Levels>>level&1 != 0 {
				levels = append(levels, fmt.Sprintf("EL%d", level))
			}
		}
		return If(len(levels) > 0, Text(strings.Join(levels, " ")))
	}}
	if slices.ContainsFunc(rows, func(r exceptions.Row) bool { return r.Levels != 0 }) {
		c.Title = "TO"
	}
	return c
}

// ExceptionsChange is which exceptions got slower, and which faster, than in the baseline in dir.
func ExceptionsChange(c *exceptions.Change, top int, dir string) Value {
	s := &Section{Noun: "exception", Rows: len(c.Rows), Top: top}
	s.Columns = append(exceptionNames(s.Rows, func(i int) *exceptions.Row { return c.Rows[i].Row }),
		durationChange("ENTRIES", func(i int) *durations.Change { return &c.Rows[i].Change })...)
	return Object(Fact{"directory", Text(dir)}, Fact{"new", Int(c.New)}, Fact{"lost", Int(c.Lost)}, Fact{"rows", Rows(s)})
}

// exceptionNames are the columns of what an exception is; on screens with its core, if there are
// several.
func exceptionNames(rows int, row func(int) *exceptions.Row) []Column {
	several := slices.ContainsFunc(numbers(rows), func(i int) bool { return row(i).Core != row(0).Core })
	return []Column{
		{Title: "EXCEPTION", Weight: Name, At: func(i int) Value {
			if several {
				return Text(row(i).Core + ": " + row(i).String())
			}
			return Text(row(i).String())
		}},
		{Key: "core", At: func(i int) Value { return Text(row(i).Core) }},
		{Key: "type", At: func(i int) Value { return If(row(i).Type.OK, Text(row(i).Type.V.String())) }},
		{Key: "number", At: func(i int) Value { return If(row(i).Number.OK, Int(int64(row(i).Number.V))) }},
	}
}

// numbers are those below n.
func numbers(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// PointOf is what `report last --before` takes for a place, which is a call, or an exception.
func PointOf(kind string, p *read.Place) string {
	if p.Row.OK {
		return fmt.Sprintf("%s=%d", kind, p.Row.V)
	}
	return fmt.Sprintf("seq=%d", p.Seq)
}

// durationColumns are the columns of how long something took, a call or an exception, as kind says. Where nothing ended
// nothing is known.
func durationColumns(kind string, row func(int) *durations.Summary) []Column {
	known := func(v func(*durations.Summary) Value) func(int) Value {
		return func(i int) Value { return If(row(i).Ended > 0, v(row(i))) }
	}
	rare := func(v func(*durations.Summary) Value) func(int) Value {
		return func(i int) Value { return IfAny(row(i).Ended > 0, v(row(i))) }
	}
	return []Column{
		{Key: "ended", At: func(i int) Value { return Int(row(i).Ended) }},
		{"unit", "UNIT", Words, Main, 4, known(func(d *durations.Summary) Value { return Text(d.Unit.String()) })},
		{
			"median", "MEDIAN", Count, Main, 1,
			known(func(d *durations.Summary) Value { return Int(d.Median).aboutIf(d.About) }),
		},
		{
			"p99", "P99", Count, Number, 2,
			known(func(d *durations.Summary) Value {
				return If(d.Ended >= durations.LeastOfRank, Int(d.P99).aboutIf(d.P99About))
			}),
		},
		{Key: "shortest", At: known(func(d *durations.Summary) Value { return Int(d.Shortest) })},
		{"longest", "LONGEST", Count, Number, 3, known(func(d *durations.Summary) Value { return Int(d.Longest) })},
		{Key: "sum", At: known(func(d *durations.Summary) Value { return Int(d.Sum) })},
		{
			Title: "WORST AT", Weight: Number, Place: 5,
			At: known(func(d *durations.Summary) Value { return Text(PointOf(kind, &d.Worst)) }),
		},
		{Key: "worst", At: known(func(*durations.Summary) Value { return Object() })},
		{Key: "worst.directory", At: known(func(d *durations.Summary) Value { return Text(d.Worst.Dir) })},
		{Key: "worst.source", At: known(func(d *durations.Summary) Value { return Text(schema.SourceText(d.Worst.Source)) })},
		{Key: "worst.seq", At: known(func(d *durations.Summary) Value { return Int(d.Worst.Seq) })},
		{Key: "worst." + kind, At: known(func(d *durations.Summary) Value { return Nullable(d.Worst.Row) })},
		{
			Key: "five_longest", Unit: Chart,
			At: rare(func(d *durations.Summary) Value { return rankedList(kind, d.Ranked) }),
		},
		{
			Key: "each", Unit: Chart,
			At: rare(func(d *durations.Summary) Value { return IfAny(len(d.Each) > 0, JSONOf(d.Each)) }),
		},
		{Key: "histogram", Unit: Chart, At: rare(func(d *durations.Summary) Value {
			if d.Histogram == nil {
				return Absent
			}
			return JSONOf(histogram(*d.Histogram))
		})},
	}
}

// rankedList is a list of what took longest, of calls or exceptions, as kind says.
func rankedList(kind string, r durations.Ranking) Value {
	return each(len(r),
		Column{Key: "took", At: func(i int) Value { return Int(r[i].Took) }},
		Column{Key: "directory", At: func(i int) Value { return Text(r[i].At.Dir) }},
		Column{Key: "source", At: func(i int) Value { return Text(schema.SourceText(r[i].At.Source)) }},
		Column{Key: "seq", At: func(i int) Value { return Int(r[i].At.Seq) }},
		Column{Key: kind, At: func(i int) Value { return Nullable(r[i].At.Row) }})
}

type histogram struct {
	Log    bool      `json:"logarithmic"`
	Edges  []float64 `json:"edges"`
	Counts []int64   `json:"counts"`
}

func placeOf(p *read.Place) Value {
	return Object(Fact{"directory", Text(p.Dir)}, Fact{"source", Text(schema.SourceText(p.Source))},
		Fact{"seq", Int(p.Seq)})
}

// durationChange are the columns of how long something took, before and now.
func durationChange(counted string, row func(int) *durations.Change) []Column {
	was := func(of func(*durations.Figures) int64) func(int) Value {
		return func(i int) Value { return Was(of(&row(i).Was), of(&row(i).Now)) }
	}
	columns := []Column{
		{Key: "unit", Title: "UNIT", Weight: Main, Place: 3, At: func(i int) Value { return Text(row(i).Unit.String()) }},
		{"slower_by", "SLOWER BY", Signed, Main, 0, func(i int) Value { return Float(row(i).Slower) }},
		{
			Title: "MEDIAN", Unit: FromTo, Weight: Main, Place: 1,
			At: func(i int) Value {
				c := row(i)
				return Was(c.Was.Median, c.Now.Median).aboutIf(c.Was.About || c.Now.About)
			},
		},
		{Title: "P99", Unit: FromTo, Weight: Number, Place: 2, At: func(i int) Value {
			c := row(i)
			return If(min(c.Now.Ended, c.Was.Ended) >= durations.LeastOfRank,
				Was(c.Was.P99, c.Now.P99).aboutIf(c.Was.P99About || c.Now.P99About))
		}},
		{
			Title: counted, Unit: FromTo, Weight: Number, Place: 4,
			At: was(func(f *durations.Figures) int64 { return f.Ended }),
		},
		{
			Title: "LONGEST", Unit: FromTo, Weight: Number, Place: 5,
			At: was(func(f *durations.Figures) int64 { return f.Longest }),
		},
	}
	columns = append(columns, sideFigures("now", func(i int) *durations.Figures { return &row(i).Now })...)
	return append(columns, sideFigures("before", func(i int) *durations.Figures { return &row(i).Was })...)
}

// sideFigures are the columns of what took how long now, or before.
func sideFigures(side string, of func(int) *durations.Figures) []Column {
	return []Column{
		{Key: side + ".ended", At: func(i int) Value { return Int(of(i).Ended) }},
		{Key: side + ".median", At: func(i int) Value { return Int(of(i).Median) }},
		{Key: side + ".p99", At: func(i int) Value { return If(of(i).Ended >= durations.LeastOfRank, Int(of(i).P99)) }},
		{Key: side + ".longest", At: func(i int) Value { return Int(of(i).Longest) }},
		{Key: side + ".sum", At: func(i int) Value { return Int(of(i).Sum) }},
		{Key: side + ".worst", At: func(i int) Value { return placeOf(&of(i).Worst) }},
	}
}
