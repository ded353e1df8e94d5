package report

import (
	"math"
	"slices"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// readCounts adds the executions of d to m.
func (m *Merged) readCounts(d *dataset.Dataset) error {
	seen := map[string][]uint32{} // executed addresses by core
	for i := range d.Manifest.Sources {
		s := &d.Manifest.Sources[i]
		err := eachBatch(d, &schema.Counts, s.Source, func(b *schema.Batch) error {
			seen[s.Core] = append(seen[s.Core], *schema.CountsAddress.In(b)...)
			m.addCounts(b, s)
			return nil
		})
		if err != nil {
			return err
		}
	}
	for core, addresses := range seen {
		slices.Sort(addresses)
		seen[core] = slices.Compact(addresses)
	}
	return m.trust.add(d, seen)
}

// addCounts adds the executions of a source.
func (m *Merged) addCounts(b *schema.Batch, s *schema.SourceTotals) {
	spread := &b.Columns[schema.CountsCyclesSpread]
	for row := range b.Rows() {
		c := counts{
			executed: int64(schema.CountsExecuted.At(b, row)), failed: int64(schema.CountsFailed.At(b, row)),
			untold: int64(schema.CountsUntold.At(b, row)), timed: int64(schema.CountsTimed.At(b, row)),
		}
		if !spread.Null(row) {
			c.cycles = math.Float64frombits(spread.U64[row])
		}
		if s.CycleHz != 0 {
			c.seconds, c.clocked = c.cycles/float64(s.CycleHz), c.cycles
		}
		address := schema.CountsAddress.At(b, row)
		if i := m.instruction(s.Core, address, schema.ISA(schema.CountsISA.At(b, row))); i != nil {
			i.add(c)
			continue
		}
		at := location{s.Core, address}
		if m.outside[at] == nil {
			m.outside[at] = &counts{}
		}
		m.outside[at].add(c)
	}
}

// instruction returns the instruction that a core executes, nil if there is none in
// that instruction set.
func (m *Merged) instruction(core string, address uint32, isa schema.ISA) *instruction {
	for _, name := range []string{core, ""} {
		p := m.programs[name]
		if p == nil {
			continue
		}
		if i := p.find(address); i != none && p.code[i].isa == isa {
			return &p.code[i]
		}
	}
	return nil
}
