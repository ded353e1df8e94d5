package page

import (
	"html/template"
)

// A text is what can be read on a page without JavaScript.
type text struct {
	Title      string
	Sub        string
	Doubtful   bool // another program ran
	Sections   []link
	Trust      *trustText
	Coverage   *coverageText
	Hot        *hotText
	Source     *sourceText
	Time       *timeText
	Exceptions *exceptionsText
	Dropped    []string // what was left out for the size of the page
}

// A link leads to a section.
type link struct{ ID, Name string }

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

// head returns the cells of a heading: a name, then figures.
func head(name string, figures ...string) []cell {
	cells := []cell{{Text: name}}
	for _, f := range figures {
		cells = append(cells, number(f))
	}
	return cells
}

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

// shown is how many rows tables have without JavaScript.
const shown = 10

// text returns what can be read without JavaScript.
func (p *Page) text() *text {
	t := &text{
		Title: p.Title, Sub: p.subtitle(), Doubtful: p.wrongImage(), Trust: p.trustText(), Exceptions: p.exceptionsText(), Dropped: p.dropped,
	}
	if p.coverage != nil {
		t.Coverage, t.Hot, t.Source, t.Time = p.coverageText(), p.hotText(), p.sourceText(), p.timeText()
	}
	for _, s := range []struct {
		is bool
		link
	}{
		{true, link{"trust", "Trust"}},
		{t.Coverage != nil, link{"coverage", "Coverage"}},
		{t.Hot != nil, link{"hot", "Hot"}},
		{t.Source != nil, link{"source", "Source"}},
		{t.Time != nil, link{"time", "Time"}},
		{t.Exceptions != nil, link{"exceptions", "Exceptions"}},
	} {
		if s.is {
			t.Sections = append(t.Sections, s.link)
		}
	}
	return t
}

// A document is what the template fills in.
type document struct {
	Policy template.HTMLAttr
	Styles template.CSS
	Module template.JS
	Data   template.HTML
	*text
}
