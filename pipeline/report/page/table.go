package page

import (
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/pipeline/report/page/content"
	"github.com/tracelake/tracelake/pipeline/report/visible"
)

// A table is rows of cells under a heading.
type table struct {
	Caption string
	Head    []cell
	Rows    [][]cell
}

// A cell is a figure or a name, or a bar.
type cell struct {
	Text  string
	Title string // the whole of what Text is cut from
	Class string
	Bar   *bar
}

// plain is a cell of words, which may be other people's.
func plain(text string) cell { return cell{Text: content.Name(text)} }

// hashed is the cell of a hash.
func hashed(text string) cell { return cell{Text: content.Name(text), Class: "hash"} }

// number is a cell that stands right.
func number(text string) cell { return cell{Text: text, Class: "number"} }

// A bar is parts of 1,000 units.
type bar struct{ Parts []part }

// A part of a bar.
type part struct {
	Class    string
	X, Width int64
}

const (
	barWidth = 1000
	leastBar = 5 // what can be seen
)

// newBar returns a bar of covered and reached parts of a whole. A part that is there can be seen,
// and what is not whole does not look so.
func newBar(whole, covered, reached int64) *bar {
	b := &bar{}
	left := int64(barWidth)
	if covered+reached < whole {
		left -= leastBar
	}
	for _, p := range []struct {
		class string
		n     int64
	}{{"covered", covered}, {"reached", reached}} {
		if p.n <= 0 || whole <= 0 {
			continue
		}
		width := min(left, max(leastBar, int64(float64(p.n)/float64(whole)*barWidth+0.5)))
		x := int64(0)
		if len(b.Parts) > 0 {
			x = b.Parts[0].Width
		}
		b.Parts = append(b.Parts, part{p.class, x, width})
		left -= width
	}
	return b
}

// tableOf lays out the columns of a section that have a title.
func tableOf(s *answer.Section) *table {
	t := &table{}
	for k := range s.Columns {
		if c := &s.Columns[k]; c.Title != "" {
			t.Head = append(t.Head, cell{Text: c.Title, Class: classOf(c)})
		}
	}
	for i := range s.Rows {
		row := make([]cell, 0, len(t.Head))
		for k := range s.Columns {
			if c := &s.Columns[k]; c.Title != "" {
				row = append(row, cellOf(s, c, i))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// classOf is the class of the cells of a column: figures stand right.
func classOf(c *answer.Column) string {
	if c.Unit == answer.Words || c.Weight == answer.Share || c.Weight == answer.Extent {
		return ""
	}
	return "number"
}

func cellOf(s *answer.Section, c *answer.Column, row int) cell {
	switch c.Weight {
	case answer.Name:
		return named(c.At(row).Words())
	case answer.Path:
		return shortened(c.At(row).Words())
	case answer.Share, answer.Extent:
		full, part, whole := s.Bar(row)
		return cell{Bar: newBar(int64(whole), int64(full), int64(part))}
	default:
		return cell{Text: textOf(c.Unit, c.At(row), s.Whole), Class: classOf(c)}
	}
}

// textOf writes a value. whole is what shares are of.
func textOf(unit answer.Unit, v answer.Value, whole int64) string {
	if v.IsNone() {
		return unknown
	}
	switch unit {
	case answer.Words:
		return v.Words()
	case answer.Ratio:
		return strconv.FormatFloat(v.Float(), 'f', 2, 64)
	case answer.OfWhole:
		return percentCell(v.Int(), whole)
	case answer.Percent:
		return percentCell(v.Int(), v.Of())
	case answer.Figure:
		return of(v.Int(), v.Of())
	default:
		return figures.Thousands(v.Int())
	}
}

func nameColumn(title string, names []string) answer.Column {
	return answer.Column{Title: title, Weight: answer.Name, At: words(names)}
}

// figureColumn is a column of so many of so many.
func figureColumn(title string, n, of []int64) answer.Column {
	return answer.Column{Title: title, Unit: answer.Figure, Weight: answer.Number, At: func(i int) answer.Value {
		return answer.Of(n[i], of[i])
	}}
}

func words(list []string) func(int) answer.Value {
	return func(i int) answer.Value { return answer.Text(list[i]) }
}

func ints(list []int64) func(int) answer.Value {
	return func(i int) answer.Value { return answer.Int(list[i]) }
}

// byKey returns columns of a section that screens have, by their keys or titles. These are those of screens, in lower case.
func byKey(s *answer.Section, keys ...string) []answer.Column {
	var columns []answer.Column
	for _, key := range keys {
		for _, c := range s.Columns {
			if c.Title = strings.ToLower(c.Title); c.Title != "" && (c.Key == key || c.Title == key) {
				columns = append(columns, c)
			}
		}
	}
	return columns
}

// shortened is the cell of a path: its last two parts.
func shortened(path string) cell {
	parts := strings.Split(path, "/")
	c := named(strings.Join(parts[max(0, len(parts)-2):], "/"))
	if c.Text != path {
		c.Title = path
	}
	return c
}

// named is the cell of a name, which is cut in the middle if it is long.
func named(name string) cell {
	c := cell{Text: visible.Cut(name, longestShown)}
	if c.Text != name {
		c.Title = name
	}
	return c
}
