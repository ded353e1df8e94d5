package report

import (
	"fmt"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A Work is what was executed. Cycles are NULL where the trace does not count them.
type Work struct {
	Instructions int64
	Cycles       schema.Null[int64]
}

func (w *Work) add(x Work) {
	w.Instructions += x.Instructions
	w.Cycles = schema.Null[int64]{V: w.Cycles.V + x.Cycles.V, OK: w.Cycles.OK || x.Cycles.OK}
}

// A callTree has the nodes of `stacks` of a source.
type callTree struct {
	program *program // of its core; nil: none
	nodes   []stackNode
}

// A stackNode is a row of `stacks`. Its children have higher indexes.
type stackNode struct {
	parent    int32 // none: -1
	task      int32
	function  int32 // in the program; none: -1
	address   uint32
	entry     schema.StackEntry
	exception schema.Null[schema.ExceptionType]
	number    schema.Null[uint16]
	calls     int64
	own, all  Work
	firstNext [2]int32 // its first child, and the next child of its parent; none: -1
}

// readStacks returns the call tree of a source.
func (m *Merged) readStacks(d *dataset.Dataset, s *schema.SourceTotals) (*callTree, error) {
	t := &callTree{program: m.programs[s.Core]}
	if t.program == nil {
		t.program = m.programs[""]
	}
	return t, eachBatch(d, &schema.Stacks, s.Source, t.add)
}

// add adds rows, which have their numbers and those of their parents in order.
func (t *callTree) add(b *schema.Batch) error {
	parents, functions := &b.Columns[schema.StacksParent], &b.Columns[schema.StacksFunction]
	for row := range b.Rows() {
		n := stackNode{
			parent: none, task: int32(schema.StacksTask.At(b, row)), function: none,
			address: schema.StacksAddress.At(b, row), entry: schema.StackEntry(schema.StacksEntry.At(b, row)),
			calls: int64(schema.StacksCalls.At(b, row)),
			own:   workOf(b, row, schema.StacksInstructions, schema.StacksCycles), all: workOf(b, row, schema.StacksTotalInstructions, schema.StacksTotalCycles),
			firstNext: [2]int32{none, none},
		}
		n.exception, n.number = exceptionOf(b, row, schema.StacksException, schema.StacksNumber)
		if !parents.Null(row) {
			n.parent = int32(parents.U32[row])
		}
		if !functions.Null(row) {
			n.function = int32(functions.U32[row])
		}
		i := int32(len(t.nodes))
		switch {
		case int32(schema.StacksStack.At(b, row)) != i || n.parent >= i || n.parent < none:
			return fmt.Errorf("stack %d goes on from stack %d, where %d is the next", int32(schema.StacksStack.At(b, row)), n.parent, i)
		case n.function < none || n.function != none && (t.program == nil || int(n.function) >= len(t.program.functions)):
			return fmt.Errorf("stack %d is of function %d, which there is not", i, n.function)
		case !n.own.possible() || !n.all.possible() || n.calls < 0 || n.calls > maxExecutions/4:
			return fmt.Errorf("stack %d has counts that no trace can have", i)
		}
		if n.parent != none {
			p := &t.nodes[n.parent]
			n.firstNext[1], p.firstNext[0] = p.firstNext[0], i
		}
		t.nodes = append(t.nodes, n)
	}
	return nil
}

// exceptionOf returns type and number of an exception, which may be NULL.
func exceptionOf(b *schema.Batch, row int, kind schema.IndexU8, number schema.IndexU16) (schema.Null[schema.ExceptionType], schema.Null[uint16]) {
	kinds, numbers := &b.Columns[kind], &b.Columns[number]
	return schema.Null[schema.ExceptionType]{V: schema.ExceptionType(kinds.U8[row]), OK: !kinds.Null(row)},
		schema.Null[uint16]{V: numbers.U16[row], OK: !numbers.Null(row)}
}

// workOf returns what was executed according to two columns of a row.
func workOf(b *schema.Batch, row int, instructions, cycles schema.IndexU64) Work {
	return Work{
		Instructions: int64(instructions.At(b, row)),
		Cycles:       schema.Null[int64]{V: int64(cycles.At(b, row)), OK: !b.Columns[cycles].Null(row)},
	}
}

func (w Work) possible() bool {
	return w.Instructions >= 0 && w.Instructions <= maxExecutions/4 && w.Cycles.V >= 0 && w.Cycles.V <= maxExecutions/4
}

// inclusive calls a function with what each function of the tree took with all that it
// called; where it called itself, again, only the outer call counts.
func (t *callTree) inclusive(do func(function int32, all Work)) {
	open := map[int32]int{} // how often a function is on the path
	for i := range t.nodes {
		if t.nodes[i].parent == none {
			t.walk(int32(i), open, do)
		}
	}
}

// walk goes through the nodes below a root and it.
func (t *callTree) walk(root int32, open map[int32]int, do func(int32, Work)) {
	for at, down := root, true; ; {
		n := &t.nodes[at]
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
			at, down = n.parent, false
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
		t, err := m.readStacks(d, &d.Manifest.Sources[i])
		if err != nil {
			return err
		}
		t.inclusive(func(function int32, all Work) {
			key := groupKey{t.program.core, int64(function)}
			sum := m.inclusive[key]
			sum.add(all)
			m.inclusive[key] = sum
		})
	}
	return nil
}
