// Package table writes tables for people: names first, numbers to the right, bars,
// and no borders. On a narrow terminal it shortens names and leaves out columns, and
// says which.
package table

import (
	"slices"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/tracelake/tracelake/pipeline/report/answer"
)

// A Table is rows of text under a header. There is at most one column of bars.
type Table struct {
	Columns []answer.Column // of which it takes title and weight
	rows    [][]string      // of a line across the table: nil
	bars    []Bar           // of rows
	lines   map[int]string  // across the table, by row
}

func isBar(k answer.Weight) bool { return k == answer.Share || k == answer.Extent }
func isRight(k answer.Weight) bool {
	return k == answer.Main || k == answer.Number || k == answer.Spare
}
func isSpare(k answer.Weight) bool    { return k == answer.Spare }
func isOptional(k answer.Weight) bool { return k == answer.Number || k == answer.Remark }
func shrinks(k answer.Weight) bool    { return k == answer.Name || k == answer.Path }
func isReason(k answer.Weight) bool   { return k == answer.Reason }

// Add adds a row: the cells of all columns but the bars, and its bar.
func (t *Table) Add(bar Bar, cells ...string) {
	if i := slices.IndexFunc(t.Columns, func(c answer.Column) bool { return isBar(c.Weight) }); i >= 0 {
		cells = slices.Insert(cells, i, "")
	}
	if len(cells) != len(t.Columns) {
		panic("table: a row of another length")
	}
	t.rows = append(t.rows, cells)
	t.bars = append(t.bars, bar)
}

// Line adds a line of text across the table, which makes no column wider.
func (t *Table) Line(text string) {
	if t.lines == nil {
		t.lines = map[int]string{}
	}
	t.lines[len(t.rows)] = text
	t.rows, t.bars = append(t.rows, nil), append(t.bars, Bar{})
}

// Rows is the number of rows so far.
func (t *Table) Rows() int { return len(t.rows) }

// gap is the room between columns.
const gap = 2

// Text returns the table, a line for each row, and what had no room.
func (t *Table) Text(s Style) (text string, omitted Omitted) {
	cells := make([][]string, len(t.rows))
	for r, row := range t.rows {
		if row == nil {
			continue
		}
		cells[r] = make([]string, len(row))
		for c, cell := range row {
			cells[r][c] = s.Text(cell)
		}
	}
	l := t.layout(cells, s.Width)
	b := &strings.Builder{}
	t.writeHeader(b, s, l)
	for r, row := range cells {
		if row == nil {
			b.WriteString(strings.TrimRight(cut(s.Text(t.lines[r]), s), " ") + "\n")
			continue
		}
		line := &strings.Builder{}
		for _, c := range l.shown {
			l.before(line, c)
			if isBar(t.Columns[c].Weight) {
				line.WriteString(t.bars[r].text(s, l.widths[c], t.Columns[c].Weight))
				continue
			}
			writeCell(line, shorten(row[c], l.widths[c], t.Columns[c].Weight, s), l.widths[c], t.Columns[c].Weight)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	if omitted = t.omitted(l); len(omitted.Columns) > 0 {
		omitted.Width = t.widthOf(cells, s.Width)
	}
	return b.String(), omitted
}

// cut makes text fit in a line.
func cut(text string, s Style) string {
	if s.Width == 0 || uniseg.StringWidth(text) <= s.Width {
		return text
	}
	mark := s.choose("…", "...")
	return first(text, s.Width-uniseg.StringWidth(mark)) + mark
}

func (t *Table) writeHeader(b *strings.Builder, s Style, l *layout) {
	line := &strings.Builder{}
	for _, c := range l.shown {
		l.before(line, c)
		writeCell(line, shorten(t.Columns[c].Title, l.widths[c], answer.Name, s), l.widths[c], t.Columns[c].Weight)
	}
	if text := strings.TrimRight(line.String(), " "); text != "" {
		b.WriteString(s.paint(bold, text) + "\n")
	}
}

// writeCell writes text in a column of that width.
func writeCell(b *strings.Builder, text string, width int, k answer.Weight) {
	pad := strings.Repeat(" ", max(0, width-uniseg.StringWidth(text)))
	if isRight(k) {
		b.WriteString(pad + text)
		return
	}
	b.WriteString(text + pad)
}
