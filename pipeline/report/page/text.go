package page

import (
	"fmt"
	"strings"

	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/schema"
)

// A text is what can be read on a page without JavaScript.
type text struct {
	Title    string
	Sub      string
	Sections []link
	Trust    *trustText
	Coverage *coverageText
	Hot      *hotText
}

// A link leads to a section.
type link struct{ ID, Name string }

// A table is rows of cells under a heading.
type table struct {
	Caption string
	Head    []cell
	Rows    [][]cell
}

// A cell is a figure or a name, or both a bar and nothing.
type cell struct {
	Text  string
	Title string // the whole of what Text is cut from
	Class string
	Bar   *bar
}

// A bar is parts of 1,000 units, one after another.
type bar struct{ Parts []part }

// A part of a bar.
type part struct {
	Class    string
	X, Width int64
}

const barWidth = 1000

// newBar returns a bar of parts of a whole. A part that is there can be seen, and what is not
// whole does not look so.
func newBar(whole int64, classes []string, parts ...int64) *bar {
	b := &bar{}
	x := int64(0)
	for i, n := range parts {
		if n <= 0 || whole <= 0 {
			continue
		}
		width := max(5, int64(float64(n)/float64(whole)*barWidth))
		if n < whole {
			width = min(width, barWidth-5)
		}
		width = min(width, barWidth-x)
		b.Parts = append(b.Parts, part{classes[i], x, width})
		x += width
	}
	return b
}

// text returns what can be read without JavaScript.
func (p *Page) text() *text {
	t := &text{Title: p.Title, Sub: p.sub(), Trust: p.trustText(), Coverage: p.coverageText(), Hot: p.hotText()}
	t.Sections = []link{{"trust", "Trust"}, {"coverage", "Coverage"}, {"hot", "Hot"}}
	return t
}

// sub says what the page is of.
func (p *Page) sub() string {
	var parts []string
	seen := map[string]bool{}
	for i := range p.trust.Datasets {
		for j := range p.trust.Datasets[i].Sources {
			s := &p.trust.Datasets[i].Sources[j]
			if s.Status != schema.SourceStatusNames[schema.StatusDecoded] {
				continue
			}
			words := strings.TrimSpace(s.Protocol + " " + s.Version)
			if s.Core != "" {
				words = strings.TrimPrefix(words+", core "+s.Core, ", ")
			}
			if words != "" && !seen[words] {
				seen[words] = true
				parts = append(parts, name(words))
			}
		}
	}
	if n := len(p.trust.Datasets); n > 1 {
		parts = append(parts, count(int64(n), "dataset")+" added up")
	}
	parts = append(parts, count(p.trust.Instructions, "instruction"))
	if p.Data.Cycles && p.Data.Unit == "cycles" {
		parts = append(parts, count(p.Data.Spent, "cycle"))
	} else if !p.Data.Cycles {
		parts = append(parts, "no cycle counts were traced")
	}
	return strings.Join(parts, " · ")
}

// count puts a number before its noun.
func count(n int64, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "ch"):
		noun += "es"
	default:
		noun += "s"
	}
	return figures.Thousands(n) + " " + noun
}

// exact is n of of as the first line of reports has it.
func exact(n, of int64) string {
	if of == 0 {
		return "–"
	}
	return figures.Percent(n, of)
}

// A trustText says how far the figures can be trusted.
type trustText struct {
	Class, Sign, Word, Why string
	Findings               []string
	Tiles                  []tile
}

// A tile is a figure with what it is and what it says.
type tile struct{ Label, Figure, Note string }

func (p *Page) trustText() *trustText {
	t := p.trust
	x := &trustText{}
	x.Tiles = []tile{{"bytes decoded", exact(t.Decoded, t.Bytes), fmt.Sprintf("%s of %s", figures.Thousands(t.Decoded), count(t.Bytes, t.Unit()))}}
	x.Class, x.Sign, x.Word = "sound", "✓", "Sound"
	if j, _ := t.Judge(); j != report.Good {
		x.Class, x.Sign, x.Word = "look", "!", "Look here first"
	}
	return x
}

// A coverageText says how much of the program ran.
type coverageText struct{ Totals, Files *table }

func (p *Page) coverageText() *coverageText {
	c := p.coverage
	totals := &table{}
	add := func(what string, f report.Figure, reached int64, remark string) {
		totals.Rows = append(totals.Rows, []cell{
			{Text: what},
			{Bar: newBar(f.Of, []string{"covered", "reached"}, f.Covered, reached)},
			{Text: percentCell(f.Covered, f.Of), Class: "number"},
			{Text: figures.Thousands(f.Covered) + " of " + figures.Thousands(f.Of), Class: "number"},
			{Text: remark},
		})
	}
	add("instructions", c.Instructions.Figure, c.Instructions.Reached, figures.Thousands(c.Instructions.Reached)+" reached, never passed")
	add("lines", c.Lines, 0, "")
	add("functions", c.Functions, 0, figures.Thousands(c.Full)+" in full")
	add("files", c.Files, 0, "")
	add("branch outcomes", c.Branches.Outcomes(), 0, figures.Thousands(c.Branches.Both)+" both ways")
	x := &coverageText{Totals: totals}
	if f := p.Data.Files; f != nil {
		x.Files = &table{Head: []cell{{Text: "file"}, {Text: "covered"}, {Text: "%", Class: "number"}, {Text: "instructions", Class: "number"}, {Text: "lines", Class: "number"}, {Text: "outcomes", Class: "number"}}}
		for i := range min(shown, len(f.Path)) {
			x.Files.Rows = append(x.Files.Rows, []cell{
				{Text: f.Path[i]},
				{Bar: newBar(f.Of[i], []string{"covered", "reached"}, f.Covered[i], f.Reached[i])},
				{Text: percentCell(f.Covered[i], f.Of[i]), Class: "number"},
				{Text: of(f.Covered[i], f.Of[i]), Class: "number"},
				{Text: of(f.LinesCovered[i], f.Lines[i]), Class: "number"},
				{Text: of(f.OutcomesSeen[i], f.Outcomes[i]), Class: "number"},
			})
		}
	}
	return x
}

// shown is how many rows tables have without JavaScript.
const shown = 10

// of is how many of how many.
func of(n, of int64) string { return figures.Thousands(n) + " of " + figures.Thousands(of) }

// percentCell is a percentage in a table.
func percentCell(n, of int64) string {
	if of == 0 {
		return "–"
	}
	return percent(n, of) + " %"
}

// A hotText says where the time went.
type hotText struct{ Functions *table }

func (p *Page) hotText() *hotText {
	f := &p.Data.Functions
	t := &table{Head: []cell{{Text: "function"}, {Text: "own " + p.Data.Unit, Class: "number"}, {Text: "share", Class: "number"}, {Text: "entries", Class: "number"}}}
	for i := range min(shown, len(f.Name)) {
		if f.Own[i] == 0 {
			break
		}
		t.Rows = append(t.Rows, []cell{
			{Text: f.Name[i]},
			{Text: figures.Thousands(f.Own[i]), Class: "number"},
			{Text: percentCell(f.Own[i], p.Data.Spent), Class: "number"},
			{Text: figures.Thousands(f.Entries[i]), Class: "number"},
		})
	}
	return &hotText{t}
}
