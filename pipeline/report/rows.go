package report

import (
	"cmp"
	"strings"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
)

// By is what a row stands for.
type By uint8

// What rows stand for.
const (
	ByFunction By = iota
	ByFile
	ByLine
)

func (b By) String() string { return [...]string{"function", "file", "line"}[b] }

// A Name says what a row stands for. What it does not have is empty; a row of
// instructions without a line, in a table by file or line, has an empty File.
type Name struct {
	Core     string
	Function string
	Address  schema.Address // of the function or, where nothing has names, of the instruction
	File     string
	Line     uint32
}

// Compare orders names: by file and line, then function and address. What has no file
// is last.
func (n *Name) Compare(o *Name) int {
	return cmp.Or(cmp.Compare(one(n.File == ""), one(o.File == "")),
		strings.Compare(n.File, o.File), cmp.Compare(n.Line, o.Line),
		strings.Compare(n.Function, o.Function), strings.Compare(n.Core, o.Core), cmp.Compare(n.Address, o.Address))
}

// groups says which instructions are in one row.
type groups struct {
	m     *Merged
	by    By
	index read.Index[groupKey]
	names []Name // of the rows
}

// A groupKey is what the instructions of a row have in common.
type groupKey struct {
	core string
	id   int64 // function, file, line or address
}

func newGroups(m *Merged, by By) *groups { return &groups{m: m, by: by, index: read.Index[groupKey]{}} }

// of returns the row that an instruction is in; at first sight it is the next one.
func (g *groups) of(p *program, x *instruction) int {
	n, isNew := g.index.Of(g.key(p, x))
	if isNew {
		g.names = append(g.names, g.name(p, x))
	}
	return n
}

func (g *groups) key(p *program, x *instruction) groupKey {
	switch {
	case !g.m.named:
		return groupKey{p.core, int64(x.address)}
	case g.by == ByFunction:
		return groupKey{p.core, int64(x.function)}
	case x.line == none:
		return groupKey{id: none}
	case g.by == ByFile:
		return groupKey{id: int64(g.m.places.lines[x.line].file)}
	}
	return groupKey{id: int64(x.line)}
}

func (g *groups) name(p *program, x *instruction) Name {
	switch {
	case !g.m.named:
		return Name{Core: p.core, Address: x.address}
	case g.by == ByFunction && x.function == none:
		return Name{Core: p.core}
	case g.by == ByFunction:
		return p.nameOf(&p.functions[x.function])
	}
	file, line := g.m.lineOf(x)
	if g.by == ByFile {
		line = 0
	}
	return Name{File: file, Line: line}
}

// nameOf returns the name of a function of p.
func (p *program) nameOf(f *function) Name {
	return Name{Core: p.core, Function: f.name, Address: f.address, File: f.file, Line: f.line}
}
