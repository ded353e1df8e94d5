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
	seen := map[string][]schema.Address{} // executed addresses by core
	for i := range d.Manifest.Sources {
		s := &d.Manifest.Sources[i]
		hz, err := m.clock(d, s)
		if err != nil {
			return err
		}
		err = read.EachBatch(d, &schema.Counts, s.Source, func(b *schema.Batch) error {
			for row := range b.Rows() {
				seen[s.Core] = append(seen[s.Core], schema.CountsAddress.At(b, row))
			}
			return m.addCounts(b, s.Core, hz)
		})
		if err != nil {
			return err
		}
	}
	for core, addresses := range seen {
		slices.Sort(addresses)
		seen[core] = slices.Compact(addresses)
	}
	return m.trust.Add(d, seen)
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
		c := counts{
			executed: int64(schema.CountsExecuted.At(b, row)), failed: int64(schema.CountsFailed.At(b, row)),
			unknown: int64(schema.CountsUnknown.At(b, row)), timed: int64(schema.CountsTimed.At(b, row)),
		}
		if !spread.Null(row) {
			c.cycles = math.Float64frombits(spread.U64[row])
		}
		address := schema.CountsAddress.At(b, row)
		if !c.possible() || m.executions > read.MaxCount-c.reached() {
			return fmt.Errorf("0x%08x has a count that no trace can have", address)
		}
		m.executions += c.reached()
		if hz != 0 {
			c.seconds, c.clocked = c.cycles/hz, c.cycles
		}
		m.at(core, address, schema.ISA(schema.CountsISA.At(b, row))).add(c)
	}
	return nil
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

// addInclusive adds what functions took in a dataset with what they called.
func (m *Merged) addInclusive(d *dataset.Dataset) error {
	m.stacked = m.stacked && d.Rows(&schema.Stacks) > 0
	if !m.stacked {
		return nil
	}
	for i := range d.Manifest.Sources {
		s := &d.Manifest.Sources[i]
		functions := m.functionsOf(s.Core)
		t, err := stacks.Read(d, s.Source, len(functions))
		if err != nil {
			return err
		}
		t.Inclusive(func(node int32, all stacks.Work) {
			if f := t.Nodes[node].Function; f != none {
				functions[f].all.Add(all)
			}
		})
	}
	return nil
}
