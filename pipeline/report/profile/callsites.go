package profile

import (
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A callPair is a function that calls another, by their addresses.
type callPair struct {
	core     string
	from, to schema.Address
}

// A callSite is the instruction that does, the first of its line.
type callSite struct {
	place   CodePlace
	several bool // there are others, of other lines
}

// readCallSites reads which instructions call which functions.
func readCallSites(m *report.Merged, dirs []string, test string) (map[callPair]callSite, error) {
	sites := map[callPair]callSite{}
	return sites, read.EachSource(dirs, test, &schema.Edges, func(d *dataset.Dataset, s *schema.SourceTotals) error {
		return read.EachBatch(d, &schema.Edges, s.Source, func(b *schema.Batch) error {
			for row := range b.Rows() {
				if !isCall(b, row) {
					continue
				}
				from, _ := m.CodeAt(s.Core, schema.EdgesFromAddress.At(b, row))
				to, _ := m.CodeAt(s.Core, schema.EdgesToAddress.At(b, row))
				if from.Core != to.Core || !from.Function.OK || !to.Function.OK {
					continue
				}
				pair := callPair{from.Core, from.Function.V.Address, to.Function.V.Address}
				sites[pair] = sites[pair].with(placeOf(&from))
			}
			return nil
		})
	})
}

// isCall says whether an edge is a call.
func isCall(b *schema.Batch, row int) bool {
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
