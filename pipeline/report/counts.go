package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report/clock"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// readCounts adds the executions of d to m.
func (m *Merged) readCounts(d *dataset.Dataset) error {
	m.stacked = m.stacked && d.Rows(&schema.Stacks) > 0
	seen := map[string][]schema.Address{} // executed addresses by core
	cycles := schema.Null[int64]{OK: m.stacked}
	for i := range d.Manifest.Sources {
		s := &d.Manifest.Sources[i]
		hz, err := m.clock(d, s)
		if err != nil {
			return err
		}
		err = read.EachBatch(d, &schema.Counts, s.Source, func(b *schema.Batch) error {
			for row := range b.Rows() {
				seen[s.Core] = append(seen[s.Core], schema.CountsAddress.At(b, row))
				cycles.V += read.Null(b, row, schema.CountsCycles).V
			}
			return m.addCounts(b, s.Core, hz)
		})
		if err != nil {
			return err
		}
		entries, err := m.addStacks(d, s, hz)
		if err != nil {
			return err
		}
		cycles.V += entries
	}
	for core, addresses := range seen {
		slices.Sort(addresses)
		seen[core] = slices.Compact(addresses)
	}
	return m.trust.Add(d, seen, cycles)
}

// maxCycles is more than any trace has: beyond it sums could be wrong.
const maxCycles = 1e18

// clock returns the frequency of the core that a source traces, 0 if it is not known.
func (m *Merged) clock(d *dataset.Dataset, s *schema.SourceTotals) (hz float64, err error) {
	if !m.measure || s.Instructions == 0 {
		return float64(s.CycleHz), nil
	}
	c, err := clock.Read(d, s)
	m.clocks = append(m.clocks, c)
	return c.Hz, err
}

// addCounts adds the executions of a source. Its core runs at a frequency; 0: not known.
func (m *Merged) addCounts(b *schema.Batch, core string, hz float64) error {
	spread := &b.Columns[schema.CountsCyclesSpread]
	for row := range b.Rows() {
		c := counts{}
		if !spread.Null(row) {
			c = clocked(math.Float64frombits(spread.U64[row]), hz)
		}
		c.executed, c.failed = int64(schema.CountsExecuted.At(b, row)), int64(schema.CountsFailed.At(b, row))
		c.unknown, c.timed = int64(schema.CountsUnknown.At(b, row)), int64(schema.CountsTimed.At(b, row))
		address := schema.CountsAddress.At(b, row)
		if !c.possible() || m.executions > read.MaxCount-c.reached() {
			return fmt.Errorf("%s has a count that no trace can have", address.Hex())
		}
		m.executions += c.reached()
		m.at(core, address, schema.ISA(schema.CountsISA.At(b, row))).add(c)
	}
	return nil
}

// clocked are cycles at a frequency; 0: not known.
func clocked(cycles, hz float64) counts {
	c := counts{cycles: cycles}
	if hz != 0 {
		c.seconds, c.clocked = cycles/hz, cycles
	}
	return c
}

// possible says whether c can be of a trace.
func (c *counts) possible() bool {
	for _, n := range []int64{c.executed, c.failed, c.unknown, c.timed} {
		if n < 0 || n > read.MaxCount/4 {
			return false
		}
	}
	return c.cycles >= 0 && c.cycles <= maxCycles
}

// at returns the executions at an address of a core: of the instruction there or, if
// there is none in that instruction set, of what is outside of the program.
func (m *Merged) at(core string, address schema.Address, isa schema.ISA) *counts {
	if _, i := m.instruction(core, address, isa); i != nil {
		return &i.counts
	}
	at := location{core, address}
	if m.outside[at] == nil {
		m.outside[at] = &counts{}
	}
	return m.outside[at]
}

// instruction returns the instruction that a core executes, nil if there is none in
// that instruction set.
func (m *Merged) instruction(core string, address schema.Address, isa schema.ISA) (*program, *instruction) {
	for _, name := range []string{core, ""} {
		p := m.programs[name]
		if p == nil {
			continue
		}
		if i := p.find(address); i != none && p.code[i].isa == isa {
			return p, &p.code[i]
		}
	}
	return nil, nil
}

// addStacks adds what functions of a source took with all that they called, and what entries of
// exceptions took, and returns the cycles of those.
func (m *Merged) addStacks(d *dataset.Dataset, s *schema.SourceTotals, hz float64) (entries int64, err error) {
	if !m.stacked {
		return 0, nil
	}
	functions := m.functionsOf(s.Core)
	t, err := stacks.Read(d, s.Source, len(functions))
	if err != nil {
		return 0, err
	}
	t.Inclusive(func(node int32, all stacks.Work) {
		if f := t.Nodes[node].Function; f != none {
			functions[f].all.Add(all)
		}
	})
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Entry == schema.StackOther {
			m.trust.InOther += n.Own.Instructions
		}
		if n.Entry != schema.StackException || n.Own.Cycles.V == 0 {
			continue
		}
		entries += n.Own.Cycles.V
		name := n.Exception.String()
		if m.entries[name] == nil {
			m.entries[name] = &counts{}
		}
		m.entries[name].add(clocked(float64(n.Own.Cycles.V), hz))
	}
	return entries, nil
}
