// Package stacks reads which tasks ran, and the call tree of each. It knows no names of functions.
//
// Its API is not stable (docs/guide/library.md).
package stacks

import (
	"fmt"
	"iter"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// none is the ordinal of a node or function where there is none.
const none = -1

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

// In returns the cycles or, else, the instructions.
func (w Work) In(cycles bool) int64 {
	if cycles {
		return w.Cycles.V
	}
	return w.Instructions
}

// A Tree has the rows of `stacks` of a source.
type Tree struct {
	Nodes []Node

	functions int // of the program
}

// A Node is a path of frames. Its children have higher indexes.
type Node struct {
	Parent int32 // in Nodes; of a root -1
	Task   int32 // as the row has it
	Entry  schema.StackEntry
	Calls  int64 // how often it was entered
	Own    Work
	All    Work // with all that it called

	// How long calls took that returned: in cycles if the source counts them, else in instructions. NULL if none did.
	Shortest, Longest, LongestSeq schema.Null[int64]
	NotEnded                      int64 // entries whose end, or whose beginning, was not seen

	Function  int32 // in the program; none: -1
	Address   schema.Address
	Exception read.Exception
	firstNext [2]int32 // its first child, and the next child of its parent; none: -1
}

// Read reads the call tree of a source, whose program has so many functions. It fails with a
// [*dataset.Error] if rows contradict one another, or the program.
func Read(d *dataset.Dataset, source uint8, functions int) (*Tree, error) {
	t := &Tree{functions: functions}
	return t, read.EachBatch(d, &schema.Stacks, source, t.add)
}

// add adds rows, which have their numbers and those of their parents in order.
func (t *Tree) add(b *schema.Batch) error {
	for row := range b.Rows() {
		n := Node{
			Parent: read.Ordinal(b, row, schema.StacksParent), Task: int32(schema.StacksTask.At(b, row)),
			Function: read.Ordinal(b, row, schema.StacksFunction),
			Address:  schema.StacksAddress.At(b, row), Entry: schema.StackEntry(schema.StacksEntry.At(b, row)),
			Calls:    int64(schema.StacksCalls.At(b, row)),
			Own:      WorkAt(b, row, schema.StacksInstructions, schema.StacksCycles),
			All:      WorkAt(b, row, schema.StacksTotalInstructions, schema.StacksTotalCycles),
			Shortest: read.Null(b, row, schema.StacksShortest),
			Longest:  read.Null(b, row, schema.StacksLongest), LongestSeq: read.Null(b, row, schema.StacksLongestSeq),
			NotEnded:  int64(schema.StacksNotEnded.At(b, row)),
			Exception: read.ExceptionAt(b, row, schema.StacksException, schema.StacksNumber),
			firstNext: [2]int32{none, none},
		}
		i := int32(len(t.Nodes))
		switch {
		case int32(schema.StacksStack.At(b, row)) != i || n.Parent >= i || n.Parent < none:
			return fmt.Errorf("stack %d goes on from stack %d, where %d is the next", int32(schema.StacksStack.At(b, row)),
				n.Parent, i)
		case n.Function < none || n.Function != none && int(n.Function) >= t.functions:
			return fmt.Errorf("stack %d is of function %d, which there is not", i, n.Function)
		case !n.Own.Possible() || !n.All.Possible() || n.Calls < 0 || n.Calls > read.MaxCount/4 ||
			n.NotEnded < 0 || n.NotEnded > n.Calls || n.Shortest.V < 0 || n.Longest.V < n.Shortest.V:
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
	return Work{Instructions: int64(instructions.At(b, row)), Cycles: read.Null(b, row, cycles)}
}

// Possible says whether a trace can have it.
func (w Work) Possible() bool {
	return w.Instructions >= 0 && w.Instructions <= read.MaxCount/4 && w.Cycles.V >= 0 && w.Cycles.V <= read.MaxCount/4
}

// Children are the nodes that continue one.
func (t *Tree) Children(n int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for c := t.Nodes[n].firstNext[0]; c != none && yield(c); c = t.Nodes[c].firstNext[1] {
		}
	}
}

// IsCall says whether the function was called, by a tail call or another one.
func (n *Node) IsCall() bool { return n.Entry == schema.StackCall || n.Entry == schema.StackTail }

// IsEntryNotSeen says whether it is an exception of which only the return was seen.
func (n *Node) IsEntryNotSeen() bool {
	return n.Parent == none && n.Entry == schema.StackException && !n.Exception.Type.OK && !n.Exception.Number.OK
}
