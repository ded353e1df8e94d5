package report

import (
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
	s := &Sources{}
	for _, f := range m.Lines() {
		s.Files = append(s.Files, sourceFile(&f))
	}
	for _, x := range m.code() {
		s.Branches += one(x.conditional && x.branches() && x.counted() && x.line == none)
	}
	m.sourceFunctions(s)
	slices.SortFunc(s.Files, func(x, y SourceFile) int { return strings.Compare(x.Path, y.Path) })
	return s
}

// sourceFile returns the lines and the branches of a file.
func sourceFile(c *LineCounts) SourceFile {
	f := SourceFile{Path: c.Path}
	for i := range c.Lines {
		l := &c.Lines[i]
		f.Lines = append(f.Lines, SourceLine{l.Number, l.Executions})
		for n, b := range l.Branches {
			reached := b.Taken+b.NotTaken+b.Unknown > 0
			f.Branches = append(f.Branches, SourceBranch{l.Number, n, reached, b.Taken, b.NotTaken})
		}
	}
	return f
}
