package program

import (
	"cmp"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// addSubprograms adds the functions that only the debug information knows, where
// there is none else: symbols were stripped.
func (p *Program) addSubprograms(d *debugInfo) {
	var found []Function
	holes := holes{p: p, functions: p.Functions}
	reach := uint64(0)
	for _, s := range p.sortedSubprograms(d) {
		at := s.spans[0]
		h, ok := holes.around(schema.Address(at.low))
		if !ok || at.low < reach {
			continue
		}
		name, linkage := d.names(s.declaration)
		f := Function{
			Address: schema.Address(at.low), LinkageName: cmp.Or(linkage, name), Name: p.demangler.display(name, linkage),
			Origin: schema.OriginDWARF,
		}
		reach = min(at.high, h.end)
		f.Size = uint32(reach - at.low)
		found = append(found, f)
	}
	if len(found) > 0 {
		p.note("%d functions have no symbol: they are those of the debug information", len(found))
	}
	p.Functions = merge(p.Functions, found)
}

// sortedSubprograms returns the subprograms that have a name, and code in a
// section, by address.
func (p *Program) sortedSubprograms(d *debugInfo) []subprogram {
	var found []subprogram
	for _, s := range d.subprograms {
		name, linkage := d.names(s.declaration)
		if s.dead || name+linkage == "" {
			continue
		}
		if p.section(schema.Address(s.spans[0].low)) != nil {
			found = append(found, s)
		}
	}
	slices.SortStableFunc(found, func(a, b subprogram) int { return cmp.Compare(a.spans[0].low, b.spans[0].low) })
	return found
}
