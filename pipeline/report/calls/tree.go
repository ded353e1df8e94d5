package calls

import (
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A Tree is the call tree of a source, with names.
type Tree struct {
	*stacks.Tree
	Functions []report.Function // of its core, by ordinal

	core string
}

// ReadTree reads the call tree of a source of a dataset of m. It fails with a [*dataset.Error] if
// rows contradict one another, or the program.
func ReadTree(m *report.Merged, d *dataset.Dataset, s *schema.SourceTotals) (*Tree, error) {
	functions := m.FunctionsOf(s.Core)
	t, err := stacks.Read(d, s.Source, len(functions))
	return &Tree{t, functions, s.Core}, err
}

// Name returns the name of a node: its function, or the address.
func (t *Tree) Name(node int32) report.Name { return t.nameOf(&t.Nodes[node]) }

func (t *Tree) nameOf(n *stacks.Node) report.Name {
	if n.Function < 0 {
		return report.Name{Core: t.core, Address: n.Address}
	}
	f := &t.Functions[n.Function]
	return report.Name{Core: f.Core, Function: f.Name, Address: f.Address, File: f.File, Line: f.Line}
}

// Frame returns what a node is of.
func (t *Tree) Frame(node int32) Frame {
	n := &t.Nodes[node]
	switch {
	case n.IsEntryNotSeen():
		return Frame{Exception: "[" + schema.EntryNotSeen + "]"}
	case n.Entry == schema.StackException:
		return ExceptionFrame(n.Exception)
	case n.Entry == schema.StackOther:
		return Frame{Other: true}
	}
	f := Frame{Name: t.Name(node)}
	if n.Function >= 0 {
		f.Linkage = t.Functions[n.Function].Linkage
	}
	return f
}
