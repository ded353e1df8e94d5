package table

import (
	"strings"

	"github.com/rivo/uniseg"

	"github.com/tracelake/tracelake/pipeline/report/answer"
)

// A Bar is parts of a whole: Full of it, and Part after that. A bar without a whole is
// empty.
type Bar struct{ Full, Part, Whole float64 }

// text draws the bar in that many characters.
func (b Bar) text(s Style, width int, k answer.Weight) string {
	b.Full = min(max(b.Full, 0), b.Whole)
	b.Part = min(max(b.Part, 0), b.Whole-b.Full)
	switch {
	case b.Whole <= 0:
		return strings.Repeat(" ", width)
	case k == answer.Share:
		return b.share(s, width)
	}
	return b.extent(s, width)
}

// share draws what is full, to an eighth of a character. It draws something of what
// there is, and looks full only if it is.
func (b Bar) share(s Style, width int) string {
	steps := 1
	if s.UTF8 {
		steps = 8
	}
	most := width * steps
	n := int(b.Full/b.Whole*float64(most) + 0.5)
	if b.Full > 0 {
		n = max(n, 1)
	}
	if b.Full < b.Whole {
		n = min(n, most-1)
	}
	text, cells := strings.Repeat(s.choose("█", "#"), n/steps), n/steps
	if rest := n % steps; rest > 0 {
		text += string([]rune(" ▏▎▍▌▋▊▉")[rest])
		cells++
	}
	return s.paint(green, text) + strings.Repeat(" ", width-cells)
}

// extent draws all of the whole. What there is of it has a character at least: a bar
// looks full only if it is.
func (b Bar) extent(s Style, width int) string {
	cells := func(x float64) int {
		if x <= 0 {
			return 0
		}
		return max(1, int(x/b.Whole*float64(width)+0.5))
	}
	part, rest := cells(b.Part), cells(b.Whole-b.Full-b.Part)
	full := cells(b.Full)
	for full+part+rest > width { // rounded up: take it from the longest
		*longest(&full, &part, &rest)--
	}
	for full+part+rest < width {
		*longest(&full, &part, &rest)++
	}
	return s.paint(green, strings.Repeat(s.choose("█", "#"), full)) +
		s.paint(yellow, strings.Repeat(s.choose("▒", "+"), part)) +
		s.paint(dim, strings.Repeat(s.choose("░", "."), rest))
}

// longest returns the greatest of three numbers, of equal ones the first.
func longest(a, b, c *int) *int {
	for _, x := range []*int{b, c} {
		if *x > *a {
			a = x
		}
	}
	return a
}

// Legend says what the characters of [Extent] bars mean, in a line or, on a narrow
// terminal, in three.
func Legend(s Style, full, part, rest string) string {
	parts := []string{s.choose("█", "#") + " " + full, s.choose("▒", "+") + " " + part, s.choose("░", ".") + " " + rest}
	line := strings.Join(parts, "  ")
	if s.Width > 0 && uniseg.StringWidth(line) > s.Width {
		line = strings.Join(parts, "\n")
	}
	return line + "\n"
}
