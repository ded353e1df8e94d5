package table

import (
	"slices"
	"sort"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/tracelake/tracelake/pipeline/report/answer"
)

// The widths between which columns shrink.
const (
	barWidth, leastBar = 20, 12
	nameWidth          = 32 // a name shrinks to this before bars do,
	shortName          = 20 // to this before bars and columns go that are not spare,
	leastName          = 8  // and to this at last
	leastReason        = 24 // a reason shrinks to this before names do so
)

// A layout is which columns are shown, and how wide.
type layout struct {
	shown  []int
	widths []int // of all columns
}

// Omitted is what had no room.
type Omitted struct {
	Columns []string // the titles
	Bars    bool
	Width   int // at which all columns are shown
}

// before writes the gap before a column, if need be.
func (l *layout) before(b *strings.Builder, column int) {
	if column != l.shown[0] {
		b.WriteString(strings.Repeat(" ", gap))
	}
}

// layout fits the table in a width; 0 is any. First long names shrink, then bars; then
// what is spare goes, then bars, then other columns, the last one first.
func (t *Table) layout(cells [][]string, width int) *layout {
	natural := t.natural(cells)
	l := &layout{widths: slices.Clone(natural)}
	for c := range t.Columns {
		l.shown = append(l.shown, c)
	}
	if width == 0 {
		return l
	}
	// wide shrinks names, then bars, then names further, and reports whether that is not enough.
	wide := func(name int) bool {
		copy(l.widths, natural)
		return l.shrink(t, width, shrinks, nameWidth) && l.shrink(t, width, isBar, leastBar) &&
			l.shrink(t, width, shrinks, name)
	}
	for wide(nameWidth) && l.omit(t, isSpare) {
	}
	for wide(shortName) && l.omit(t, isBar) {
	}
	for wide(shortName) && l.omit(t, isOptional) {
	}
	if wide(shortName) && l.shrink(t, width, isReason, leastReason) {
		l.shrink(t, width, shrinks, leastName)
		l.shrink(t, width, isReason, leastName)
	}
	return l
}

// omitted is what is not shown.
func (t *Table) omitted(l *layout) (o Omitted) {
	for c, column := range t.Columns {
		switch {
		case slices.Contains(l.shown, c):
		case isBar(column.Weight):
			o.Bars = true
		case column.Title != "":
			o.Columns = append(o.Columns, column.Title)
		}
	}
	return o
}

// widthOf is the least width, over one that is too little, at which all columns are shown.
func (t *Table) widthOf(cells [][]string, width int) int {
	over := t.layout(cells, 0).total() - width
	return width + sort.Search(max(over, 0), func(more int) bool {
		return len(t.omitted(t.layout(cells, width+more)).Columns) == 0
	})
}

// natural returns the widths that columns need.
func (t *Table) natural(cells [][]string) []int {
	widths := make([]int, len(t.Columns))
	for c, column := range t.Columns {
		if isBar(column.Weight) {
			widths[c] = barWidth
			continue
		}
		widths[c] = uniseg.StringWidth(column.Title)
		for _, row := range cells {
			if row == nil {
				continue
			}
			widths[c] = max(widths[c], uniseg.StringWidth(row[c]))
		}
	}
	return widths
}

func (l *layout) total() int {
	total := gap * (len(l.shown) - 1)
	for _, c := range l.shown {
		total += l.widths[c]
	}
	return total
}

// shrink makes columns of a kind narrower, down to least, until the table fits in a
// width. It reports whether the table is still too wide.
func (l *layout) shrink(t *Table, width int, of func(answer.Weight) bool, least int) bool {
	over := l.total() - width
	for _, c := range l.shown {
		if of(t.Columns[c].Weight) {
			n := max(0, min(over, l.widths[c]-least))
			l.widths[c] -= n
			over -= n
		}
	}
	return over > 0
}

// omit leaves out the last column of a kind. It reports whether there was one.
func (l *layout) omit(t *Table, of func(answer.Weight) bool) bool {
	for i, c := range slices.Backward(l.shown) {
		if !of(t.Columns[c].Weight) {
			continue
		}
		l.shown = slices.Delete(l.shown, i, i+1)
		return true
	}
	return false
}

// shorten makes text fit in a width. Of a path the end is what matters, of other
// names start and end, of a reason the start.
func shorten(text string, width int, k answer.Weight, s Style) string {
	if uniseg.StringWidth(text) <= width {
		return text
	}
	mark := s.choose("…", "...")
	room := width - uniseg.StringWidth(mark)
	if room <= 0 || !shrinks(k) && !isReason(k) {
		return first(text, width)
	}
	head := 0
	switch k {
	case answer.Name:
		head = (room + 1) / 2
	case answer.Reason:
		head = room
	}
	return first(text, head) + mark + last(text, room-head)
}

// first returns the characters of text that fit in a width.
func first(text string, width int) string {
	end := 0
	g := uniseg.NewGraphemes(text)
	for g.Next() {
		if width -= g.Width(); width < 0 {
			break
		}
		_, end = g.Positions()
	}
	return text[:end]
}

// last returns the last characters of text, as many as fit in a width.
func last(text string, width int) string {
	over := uniseg.StringWidth(text) - width
	start := 0
	g := uniseg.NewGraphemes(text)
	for over > 0 && g.Next() {
		over -= g.Width()
		_, start = g.Positions()
	}
	return text[start:]
}

// Wrap breaks text into lines of at most width columns: between words, and in a word
// that is longer than a line. A % stays beside its number.
func Wrap(text string, width int) []string {
	var lines []string
	line, room := "", width
	words := strings.Fields(text)
	for i, word := range words {
		if i > 0 && strings.HasPrefix(word, "%") {
			continue
		}
		if i+1 < len(words) && strings.HasPrefix(words[i+1], "%") {
			word += " " + words[i+1]
		}
		n := uniseg.StringWidth(word)
		if line != "" && n+1 > room {
			lines, line, room = append(lines, line), "", width
		}
		for ; n > width; n = uniseg.StringWidth(word) {
			part := first(word, width)
			if part == "" { // not even one character
				break
			}
			lines, word = append(lines, part), word[len(part):]
		}
		if line != "" {
			line, room = line+" ", room-1
		}
		line, room = line+word, room-n
	}
	return append(lines, line)
}
