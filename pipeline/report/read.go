package report

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/pipeline/report/clock"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/pipeline/report/trust"
	"github.com/tracelake/tracelake/schema"
)

// Options say what to read.
type Options struct {
	Test    string      // only datasets whose label `test` is this; "": all
	Exclude []Exclusion // left out of all figures
	Clocks  bool        // where --cycle-hz was not given, timestamps measure the clock of the core
}

// Merged is what the datasets of one program hold together.
type Merged struct {
	trust    trust.Summary
	keys     []programKey         // which program it is
	images   []schema.ImageRegion // of the first dataset
	programs map[string]*program  // by core; "": every core
	places   places
	named    bool                 // the program has functions
	outside  map[location]*counts // where no program has an instruction
	excluded []Excluded
	measure  bool // Options.Clocks
	clocks   []clock.Rate

	stacked bool // all datasets have stacks

	executions int64 // in all
}

// A location is an address of a core.
type location struct {
	core    string
	address schema.Address
}

func compareLocations(a, b location) int {
	return cmp.Or(strings.Compare(a.core, b.core), cmp.Compare(a.address, b.address))
}

// Read reads the datasets in dirs and adds them up. It fails with a [*MergeError] if
// they are not of one program.
func Read(dirs []string, opt Options) (*Merged, error) {
	open, err := read.Open(dirs, opt.Test)
	defer read.Close(open)
	if err != nil {
		return nil, err
	}
	for _, d := range open[1:] {
		if err := mergeable(open[0], d); err != nil {
			return nil, err
		}
	}
	m := &Merged{
		keys: programKeys(open[0]), images: open[0].Manifest.Images, programs: map[string]*program{},
		outside: map[location]*counts{},
		measure: opt.Clocks, stacked: true,
	}
	for i, d := range open {
		if i == 0 || !hasProgram(d) { // with program files all have the same
			if err := m.readProgram(d); err != nil {
				return nil, err
			}
		}
	}
	for _, p := range m.programs {
		m.named = m.named || len(p.functions) > 0
	}
	m.exclude(opt.Exclude)
	for _, d := range open {
		if err := errors.Join(m.readCounts(d), m.addInclusive(d)); err != nil {
			return nil, err
		}
	}
	m.concludeExclusions()
	m.concludeTrust()
	return m, nil
}

// concludeTrust adds what only all datasets together show, and the verdict.
func (m *Merged) concludeTrust() {
	t := &m.trust
	for _, at := range slices.SortedFunc(maps.Keys(m.outside), compareLocations) {
		t.Outside = append(t.Outside, trust.Outside{Core: at.core, Address: at.address, Times: m.outside[at].reached()})
	}
	for _, p := range m.programs {
		for i := range p.code {
			x := &p.code[i]
			if x.conditional && !x.branches() && x.reached() > 0 && (x.function != none || !t.HasProgram) {
				t.Conditions++
				if x.untold > 0 {
					t.Untold++
				}
			}
		}
	}
	t.Named = m.named
	t.Conclude()
}

// Trust returns how far the figures can be trusted.
func (m *Merged) Trust() *trust.Summary { return &m.trust }
