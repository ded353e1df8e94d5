package report

import (
	"fmt"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A Work is what was executed. Cycles are NULL where the trace does not count them.
type Work struct {
	Instructions int64
	Cycles       schema.Null[int64]
}

// Add adds what was executed besides.
func (w *Work) Add(x Work) {
	w.Instructions += x.Instructions
	w.Cycles = schema.Null[int64]{V: w.Cycles.V + x.Cycles.V, OK: w.Cycles.OK || x.Cycles.OK}
}

// A CallTree has the rows of `stacks` of a source.
type CallTree struct {
	Nodes []CallNode

	core    string   // of the source
	program *program // of its core; nil: none
}

// A CallNode is a path of frames. Its children have higher indexes.
type CallNode struct {
	Parent int32 // in Nodes; of a root -1
	Task   int32 // as the row has it
	Entry  schema.StackEntry
	Calls  int64 // how often it was entered
	Own    Work
	all    Work // with all that it called

	function  int32 // in the program; none: -1
	address   uint32
	exception read.Exception
	firstNext [2]int32 // its first child, and the next child of its parent; none: -1
}

// CallTree reads the call tree of a source of a dataset of m. It fails with a [*dataset.Error] if
// rows contradict one another, or the program.
func (m *Merged) CallTree(d *dataset.Dataset, s *schema.SourceTotals) (*CallTree, error) {
	t := &CallTree{core: s.Core, program: m.programs[s.Core]}
	if t.program == nil {
		t.program = m.programs[""]
	}
	return t, read.EachBatch(d, &schema.Stacks, s.Source, t.add)
}

// add adds rows, which have their numbers and those of their parents in order.
func (t *CallTree) add(b *schema.Batch) error {
	parents, functions := &b.Columns[schema.StacksParent], &b.Columns[schema.StacksFunction]
	for row := range b.Rows() {
		n := CallNode{
			Parent: none, Task: int32(schema.StacksTask.At(b, row)), function: none,
			address: schema.StacksAddress.At(b, row), Entry: schema.StackEntry(schema.StacksEntry.At(b, row)),
			Calls:     int64(schema.StacksCalls.At(b, row)),
			Own:       WorkAt(b, row, schema.StacksInstructions, schema.StacksCycles),
			all:       WorkAt(b, row, schema.StacksTotalInstructions, schema.StacksTotalCycles),
			exception: read.ExceptionAt(b, row, schema.StacksException, schema.StacksNumber),
			firstNext: [2]int32{none, none},
		}
		if !parents.Null(row) {
			n.Parent = int32(parents.U32[row])
		}
		if !functions.Null(row) {
			n.function = int32(functions.U32[row])
		}
		i := int32(len(t.Nodes))
		switch {
		case int32(schema.StacksStack.At(b, row)) != i || n.Parent >= i || n.Parent < none:
			return fmt.Errorf("stack %d goes on from stack %d, where %d is the next", int32(schema.StacksStack.At(b, row)),
				n.Parent, i)
		case n.function < none || n.function != none && (t.program == nil || int(n.function) >= len(t.program.functions)):
			return fmt.Errorf("stack %d is of function %d, which there is not", i, n.function)
		case !n.Own.Possible() || !n.all.Possible() || n.Calls < 0 || n.Calls > read.MaxCount/4:
			return fmt.Errorf("stack %d has counts that no trace can have", i)
		}
		if n.Parent != none {
			p := &t.Nodes[n.Parent]
			n.firstNext[1], p.firstNext[0] = p.firstNext[0], i
		}
		t.Nodes = append(t.Nodes, n)
	}
	return nil
}

// WorkAt returns what was executed according to two columns of a row.
func WorkAt(b *schema.Batch, row int, instructions, cycles schema.IndexU64) Work {
	return Work{
		Instructions: int64(instructions.At(b, row)),
		Cycles:       schema.Null[int64]{V: int64(cycles.At(b, row)), OK: !b.Columns[cycles].Null(row)},
	}
}

// Possible says whether a trace can have it.
func (w Work) Possible() bool {
	return w.Instructions >= 0 && w.Instructions <= read.MaxCount/4 && w.Cycles.V >= 0 && w.Cycles.V <= read.MaxCount/4
}

// inclusive calls a function with what each function of the tree took with all that it
// called; where it called itself, again, only the outer call counts.
func (t *CallTree) inclusive(do func(function int32, all Work)) {
	open := map[int32]int{} // how often a function is on the path
	for i := range t.Nodes {
		if t.Nodes[i].Parent == none {
			t.walk(int32(i), open, do)
		}
	}
}

// walk goes through the nodes below a root and it.
func (t *CallTree) walk(root int32, open map[int32]int, do func(int32, Work)) {
	for at, down := root, true; ; {
		n := &t.Nodes[at]
		if down {
			if open[n.function]++; n.function != none && open[n.function] == 1 {
				do(n.function, n.all)
			}
			if n.firstNext[0] != none {
				at = n.firstNext[0]
				continue
			}
		}
		open[n.function]--
		switch {
		case at == root:
			return
		case n.firstNext[1] != none:
			at, down = n.firstNext[1], true
		default:
			at, down = n.Parent, false
		}
	}
}

// addInclusive adds what functions took in a dataset with what they called.
func (m *Merged) addInclusive(d *dataset.Dataset) error {
	m.stacked = m.stacked && d.Rows(&schema.Stacks) > 0
	if !m.stacked {
		return nil
	}
	for i := range d.Manifest.Sources {
		t, err := m.CallTree(d, &d.Manifest.Sources[i])
		if err != nil {
			return err
		}
		t.inclusive(func(function int32, all Work) {
			key := groupKey{t.program.core, int64(function)}
			sum := m.inclusive[key]
			sum.Add(all)
			m.inclusive[key] = sum
		})
	}
	return nil
}
