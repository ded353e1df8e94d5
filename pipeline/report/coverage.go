package report

import (
	"cmp"
	"slices"
)

// Coverage is how much of the program ran.
type Coverage struct {
	Named        bool // else rows are instructions: there is no program file, or it has no functions
	Instructions Tally
	Functions    Figure // by address: several may have one name
	Full         int64  // functions whose every instruction is covered
	Lines, Files Figure
	Branches     BranchFigures
	Predicated   Predicated
	Padding      int64 // instructions of the program that are in no function
	PaddingRun   int64 // of those: executed
	Rows         []CoverageRow
}

// BranchFigures count conditional branches. Each has two outcomes.
type BranchFigures struct {
	All, Reached          int64
	Taken, NotTaken, Both int64 // seen to do so
	Unknown               int64 // reached, but with no known outcome
}

// Outcomes are those seen, of two for each branch.
func (b *BranchFigures) Outcomes() Figure { return Figure{b.Taken + b.NotTaken, 2 * b.All} }

// Predicated counts instructions that are conditional, but no branches. Of those
// reached, one may be seen to pass and to fail, and may be unknown at times.
type Predicated struct{ All, Reached, Passed, Failed, Unknown int64 }

// Coverage returns how much of the program ran, and rows of it.
func (m *Merged) Coverage(by By) *Coverage {
	c := &Coverage{Named: m.named}
	rows := &coverageRows{groups: newGroups(m, by), lines: map[rowLine]bool{}, called: map[rowFunction]bool{}}
	for _, core := range m.cores() {
		p := m.programs[core]
		functions := make([]Tally, len(p.functions))
		for i := range p.code {
			x := &p.code[i]
			if x.exclusion != none {
				continue
			}
			c.add(x)
			rows.add(p, x)
			if x.function != none {
				functions[x.function].add(x)
			}
		}
		c.addFunctions(functions)
	}
	c.addLines(m)
	c.Rows = rows.sorted()
	if !m.named {
		c.Padding, c.PaddingRun = 0, 0
		c.Instructions.Covered, c.Instructions.Reached = m.executed()
	}
	return c
}

// add adds an instruction to the totals.
func (c *Coverage) add(x *instruction) {
	if x.function == none {
		c.Padding++
		if x.reached() > 0 {
			c.PaddingRun++
		}
		return
	}
	c.Instructions.add(x)
	switch {
	case !x.conditional:
	case x.branches():
		c.Branches.add(x)
	default:
		c.Predicated.add(x)
	}
}

func (b *BranchFigures) add(x *instruction) {
	b.All++
	b.Reached += one(x.reached() > 0)
	b.Taken += one(x.executed > 0)
	b.NotTaken += one(x.failed > 0)
	b.Both += one(x.executed > 0 && x.failed > 0)
	b.Unknown += one(x.unknown > 0 && x.executed == 0 && x.failed == 0)
}

func (p *Predicated) add(x *instruction) {
	p.All++
	p.Reached += one(x.reached() > 0)
	p.Passed += one(x.executed > 0)
	p.Failed += one(x.failed > 0)
	p.Unknown += one(x.unknown > 0)
}

// addFunctions adds the functions of a program. One without an instruction that
// counts is none.
func (c *Coverage) addFunctions(functions []Tally) {
	for _, t := range functions {
		c.Functions.Of += one(t.Of > 0)
		c.Functions.Covered += one(t.Covered > 0)
		c.Full += one(t.Of > 0 && t.Covered == t.Of)
	}
}

// addLines adds lines and files. A line is covered if an instruction of it is.
func (c *Coverage) addLines(m *Merged) {
	for _, f := range m.Lines() {
		covered := int64(0)
		for i := range f.Lines {
			covered += one(f.Lines[i].Code.Covered > 0)
		}
		c.Lines.Of += int64(len(f.Lines))
		c.Lines.Covered += covered
		c.Files.Of++
		c.Files.Covered += one(covered > 0)
	}
}

// executed counts the addresses that ran, where nothing names them.
func (m *Merged) executed() (covered, reached int64) {
	var t Tally
	for _, x := range m.code() {
		t.add(x)
	}
	return t.Covered, t.Reached
}

// A CoverageRow is the coverage of a function, a file or a line; without a program
// file of an instruction.
type CoverageRow struct {
	Name
	Instructions Tally
	Lines        Figure
	Outcomes     Figure // of conditional branches
	Both         int64  // conditional branches seen to go both ways
	Executions   int64  // of that instruction which ran most often
	NeverCalled  int64  // functions of which nothing was reached
	OneWay       int64  // conditional branches that went one way only
	First        OneWay // the first of these by address
}

// A OneWay is a conditional branch that went one way only.
type OneWay struct {
	Line  uint32 // 0: it has none
	Taken bool   // always; else never
}

// Missed is how many instructions did not run.
func (r *CoverageRow) Missed() int64 { return r.Instructions.Of - r.Instructions.Covered }

// coverageRows makes rows of coverage.
type coverageRows struct {
	groups *groups
	list   []CoverageRow
	lines  map[rowLine]bool // whether it is covered
	called map[rowFunction]bool
}

// A rowFunction is a function in a row.
type rowFunction struct {
	row      int
	p        *program
	function int32
}

// A rowLine is a line in a row.
type rowLine struct {
	row  int
	line int32
}

// add adds an instruction to its row. What is in no function counts only where
// nothing has names.
func (r *coverageRows) add(p *program, x *instruction) {
	named := r.groups.m.named
	if x.function == none && named || !named && x.reached() == 0 {
		return
	}
	n := r.groups.of(p, x)
	if n == len(r.list) {
		r.list = append(r.list, CoverageRow{Name: r.groups.names[n]})
	}
	row := &r.list[n]
	row.Instructions.add(x)
	row.Executions = max(row.Executions, x.passed())
	if x.conditional && x.branches() {
		row.Outcomes.Of += 2
		row.Outcomes.Covered += one(x.executed > 0) + one(x.failed > 0)
		row.Both += one(x.executed > 0 && x.failed > 0)
		if x.unknown == 0 && (x.executed > 0) != (x.failed > 0) {
			if row.OneWay++; row.OneWay == 1 {
				_, line := r.groups.m.lineOf(x)
				row.First = OneWay{line, x.executed > 0}
			}
		}
	}
	if x.function != none {
		at := rowFunction{n, p, x.function}
		r.called[at] = r.called[at] || x.reached() > 0
	}
	if x.line != none {
		at := rowLine{n, x.line}
		covered, known := r.lines[at]
		row.Lines.Of += one(!known)
		row.Lines.Covered += one(!covered && x.passed() > 0)
		r.lines[at] = covered || x.passed() > 0
	}
}

// sorted returns the rows: most missed first, lines as someone would look at them.
func (r *coverageRows) sorted() []CoverageRow {
	for at, called := range r.called {
		r.list[at.row].NeverCalled += one(!called)
	}
	slices.SortFunc(r.list, func(x, y CoverageRow) int {
		return cmp.Or(cmp.Compare(y.Missed(), x.Missed()), cmp.Compare(y.Instructions.Covered, x.Instructions.Covered), cmp.Compare(y.Executions, x.Executions),
			cmp.Compare(y.Instructions.Of, x.Instructions.Of), x.Compare(&y.Name))
	})
	if r.groups.by == ByLine && r.groups.m.named {
		r.sortLines()
	}
	return r.list
}

// sortLines sorts lines by file and number, in three parts: first what somebody who
// wants to cover more would look at, lines covered in part or not at all, in files of
// which something ran; then those that are covered; then files of which nothing ran.
func (r *coverageRows) sortLines() {
	ran := map[string]bool{}
	for i := range r.list {
		ran[r.list[i].File] = ran[r.list[i].File] || r.list[i].Executions > 0
	}
	part := func(x *CoverageRow) int {
		switch {
		case !ran[x.File]:
			return 2
		case x.Instructions.Covered == x.Instructions.Of:
			return 1
		}
		return 0
	}
	slices.SortFunc(r.list, func(x, y CoverageRow) int {
		return cmp.Or(cmp.Compare(part(&x), part(&y)), x.Compare(&y.Name))
	})
}
