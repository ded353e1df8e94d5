package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/cmd/tracelake/internal/table"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
)

// head is what every answer begins with.
func (q *question) head(name string) []answer.Fact {
	t := q.m.Trust()
	return answer.Head(name, q.force && t.Word.Refused(), t, q.m.Excluded())
}

// write writes an answer: for programs, or as a screen that fill fills.
func (q *question) write(ctx *cli.Context, a *answer.Answer, fill func(*screen)) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case q.json:
		return answer.JSON(ctx.App.Writer, a)
	case q.csv:
		return answer.CSV(ctx.App.Writer, a)
	}
	return q.show(ctx, fill)
}

// section writes a table of the columns that screens have, in their order.
func (s *screen) section(x *answer.Section, legend ...string) {
	var columns []answer.Column
	for _, c := range x.Columns {
		if c.OnScreen() {
			columns = append(columns, c)
		}
	}
	slices.SortStableFunc(columns, func(a, b answer.Column) int { return a.Place - b.Place })
	t := &table.Table{}
	for _, c := range columns {
		t.Columns = append(t.Columns, table.Column{Title: c.Title, Kind: tableKinds[c.Weight]})
	}
	for i := range x.Shown() {
		var cells []string
		var bar table.Bar
		for k := range columns {
			if c := &columns[k]; c.Title != "" {
				cells = append(cells, s.cell(c.Unit, c.At(i), x.Whole))
			} else {
				bar.Full, bar.Part, bar.Whole = x.Bar(i)
			}
		}
		t.Add(bar, cells...)
	}
	s.table(t, legend...)
}

// tableKinds are the kinds of columns by their weight.
var tableKinds = [...]table.Kind{
	answer.Name: table.Name, answer.Path: table.Path, answer.Main: table.Main, answer.Number: table.Number,
	answer.Spare: table.Spare, answer.Remark: table.Remark, answer.Reason: table.Reason,
	answer.Share: table.Share, answer.Extent: table.Extent,
}

// cell writes a value for people. whole is what shares are of.
func (s *screen) cell(unit answer.Unit, v answer.Value, whole int64) string {
	switch {
	case unit == answer.Words && !v.IsNone(), unit == answer.Figure && v.Words() != "":
		return v.Words()
	case v.IsAbsent():
		return ""
	case v.IsNone():
		return s.None()
	}
	switch unit {
	case answer.OfWhole:
		return cellPercent(v.Int(), whole)
	case answer.Percent:
		return s.share(report.Figure{Covered: v.Int(), Of: v.Of()})
	case answer.Exact:
		return s.exact(v.Int(), v.Of())
	case answer.Hash:
		return fmt.Sprintf("%.16s", v.Words())
	case answer.Figure:
		return figure(report.Figure{Covered: v.Int(), Of: v.Of()})
	case answer.Seconds:
		return s.duration(v.Float())
	case answer.Ratio:
		return fmt.Sprintf("%.2f", v.Float())
	case answer.Points:
		return points(v.Float())
	case answer.Signed:
		return signed(v.Int())
	case answer.FromTo:
		if v.IsAbout() && v.Of() != v.Int() {
			return "~" + s.fromTo(v.Of(), v.Int())
		}
		return s.fromTo(v.Of(), v.Int())
	default:
		if v.IsAbout() {
			return "~" + thousands(v.Int())
		}
		return thousands(v.Int())
	}
}

// points is a difference of shares, in percentage points.
func points(change float64) string {
	tenths := math.Round(change * 1000)
	if tenths == 0 {
		return "0.0"
	}
	return fmt.Sprintf("%+.1f", tenths/10)
}

// signed is a number with its sign.
func signed(n int64) string {
	if n <= 0 {
		return thousands(n)
	}
	return "+" + thousands(n)
}

// fromTo is a figure before and now.
func (s *screen) fromTo(before, now int64) string {
	if before == now {
		return thousands(now)
	}
	return thousands(before) + s.Arrow() + thousands(now)
}

// leftOut says how many rows a section leaves out: see [screen.left].
func (s *screen) leftOut(x *answer.Section, part, whole int64, unit string) {
	s.left(x.Rows-x.Shown(), x.Noun, part, whole, unit)
}
