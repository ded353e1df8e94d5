package table

import (
	"slices"
	"strings"

	"github.com/rivo/uniseg"
)

// The widths between which columns shrink.
const (
	barWidth, leastBar = 20, 10
	nameWidth          = 32 // a name shrinks to this before columns are left out
	leastName          = 8  // and to this before bars are
)

// A layout is which columns are shown, and how wide.
type layout struct {
	shown   []int
	widths  []int // of all columns
	omitted []string
}

// before writes the gap before a column, if need be.
func (l *layout) before(b *strings.Builder, column int) {
	if column != l.shown[0] {
		b.WriteString(strings.Repeat(" ", gap))
	}
}

// layout fits the table in a width; 0 is any.
func (t *Table) layout(cells [][]string, width int) *layout {
	l := &layout{widths: t.natural(cells)}
	for c := range t.Columns {
		l.shown = append(l.shown, c)
	}
	if width == 0 {
		return l
	}
	for {
		over := l.total() - width
		over -= t.shrink(l, over, nameWidth, leastBar)
		if over <= 0 {
			return l
		}
		if !t.omit(l, Kind.optional) {
			break
		}
		l.widths = t.natural(cells)
	}
	over := l.total() - width
	if over -= t.shrink(l, over, leastName, leastBar); over > 0 && t.omit(l, Kind.bar) {
		l.widths = t.natural(cells)
		t.shrink(l, l.total()-width, leastName, leastBar)
	}
	return l
}

// natural returns the widths that columns need.
func (t *Table) natural(cells [][]string) []int {
	widths := make([]int, len(t.Columns))
	for c, column := range t.Columns {
		if column.Kind.bar() {
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

// shrink takes away up to so many characters, from the names down to leastName, then
// from the bars. It returns how many.
func (t *Table) shrink(l *layout, over, leastName, leastBar int) (gained int) {
	for _, names := range []bool{true, false} {
		for _, c := range l.shown {
			least := leastName
			switch k := t.Columns[c].Kind; {
			case names && !k.shrinks(), !names && !k.bar():
				continue
			case !names:
				least = leastBar
			}
			n := max(0, min(over-gained, l.widths[c]-least))
			l.widths[c] -= n
			gained += n
		}
	}
	return gained
}

// omit leaves out the last column of a kind.
func (t *Table) omit(l *layout, of func(Kind) bool) bool {
	for i, c := range slices.Backward(l.shown) {
		if of(t.Columns[c].Kind) {
			l.shown = slices.Delete(l.shown, i, i+1)
			if title := t.Columns[c].Title; title != "" {
				l.omitted = append([]string{title}, l.omitted...)
			}
			return true
		}
	}
	return false
}

// shorten makes text fit in a width. Of a path the end is what matters, of other
// names start and end.
func shorten(text string, width int, k Kind, s Style) string {
	if uniseg.StringWidth(text) <= width {
		return text
	}
	mark := s.choose("…", "...")
	room := width - uniseg.StringWidth(mark)
	if room <= 0 || !k.shrinks() {
		return first(text, width)
	}
	head := 0
	if k == Name {
		head = (room + 1) / 2
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
