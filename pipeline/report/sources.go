package report

import (
	"cmp"
	"slices"
	"strings"
)

// Sources are the source files of the program, and what of it they do not have.
type Sources struct {
	Files     []SourceFile // by path
	Functions int64        // of the program, as in [Coverage]
	Copies    int64        // of those: what is in Files as one with another
	Lineless  int64        // of those: in no file, as there is no line of them
	Branches  int64        // conditional ones that have no line
}

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

// A SourceFunction is a function, with all copies of it: those that are declared at one line
// under one linkage name, as a function of a header is that the compiler did not inline.
type SourceFunction struct {
	Name       string // its linkage name where others of the file have its name
	Line       uint32 // the first that it has code of, from its declaration on
	Executions int64  // of first instructions; at least 1 for each copy of which an instruction is covered

	linkage string
}

// A SourceBranch is a conditional branch.
type SourceBranch struct {
	Line            uint32
	Ordinal         int // among those of the line, by address, from 0
	Reached         bool
	Taken, NotTaken int64
}

// Sources returns the source files of the program: lines by number, functions by line and name,
// branches by line and ordinal. Excluded code is not in them.
func (m *Merged) Sources() *Sources {
	s := &Sources{Files: make([]SourceFile, len(m.places.files))}
	for i, path := range m.places.files {
		s.Files[i].Path = path
	}
	m.sourceLines(s.Files)
	for _, core := range m.cores() {
		m.sourceBranches(s, m.programs[core])
	}
	m.sourceFunctions(s)
	for i := range s.Files {
		s.Files[i].sort()
	}
	s.Files = slices.DeleteFunc(s.Files, func(f SourceFile) bool { return len(f.Lines)+len(f.Functions) == 0 })
	slices.SortFunc(s.Files, func(x, y SourceFile) int { return strings.Compare(x.Path, y.Path) })
	return s
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

func (m *Merged) sourceBranches(s *Sources, p *program) {
	for i := range p.code {
		x := &p.code[i]
		if !x.conditional || !x.branches() || !x.counted() {
			continue
		}
		if x.line == none {
			s.Branches++
			continue
		}
		at := m.places.lines[x.line]
		s.Files[at.file].Branches = append(s.Files[at.file].Branches,
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
