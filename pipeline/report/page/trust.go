package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/pipeline/report/lost"
	"github.com/tracelake/tracelake/pipeline/report/page/content"
	"github.com/tracelake/tracelake/pipeline/report/trust"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/verdict"
)

// A trustText says how far the figures can be trusted.
type trustText struct {
	verdictText
	Tiles   []tile
	Buffers []bufferText
	Inputs  []table
}

// A tile is a figure with what it is and what it says.
type tile struct{ Label, Figure, Note string }

// A bufferText is where bytes of a buffer were lost.
type bufferText struct {
	Caption string
	Bar     *bar
}

func (p *Page) trustText() *trustText {
	x := &trustText{verdictText: verdictOf(p.Trust), Tiles: p.tiles(), Inputs: p.inputs()}
	for i := range p.Lost.Buffers[:min(len(p.Lost.Buffers), mostBuffers)] {
		x.Buffers = append(x.Buffers, p.bufferText(&p.Lost.Buffers[i]))
	}
	return x
}

// mostBuffers is how many buffers are drawn.
const mostBuffers = 8

// wrongImage says whether the figures are of another program than the one that ran.
func (p *Page) wrongImage() bool {
	return p.Trust.Word == verdict.WrongProgram
}

// subtitle says what the page is of.
func (p *Page) subtitle() string {
	var parts []string
	for s := range p.Decoded() {
		words := strings.TrimSpace(s.Protocol + " " + s.Version)
		if s.Core != "" {
			words = strings.TrimPrefix(words+", core "+s.Core, ", ")
		}
		if words = content.Name(words); words != "" && !slices.Contains(parts, words) {
			parts = append(parts, words)
		}
	}
	if n := len(p.Trust.Datasets); n > 1 {
		parts = append(parts, count(int64(n), "dataset")+" added up")
	}
	if p.PacketsOnly {
		return strings.Join(append(parts, "packets only"), " · ")
	}
	parts = append(parts, count(p.Trust.Instructions, "instruction"))
	switch {
	case p.Data.Unit == content.Cycles:
		parts = append(parts, count(p.Data.Spent, "cycle"))
	case !p.Data.Cycles:
		parts = append(parts, "no cycle counts were traced")
	}
	return strings.Join(parts, " · ")
}

// tiles are the figures of trust.
func (p *Page) tiles() []tile {
	t := p.Trust
	tiles := []tile{
		{t.Unit() + "s decoded", exact(t.Decoded, t.Bytes), p.lostNote()},
		{"gaps in the trace", figures.Thousands(t.Gaps), p.gapsNote()},
	}
	if c := &t.Cycles; c.Traced {
		tiles = append(tiles, tile{"cycles executed", figures.Thousands(c.Executed), cyclesNote(c)})
	}
	if p.Coverage == nil {
		return append(tiles, p.otherSources())
	}
	return append(tiles, p.imageTile(), p.conditionsTile(), p.outsideTile(), p.otherSources())
}

// lostNote says how much was lost, and why.
func (p *Page) lostNote() string {
	t := p.Trust
	text := figures.Thousands(t.Decoded) + " of " + count(t.Bytes, t.Unit())
	if t.Lost > 0 {
		var reasons []string
		for _, r := range p.Lost.Reasons {
			reasons = append(reasons, figures.Thousands(r.Bytes)+" "+r.Words())
		}
		text += "; " + figures.Thousands(t.Lost) + " lost"
		if len(reasons) > 0 {
			text += ": " + strings.Join(reasons, ", ")
		}
	}
	if t.Unplaced > 0 {
		text += "; " + figures.Thousands(t.Unplaced) + " could not be matched to code"
	}
	return text
}

// namedGaps is how many gaps a tile names.
const namedGaps = 5

// gapsNote says at which instructions trace continued.
func (p *Page) gapsNote() string {
	if p.Trust.Gaps == 0 {
		if p.Trust.Instructions == 0 {
			return ""
		}
		return "one continuous stretch"
	}
	sources := 0
	for range p.Decoded() {
		sources++
	}
	var words []string
	for _, g := range p.Lost.Gaps[:min(len(p.Lost.Gaps), namedGaps)] {
		word := figures.Thousands(g.Seq)
		if sources > 1 {
			word += " of source " + schema.SourceText(g.Source)
			if n := p.dataset(g.Dir); n > 0 {
				word += fmt.Sprintf(" in dataset %d", n)
			}
		}
		words = append(words, word)
	}
	if len(words) == 0 {
		return ""
	}
	return "trace continued at instructions " + some(words, p.Trust.Gaps)
}

// cyclesNote says which cycles no function and no task has.
func cyclesNote(c *trust.Cycles) string {
	text := figures.Thousands(c.Gaps) + " more passed in gaps"
	if c.Unplaced != 0 {
		text += ", " + figures.Thousands(c.Unplaced) + " at no known address"
	}
	return text
}

// dataset returns the number of a dataset from 1 on, 0 if it is the only one.
func (p *Page) dataset(dir string) int {
	if len(p.Trust.Datasets) == 1 {
		return 0
	}
	return slices.IndexFunc(p.Trust.Datasets, func(d trust.Dataset) bool { return d.Dir == dir }) + 1
}

func (p *Page) imageTile() tile {
	t := tile{
		"image agrees", exact(p.Trust.Agrees, p.Trust.Checks),
		"nothing in the trace could be compared with the program image",
	}
	if p.Trust.Checks == 0 {
		return t
	}
	var a schema.Agreement
	for s := range p.Decoded() {
		if s.Agreement != nil {
			a.BranchChecks += s.Agreement.BranchChecks
			a.BranchAgrees += s.Agreement.BranchAgrees
			a.ISyncChecks += s.Agreement.ISyncChecks
			a.ISyncAgrees += s.Agreement.ISyncAgrees
		}
	}
	t.Note = of(a.BranchAgrees, a.BranchChecks) + " branch addresses, " + of(a.ISyncAgrees, a.ISyncChecks) +
		" periodic synchronisations"
	return t
}

// conditionsTile counts conditions, not their executions: most rows of a sound trace have no
// outcome, since they have no condition.
func (p *Page) conditionsTile() tile {
	t, b := p.Trust, &p.Coverage.Branches
	x := tile{"conditions unknown", of(t.Unknown, t.Conditions), "conditional instructions"}
	switch {
	case t.Conditions == 0:
		x.Figure, x.Note = "0", "no conditional instruction was reached"
	case t.Unknown == 0:
		x.Note += ": the trace records whether each passed"
	default:
		x.Note += ": this trace does not record whether they passed; they count as executed"
	}
	if b.Reached > 0 {
		x.Note += "; of " + count(b.Reached, "conditional branch") + " reached, " + figures.Thousands(b.Unknown) + " unknown"
	}
	return x
}

func (p *Page) outsideTile() tile {
	x := tile{
		"executed outside the image", figures.Thousands(int64(len(p.Trust.Outside))),
		"all executed addresses are in the ELF file",
	}
	switch {
	case !p.Trust.HasProgram:
		x.Figure, x.Note = unknown, "no ELF file"
	case len(p.Trust.Outside) > 0:
		var words []string
		executions := int64(0)
		for i, o := range p.Trust.Outside {
			if i < namedGaps {
				words = append(words, o.Address.Hex())
			}
			executions += o.Times
		}
		x.Note = "addresses not in the ELF file, executed " + times(executions) + ": " +
			some(words, int64(len(p.Trust.Outside)))
	}
	return x
}

// otherSources are those that have no decoder.
func (p *Page) otherSources() tile {
	var words []string
	n := int64(0)
	for i := range p.Trust.Datasets {
		for j := range p.Trust.Datasets[i].Sources {
			s := &p.Trust.Datasets[i].Sources[j]
			if s.Status == schema.SourceStatusNames[schema.StatusDecoded] {
				continue
			}
			if n++; n <= namedGaps {
				words = append(words, schema.SourceText(s.Source)+": "+s.Status+", "+count(s.Bytes, "byte"))
			}
		}
	}
	if n == 0 {
		return tile{"other sources", "0", "all sources of the capture are here"}
	}
	return tile{"other sources", figures.Thousands(n), some(words, n)}
}

// bufferText draws where bytes of a buffer were lost.
func (p *Page) bufferText(b *lost.Buffer) bufferText {
	x := bufferText{Bar: &bar{}}
	var words []string
	for i, s := range b.Ranges {
		at := int64(float64(s.Offset) / float64(b.Bytes) * barWidth)
		width := max(leastBar, int64(float64(s.Bytes)/float64(b.Bytes)*barWidth+0.5))
		x.Bar.Parts = append(x.Bar.Parts, part{"lost", min(at, barWidth-leastBar), min(width, barWidth-at)})
		if i < namedGaps {
			words = append(words, count(s.Bytes, "byte")+" at offset "+figures.Thousands(s.Offset))
		}
	}
	x.Caption = "Buffer"
	if b.Name != "" {
		x.Caption += " " + content.Name(b.Name)
	}
	if n := p.dataset(b.Dir); n > 0 {
		x.Caption += fmt.Sprintf(" of dataset %d", n)
	}
	x.Caption += ", " + count(b.Bytes, "byte") + ": "
	if len(b.Ranges) == 0 {
		x.Caption += "nothing was lost."
	} else {
		x.Caption += "lost (red) " + some(words, int64(len(b.Ranges))) + "."
	}
	return x
}

// mostInputs is how many inputs and images are listed.
const mostInputs = 100

// inputs are what the datasets are of.
func (p *Page) inputs() []table {
	sources := table{Caption: "Sources", Head: []cell{
		plain("source"), plain("protocol"), number("decoded"), number("lost"), number("instructions"), plain("status"),
	}}
	files := table{Caption: "Inputs", Head: []cell{plain("file"), number("bytes"), plain("SHA-256")}}
	images := table{Caption: "Images", Head: []cell{
		plain("file"), plain("role"), number("address"), number("bytes"), plain("build-id"), plain("SHA-256"),
	}}
	datasets := table{Caption: "Datasets", Head: []cell{
		plain("dataset"), plain("description"), plain("test"), plain("window"),
	}}
	for i := range p.Trust.Datasets {
		d := &p.Trust.Datasets[i]
		of := ""
		if len(p.Trust.Datasets) > 1 {
			of = fmt.Sprintf("%d: ", i+1)
		}
		for j := range d.Sources {
			s := &d.Sources[j]
			sources.Rows = append(sources.Rows, []cell{
				plain(of + strings.TrimSpace(schema.SourceText(s.Source)+" "+s.Name+" "+s.Core)),
				plain(strings.TrimSpace(s.Protocol + " " + s.Version)), number(exact(s.BytesDecoded, s.Bytes)),
				number(figures.Thousands(s.BytesLost)), number(figures.Thousands(s.Instructions)),
				plain(strings.TrimSuffix(s.Status+": "+s.Problem, ": ")),
			})
		}
		for _, f := range d.Manifest.Inputs {
			files.Rows = append(files.Rows, []cell{plain(of + f.Path), number(figures.Thousands(f.Bytes)), hashed(f.SHA256)})
		}
		for _, r := range d.Manifest.Images {
			images.Rows = append(images.Rows, []cell{
				plain(of + r.File), plain(strings.TrimSpace(cmp.Or(r.Role, "memory") + " " + r.Core)), number(r.Address.Hex()),
				number(figures.Thousands(r.Bytes)), hashed(r.BuildID), hashed(r.SHA256),
			})
		}
		window := ""
		if d.Window != nil {
			window = strings.TrimSpace("from " + d.Window.From + " to " + d.Window.To)
		}
		if of != "" || d.Manifest.Description != "" || d.Test != "" || window != "" {
			datasets.Rows = append(datasets.Rows, []cell{
				plain(fmt.Sprint(i + 1)), plain(d.Manifest.Description), plain(d.Test), plain(window),
			})
		}
	}
	var tables []table
	for _, t := range []table{datasets, sources, files, images} {
		if more := len(t.Rows) - mostInputs; more > 0 {
			t.Rows = append(t.Rows[:mostInputs], []cell{{Text: figures.Thousands(int64(more)) + " more"}})
		}
		if len(t.Rows) > 0 {
			tables = append(tables, t)
		}
	}
	return tables
}
