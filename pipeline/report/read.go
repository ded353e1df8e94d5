package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Options say what to read.
type Options struct {
	Test    string      // only datasets whose label `test` is this; "": all
	Exclude []Exclusion // left out of all figures
	Clocks  bool        // where --cycle-hz was not given, timestamps measure the clock of the core
}

// Merged is what the datasets of one program hold together.
type Merged struct {
	trust    Trust
	keys     []programKey         // which program it is
	images   []schema.ImageRegion // of the first dataset
	programs map[string]*program  // by core; "": every core
	places   places
	named    bool                 // the program has functions
	outside  map[location]*counts // where no program has an instruction
	excluded []Excluded
	measure  bool // Options.Clocks
	clocks   []Clock

	stacked   bool              // all datasets have stacks
	inclusive map[groupKey]Work // of functions

	executions int64 // in all
}

// A location is an address of a core.
type location struct {
	core    string
	address uint32
}

func compareLocations(a, b location) int {
	return cmp.Or(strings.Compare(a.core, b.core), cmp.Compare(a.address, b.address))
}

// Read reads the datasets in dirs and adds them up. It fails with a [*MergeError] if
// they are not of one program.
func Read(dirs []string, opt Options) (*Merged, error) {
	open, err := openAll(dirs, opt.Test)
	defer closeAll(open)
	if err != nil {
		return nil, err
	}
	for _, d := range open[1:] {
		if err := mergeable(open[0], d); err != nil {
			return nil, err
		}
	}
	m := &Merged{
		keys: programKeys(open[0]), images: open[0].Manifest.Images, programs: map[string]*program{}, outside: map[location]*counts{},
		measure: opt.Clocks, stacked: true, inclusive: map[groupKey]Work{},
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
	m.concludeTrust()
	return m, nil
}

// openAll opens the datasets in dirs whose label is test. It returns those that it
// opened with an error, too.
func openAll(dirs []string, test string) ([]*dataset.Dataset, error) {
	var open []*dataset.Dataset
	var labels []string
	for _, dir := range dirs {
		d, err := dataset.Open(dir)
		if err != nil {
			return open, err
		}
		label := d.Manifest.Labels[testLabel]
		if test != "" && label != test {
			labels = append(labels, label)
			d.Close()
			continue
		}
		open = append(open, d)
		if err := hasTables(d); err != nil {
			return open, err
		}
	}
	if len(open) == 0 {
		return nil, &NoTestError{Test: test, Labels: slices.Compact(slices.Sorted(slices.Values(labels)))}
	}
	return open, nil
}

func closeAll(open []*dataset.Dataset) {
	for _, d := range open {
		d.Close()
	}
}

// testLabel is the key of the label that names the test a capture was made in.
const testLabel = "test"

// hasTables checks that d has the tables that answers are made of, which older
// versions did not write.
func hasTables(d *dataset.Dataset) error {
	for _, t := range []*schema.Table{&schema.Counts, &schema.Code, &schema.Functions, &schema.Lines} {
		if !d.Has(t) {
			return &dataset.Error{File: d.Dir, Problem: "has no table " + t.Name, Remedy: "export again with this version"}
		}
	}
	return nil
}

// A NoTestError says that no dataset has the label that was asked for.
type NoTestError struct {
	Test   string
	Labels []string // those there are, ascending; "": a dataset without one
}

func (e *NoTestError) Error() string {
	words := make([]string, len(e.Labels))
	for i, label := range e.Labels {
		words[i] = fmt.Sprintf("%q", label)
		if label == "" {
			words[i] = "none"
		}
	}
	return fmt.Sprintf("no dataset has the label test=%s; their labels are: %s", e.Test, strings.Join(words, ", "))
}
