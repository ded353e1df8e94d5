package report

import (
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A callPair is a function that calls another, by their addresses.
type callPair struct {
	core     string
	from, to uint32
}

// A callSite is the instruction that does, the first of its line.
type callSite struct {
	place   CodePlace
	several bool // there are others, of other lines
}

// callSites reads which instructions call which functions.
func (m *Merged) callSites(dirs []string, test string) (map[callPair]callSite, error) {
	sites := map[callPair]callSite{}
	return sites, read.EachSource(dirs, test, &schema.Edges, func(d *dataset.Dataset, s *schema.SourceTotals) error {
		return read.EachBatch(d, &schema.Edges, s.Source, func(b *schema.Batch) error {
			for row := range b.Rows() {
				if !calls(b, row) {
					continue
				}
				p, from := m.codeAt(s.Core, schema.EdgesFromAddress.At(b, row))
				q, to := m.codeAt(s.Core, schema.EdgesToAddress.At(b, row))
				if from == nil || to == nil || p != q || from.function == none || to.function == none {
					continue
				}
				pair := callPair{p.core, p.functions[from.function].address, p.functions[to.function].address}
				sites[pair] = sites[pair].with(m.codePlace(from))
			}
			return nil
		})
	})
}

// calls says whether an edge is a call.
func calls(b *schema.Batch, row int) bool {
	kind := schema.EdgeKind(schema.EdgesKind.At(b, row))
	return (kind == schema.EdgeKind(schema.KindCall) || kind == schema.EdgeKind(schema.KindIndirectCall)) &&
		schema.EdgeOutcome(schema.EdgesOutcome.At(b, row)) != schema.EdgeNotTaken
}

// with returns s with another instruction that calls.
func (s callSite) with(p CodePlace) callSite {
	switch {
	case s.place == CodePlace{}:
		s.place = p
	case s.place.File != p.File || s.place.Line != p.Line:
		s.several = true
	case p.Address < s.place.Address:
		s.place = p
	}
	return s
}

// codeAt returns the instruction at an address of a core, nil if there is none, and its program.
func (m *Merged) codeAt(core string, address uint32) (*program, *instruction) {
	for _, name := range []string{core, ""} {
		if p := m.programs[name]; p != nil {
			if i := p.find(address); i != none {
				return p, &p.code[i]
			}
		}
	}
	return nil, nil
}
