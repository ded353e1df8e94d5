// Package report answers questions about what ran: how much of the program was
// covered, which way its branches went, where the time is spent, how long calls and
// exceptions took, what ran just before a point, and how far all that can be trusted.
//
// [Read] reads datasets of one program and adds them up. It reads only tables whose
// size depends on the program, never the instructions or blocks: an answer takes as
// long for an hour of trace as for a second. Package calls reads a row for each call,
// and package last of the instructions those around a point. The answers are values;
// words and formats are the caller's.
//
// Packages clock, durations, exceptions, growth, lost, stacks and trust, which are below
// this one, know no program. Packages calls and last are above it, as are profile and
// timeline, which answer what other programs show: from call trees, frames and code.
//
// Its API is promised (docs/guide/library.md).
package report

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/pipeline/report/clock"
	"github.com/tracelake/tracelake/pipeline/report/trust"
	"github.com/tracelake/tracelake/schema"
)

// Options say what to read.
type Options struct {
	Test    string      // only datasets whose label `test` is this; "": all
	Only    Selection   // the part of the program that is asked about
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
	inlined  bool                 // some of them were inlined into others
	outside  map[location]*counts // where no program has an instruction
	entries  map[string]*counts   // by exception: the cycles of its entries
	excluded []Excluded
	selected map[location]bool // functions that are asked about; nil: all
	measure  bool              // Options.Clocks
	clocks   []clock.Rate

	stacked bool // all datasets have stacks

	executions int64 // in all
}

// Trust returns how far the figures can be trusted.
func (m *Merged) Trust() *trust.Summary { return &m.trust }

// A location is an address of a core.
type location struct {
	core    string
	address schema.Address
}

func compareLocations(a, b location) int {
	return cmp.Or(strings.Compare(a.core, b.core), cmp.Compare(a.address, b.address))
}

// A Selection is the part of the program that is asked about: all of it if it is empty. A glob is as [path.Match] has
// it; that of a file is compared with as many of the last parts of a path as it has itself. With globs of both kinds
// an instruction is selected if one of each matches.
type Selection struct {
	Functions []string // globs of names, linkage names and aliases, or addresses in hexadecimal
	Files     []string // globs of paths
}

// A NoMatchError says that a glob matches nothing.
type NoMatchError struct {
	Glob  string
	Names []string // that it was compared with, each once, in order
}

func (e *NoMatchError) Error() string { return fmt.Sprintf("%s matches nothing", e.Glob) }

// Selects reports whether a function of a core is asked about.
func (m *Merged) Selects(core string, function schema.Address) bool {
	return m.selected == nil || m.selected[location{core, function}]
}

// An Exclusion is a part of the program that is to be left out of the figures.
type Exclusion struct {
	Name   string // a function (its name, linkage name or an alias), FILE or FILE:LINE; a file may lack its first folders
	Reason string
}

// Excluded is what came of an exclusion.
type Excluded struct {
	Exclusion
	Instructions int64 // left out; 0: there is nothing of that name
	Covered      int64 // of those
}

// Excluded returns what came of the exclusions, in the order they were given in.
func (m *Merged) Excluded() []Excluded { return m.excluded }

// program returns the program of a core, which it begins if there is none.
func (m *Merged) program(core string) *program {
	p := m.programs[core]
	if p == nil {
		p = &program{core: core}
		m.programs[core] = p
	}
	return p
}

// programOf returns the program that a core runs: its own, else that of every core; nil: there is none.
func (m *Merged) programOf(core string) *program {
	if p := m.programs[core]; p != nil {
		return p
	}
	return m.programs[""]
}

// functionsOf returns the functions that a core runs, by ordinal.
func (m *Merged) functionsOf(core string) []function {
	if p := m.programOf(core); p != nil {
		return p.functions
	}
	return nil
}

// cores returns the cores that have a program, in order.
func (m *Merged) cores() []string {
	return slices.Sorted(maps.Keys(m.programs))
}

// code goes through the instructions of all programs, by core and address.
func (m *Merged) code() iter.Seq2[*program, *instruction] {
	return func(yield func(*program, *instruction) bool) {
		for _, core := range m.cores() {
			p := m.programs[core]
			for i := range p.code {
				if !yield(p, &p.code[i]) {
					return
				}
			}
		}
	}
}

// lineOf returns the file and the number of the line of an instruction, "" and 0 if it has none.
func (m *Merged) lineOf(x *instruction) (file string, number uint32) {
	if x.line == none {
		return "", 0
	}
	at := m.places.lines[x.line]
	return m.places.files[at.file], at.number
}

// HasLines says whether the program has source lines.
func (m *Merged) HasLines() bool { return len(m.places.lines) > 0 }

// HasInlined says whether functions were inlined into others. Their code counts in the function that it was
// inlined into; by file and line it counts where it is written.
func (m *Merged) HasInlined() bool { return m.inlined }
