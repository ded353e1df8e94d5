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
	for _, core := range m.cores() {
		p := m.programs[core]
		for i := range p.code {
			if x := &p.code[i]; x.exclusion == none && (x.function != none || !m.named) {
				c.compare(g, p, x, base.find(core, x.address), &x.counts)
			}
		}
	}
	for _, core := range base.cores() { // without a program file, what only the baseline executed
		p := base.programs[core]
		for i := range p.code {
			if x := &p.code[i]; !base.named && m.find(core, x.address) == nil {
				c.compare(g, p, x, &x.counts, nil)
			}
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
	covered := func(m *Merged) map[Name]bool {
		lines := map[Name]bool{}
		for i, t := range m.lineTallies() {
			at := m.places.lines[i]
			lines[Name{File: m.places.files[at.file], Line: at.number}] = t.Covered > 0
		}
		return lines
	}
	before := covered(base)
	for name, now := range covered(m) {
		c.Lines.add(before[name], now)
	}
}

// compareFunctions compares functions by name and file.
func (c *Change) compareFunctions(m, base *Merged) {
	now, before := m.coveredFunctions(), base.coveredFunctions()
	for name := range before {
		if _, ok := now[name]; !ok {
			now[name] = false
		}
	}
	for name, covered := range now {
		var d Delta
		d.add(before[name], covered)
		c.Functions.sum(d)
		if !c.SameProgram && d != (Delta{}) {
			c.Rows = append(c.Rows, ChangeRow{name, d})
		}
	}
}

// coveredFunctions says which functions are covered. Those of one name and file are
// one.
func (m *Merged) coveredFunctions() map[Name]bool {
	covered := map[Name]bool{}
	for core, p := range m.programs {
		for i := range p.code {
			if x := &p.code[i]; x.counted() {
				f := &p.functions[x.function]
				name := Name{Core: core, Function: f.name, File: f.file}
				covered[name] = covered[name] || x.passed() > 0
			}
		}
	}
	return covered
}
