package report

import (
	"cmp"
	"slices"
	"strings"
)

// A SourceFile is what ran of a source file, for formats of other programs.
type SourceFile struct {
	Path      string // as the compiler names it, with slashes
	Lines     []SourceLine
	Functions []SourceFunction
	Branches  []SourceBranch
}

// A SourceLine is a line with code.
type SourceLine struct {
	Number     uint32
	Executions int64 // of that instruction of it which ran most often
}

// A SourceFunction is a function whose first instruction is of the file. Several may
// have one line and name: copies of one that the compiler did not inline.
type SourceFunction struct {
	Name       string
	Line       uint32 // of its first instruction
	Executions int64  // of that; at least 1 if any instruction of it is covered
}

// A SourceBranch is a conditional branch.
type SourceBranch struct {
	Line            uint32
	Ordinal         int // among those of the line, by address, from 0
	Reached         bool
	Taken, NotTaken int64
}

// Sources returns the source files of the program, by path: lines by number,
// functions by line and name, branches by line and ordinal. Excluded code is not in
// them.
func (m *Merged) Sources() []SourceFile {
	files := make([]SourceFile, len(m.places.files))
	for i, path := range m.places.files {
		files[i].Path = path
	}
	m.sourceLines(files)
	for _, core := range m.cores() {
		m.sourceFunctions(files, m.programs[core])
		m.sourceBranches(files, m.programs[core])
	}
	for i := range files {
		files[i].sort()
	}
	files = slices.DeleteFunc(files, func(f SourceFile) bool { return len(f.Lines) == 0 })
	slices.SortFunc(files, func(x, y SourceFile) int { return strings.Compare(x.Path, y.Path) })
	return files
}

func (m *Merged) sourceLines(files []SourceFile) {
	executions := make([]int64, len(m.places.lines))
	for i := range executions {
		executions[i] = none // no instruction counts
	}
	for _, p := range m.programs {
		for i := range p.code {
			if x := &p.code[i]; x.line != none && x.exclusion == none {
				executions[x.line] = max(executions[x.line], x.passed())
			}
		}
	}
	for i, n := range executions {
		if n != none {
			at := m.places.lines[i]
			files[at.file].Lines = append(files[at.file].Lines, SourceLine{at.number, n})
		}
	}
}

func (m *Merged) sourceFunctions(files []SourceFile, p *program) {
	covered := make([]bool, len(p.functions))
	for i := range p.code {
		if x := &p.code[i]; x.counted() && x.passed() > 0 {
			covered[x.function] = true
		}
	}
	for n := range p.functions {
		f := &p.functions[n]
		i := p.find(f.address)
		if i == none || p.code[i].line == none || p.code[i].exclusion != none {
			continue
		}
		at := m.places.lines[p.code[i].line]
		files[at.file].Functions = append(files[at.file].Functions,
			SourceFunction{f.name, at.number, max(p.code[i].passed(), one(covered[n]))})
	}
}

func (m *Merged) sourceBranches(files []SourceFile, p *program) {
	for i := range p.code {
		x := &p.code[i]
		if !x.conditional || !x.branches() || !x.counted() || x.line == none {
			continue
		}
		at := m.places.lines[x.line]
		files[at.file].Branches = append(files[at.file].Branches,
			SourceBranch{Line: at.number, Reached: x.reached() > 0, Taken: x.executed, NotTaken: x.failed})
	}
}

// sort puts everything in order, and counts the branches of each line, which are in
// the order of addresses.
func (f *SourceFile) sort() {
	slices.SortFunc(f.Lines, func(x, y SourceLine) int { return cmp.Compare(x.Number, y.Number) })
	slices.SortStableFunc(f.Functions, func(x, y SourceFunction) int {
		return cmp.Or(cmp.Compare(x.Line, y.Line), strings.Compare(x.Name, y.Name))
	})
	slices.SortStableFunc(f.Branches, func(x, y SourceBranch) int { return cmp.Compare(x.Line, y.Line) })
	for i := 1; i < len(f.Branches); i++ {
		if f.Branches[i].Line == f.Branches[i-1].Line {
			f.Branches[i].Ordinal = f.Branches[i-1].Ordinal + 1
		}
	}
}
