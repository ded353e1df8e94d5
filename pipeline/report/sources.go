package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
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

// A sourcePlace is a line of a source file, which need not have code.
type sourcePlace struct {
	path string
	line uint32 // 0: none
}

// A sourceCode is a function with those instructions of it that count.
type sourceCode struct {
	*function
	any, covered bool
	entries      int64       // executions of its first instruction
	first        sourcePlace // line of the first instruction that has one
	top          sourcePlace // the first line, from its declaration on, in the file of that
}

// sourceCode returns the functions of a program, by address.
func (m *Merged) sourceCode(p *program) []sourceCode {
	all := make([]sourceCode, len(p.functions))
	for i := range all {
		all[i].function = &p.functions[i]
	}
	for i := range p.code {
		if x := &p.code[i]; x.counted() {
			all[x.function].add(m, x)
		}
	}
	return all
}

// add adds an instruction, in the order of addresses.
func (f *sourceCode) add(m *Merged, x *instruction) {
	f.any, f.covered = true, f.covered || x.passed() > 0
	if x.address == f.address {
		f.entries = x.passed()
	}
	if x.line == none {
		return
	}
	file, line := m.lineOf(x)
	at := sourcePlace{file, line}
	f.first = cmp.Or(f.first, at)
	if at.path == f.file && at.line >= f.line && (f.top.line == 0 || at.line < f.top.line) {
		f.top = at
	}
}

// places returns where the function is declared or, where that is not known, its first line; and
// the line to show, which has code, if any line of it has. It is of another file where a header
// declares what a library defines.
func (f *sourceCode) places() (declared, shown sourcePlace) {
	if f.file != "" && f.line > 0 {
		declared = sourcePlace{f.file, f.line}
	}
	declared = cmp.Or(declared, f.first)
	return declared, cmp.Or(f.top, f.first, declared)
}

// A sourceFunctions puts functions in their files.
type sourceFunctions struct {
	*Sources
	files read.Index[string] // by path
	at    map[declaration]*SourceFunction
	order map[int][]*SourceFunction // by file
}

// A declaration says which functions are copies of one.
type declaration struct {
	sourcePlace
	linkage string
}

// sourceFunctions adds the functions of all programs.
func (m *Merged) sourceFunctions(s *Sources) {
	w := sourceFunctions{s, read.Index[string]{}, map[declaration]*SourceFunction{}, map[int][]*SourceFunction{}}
	for i := range s.Files {
		w.files.Of(s.Files[i].Path)
	}
	for _, core := range m.cores() {
		for _, f := range m.sourceCode(m.programs[core]) {
			if f.any {
				w.add(&f)
			}
		}
	}
	for i, list := range w.order {
		s.Files[i].Functions = distinct(list)
	}
}

// add adds a function, or what ran of a copy.
func (w *sourceFunctions) add(f *sourceCode) {
	w.Functions++
	declared, shown := f.places()
	if declared.line == 0 {
		w.Lineless++
		return
	}
	key := declaration{declared, f.linkage}
	x := w.at[key]
	if x != nil {
		w.Copies++
	} else {
		x = &SourceFunction{Name: f.name, Line: shown.line, linkage: f.linkage}
		w.at[key] = x
		file := w.file(shown.path)
		w.order[file] = append(w.order[file], x)
	}
	x.Executions += max(f.entries, one(f.covered))
}

// file returns the index of a file, which it adds if need be.
func (w *sourceFunctions) file(path string) int {
	i, isNew := w.files.Of(path)
	if isNew {
		w.Files = append(w.Files, SourceFile{Path: path})
	}
	return i
}

// distinct returns the functions of a file, in order. Those of one name, as instances of a template may be,
// get their linkage names: other programs know functions by name.
func distinct(list []*SourceFunction) []SourceFunction {
	named := map[string]int{}
	for _, x := range list {
		named[x.Name]++
	}
	all := make([]SourceFunction, len(list))
	for i, x := range list {
		all[i] = *x
		if named[x.Name] > 1 {
			all[i].Name = cmp.Or(x.linkage, x.Name)
		}
	}
	slices.SortStableFunc(all, func(x, y SourceFunction) int {
		return cmp.Or(cmp.Compare(x.Line, y.Line), strings.Compare(x.Name, y.Name))
	})
	return all
}
