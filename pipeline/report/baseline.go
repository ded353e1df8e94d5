package report

import (
	"cmp"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// A Change is what is covered now and was not before, and the other way round.
type Change struct {
	SameProgram                     bool  // else functions are compared, by name and file
	OfOutcomes                      bool  // rows count outcomes of branches, else instructions
	Instructions, Functions, Lines  Delta // without the same program only Functions
	Outcomes                        Delta // of conditional branches
	InstructionsBefore, LinesBefore Figure
	FunctionsBefore                 Figure
	Rows                            []ChangeRow // those with a difference, the greatest loss first
}

// A Delta counts what is new, and what is lost.
type Delta struct{ New, Lost int64 }

func (d *Delta) add(before, now bool) {
	d.New += one(now && !before)
	d.Lost += one(before && !now)
}

func (d *Delta) sum(e Delta) {
	d.New += e.New
	d.Lost += e.Lost
}

// A ChangeRow is a function, file or line whose coverage changed. Where the program is
// another, it counts functions of that name and file.
type ChangeRow struct {
	Name
	Delta
}

// Against compares coverage with that of a baseline. Rows are functions if the
// program is another, since addresses and lines then mean other code; else they count
// instructions, or outcomes of branches.
func (m *Merged) Against(base *Merged, by By, ofOutcomes bool) *Change {
	c := &Change{SameProgram: m.SameProgram(base), OfOutcomes: ofOutcomes}
	before := base.Coverage(by)
	c.InstructionsBefore, c.FunctionsBefore, c.LinesBefore = before.Instructions.Figure, before.Functions, before.Lines
	if c.SameProgram {
		c.compareCode(m, base, by)
		c.compareLines(m, base)
	}
	c.compareFunctions(m, base)
	slices.SortFunc(c.Rows, func(x, y ChangeRow) int {
		return cmp.Or(cmp.Compare(y.Lost, x.Lost), cmp.Compare(y.New, x.New), x.Compare(&y.Name))
	})
	return c
}

// compareCode compares instructions and the outcomes of branches.
func (c *Change) compareCode(m, base *Merged, by By) {
	g := newGroups(m, by)
	for p, x := range m.code() {
		if x.exclusion == none && (x.function != none || !m.named) {
			c.compare(g, p, x, base.find(p.core, x.address), &x.counts)
		}
	}
	for p, x := range base.code() { // without a program file, what only the baseline executed
		if !base.named && m.find(p.core, x.address) == nil {
			c.compare(g, p, x, &x.counts, nil)
		}
	}
}

// compare compares an instruction before and now; nil: it was not executed.
func (c *Change) compare(g *groups, p *program, x *instruction, before, now *counts) {
	if before == nil {
		before = &counts{}
	}
	if now == nil {
		now = &counts{}
	}
	var instructions, outcomes Delta
	instructions.add(before.passed() > 0, now.passed() > 0)
	if x.conditional && x.branches() {
		outcomes.add(before.executed > 0, now.executed > 0)
		outcomes.add(before.failed > 0, now.failed > 0)
	}
	c.Instructions.sum(instructions)
	c.Outcomes.sum(outcomes)
	d := instructions
	if c.OfOutcomes {
		d = outcomes
	}
	if d == (Delta{}) {
		return
	}
	n := g.of(p, x)
	if n == len(c.Rows) {
		c.Rows = append(c.Rows, ChangeRow{Name: g.names[n]})
	}
	c.Rows[n].sum(d)
}

// find returns the executions of an instruction, nil if there is no such.
func (m *Merged) find(core string, address schema.Address) *counts {
	if p := m.programs[core]; p != nil {
		if i := p.find(address); i != none {
			return &p.code[i].counts
		}
	}
	return nil
}

// compareLines compares lines; both programs have the same.
func (c *Change) compareLines(m, base *Merged) {
	eachChange(m.coveredLines(), base.coveredLines(), func(_ Name, d Delta) { c.Lines.sum(d) })
}

// coveredLines are the lines that are covered.
func (m *Merged) coveredLines() map[Name]bool {
	covered := map[Name]bool{}
	for _, f := range m.Lines() {
		for i := range f.Lines {
			if l := &f.Lines[i]; l.Code.Covered > 0 {
				covered[Name{File: f.Path, Line: l.Number}] = true
			}
		}
	}
	return covered
}

// eachChange calls a function with each name that is covered now or was before, but not both.
func eachChange(now, before map[Name]bool, do func(Name, Delta)) {
	for name := range now {
		if !before[name] {
			do(name, Delta{New: 1})
		}
	}
	for name := range before {
		if !now[name] {
			do(name, Delta{Lost: 1})
		}
	}
}

// compareFunctions compares functions by name and file.
func (c *Change) compareFunctions(m, base *Merged) {
	eachChange(m.coveredFunctions(), base.coveredFunctions(), func(name Name, d Delta) {
		if c.Functions.sum(d); !c.SameProgram {
			c.Rows = append(c.Rows, ChangeRow{name, d})
		}
	})
}

// coveredFunctions are the functions that are covered. Those of one name and file are one.
func (m *Merged) coveredFunctions() map[Name]bool {
	covered := map[Name]bool{}
	for p, x := range m.code() {
		if x.counted() && x.passed() > 0 {
			f := &p.functions[x.function]
			covered[Name{Core: p.core, Function: f.name, File: f.file}] = true
		}
	}
	return covered
}
