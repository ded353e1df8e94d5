package stacks

import (
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// A Stack is a row of `stacks`: a node of the call tree of a task.
type Stack struct {
	Stack     int32              // index of the row
	Parent    schema.Null[int32] // index of the row; NULL for a root
	Task      int32
	Depth     int32
	Function  schema.Null[int32]
	Address   uint32
	Entry     schema.StackEntry
	Exception schema.Null[schema.ExceptionType]
	Number    schema.Null[uint16]
	Calls     int64
	Own       Work
	Total     Work // with all that it called, exceptions too
}

// A Work is what was executed: instructions, and cycles if the source counts them.
type Work struct {
	Instructions int64
	Cycles       schema.Null[int64]
}

// A Task is a row of `tasks`.
type Task struct {
	Task      int32 // index of the row
	Name      string
	ContextID schema.Null[uint32]
	FirstSeq  int64
	Switches  int64 // how often control came to it from another
	Ambiguous int64 // how often that could have been another, too
	Origin    schema.TaskOrigin
	Drift     int64
	Executed  Work

	function int32  // that of its first instruction
	entered  uint32 // address of that
}

// A Call is a row of `calls`.
type Call struct {
	Call     int64 // ordinal of the row
	Stack    int32
	Task     int32
	Seq      int64
	EndSeq   schema.Null[int64]
	Epoch    int32
	Cycle    schema.Null[int64]
	EndCycle schema.Null[int64]
	All, Own Work // of the stack, without exceptions
	End      schema.CallEnd

	all, own work
}

// A Span is a row of `exception_spans`.
type Span struct {
	schema.Keys        // of the entry
	Span         int64 // ordinal of the row
	Ordinal      int64 // of the entry
	Task         int32
	EndSeq       schema.Null[int64]
	End          schema.CallEnd
	Instructions schema.Null[int64]
	Cycles       schema.Null[int64]
	Ticks        schema.Null[int64]
}

// call returns the row of a call that ends at a position.
func (b *begin) call(at *position, all work, why schema.CallEnd) Call {
	return Call{
		Stack: b.entered, Seq: b.at.seq, EndSeq: schema.Null[int64]{V: at.seq, OK: why != schema.CallOpen}, Epoch: b.at.epoch,
		Cycle:    schema.Null[int64]{V: b.at.cycle, OK: b.at.timed},
		EndCycle: schema.Null[int64]{V: at.cycle, OK: at.timed && at.epoch == b.at.epoch},
		End:      why, all: all, own: all.less(b.inner),
	}
}

// span returns the row of an exception that ends at a position, after a timestamp.
func (b *begin) span(at *position, timestamp schema.Null[uint64], why schema.CallEnd) Span {
	e := b.entry
	x := Span{
		Keys: e.Keys, Ordinal: e.ordinal, End: why, EndSeq: schema.Null[int64]{V: at.seq, OK: why != schema.CallOpen},
		Instructions: schema.Null[int64]{V: at.seq - b.at.seq, OK: why != schema.CallOpen},
	}
	if at.timed && b.at.timed && at.epoch == b.at.epoch {
		x.Cycles = schema.Of(at.cycle - b.at.cycle)
	}
	if e.timestamp.OK && timestamp.OK && timestamp.V >= e.timestamp.V {
		x.Ticks = schema.Of(int64(timestamp.V - e.timestamp.V))
	}
	return x
}

// rows returns the rows of `stacks` and `tasks`.
func (t *tasks) rows(as func(work) Work) ([]Stack, []Task) {
	nodes := t.tree.nodes
	total := make([]work, len(nodes))
	task := make([]int32, len(nodes))
	executed := make([]work, len(t.list))
	for i := range nodes {
		n := &nodes[i]
		total[i] = n.own
		if n.parent < 0 {
			task[i] = taskOf(n.parent)
		} else {
			task[i] = task[n.parent]
		}
		executed[task[i]].add(n.own)
	}
	for i := range slices.Backward(nodes) {
		if p := nodes[i].parent; p >= 0 {
			total[p].add(total[i])
		}
	}
	stacks := make([]Stack, len(nodes))
	for i := range nodes {
		n := &nodes[i]
		kind, number := exceptionOf(n.exception)
		stacks[i] = Stack{
			Stack:  int32(i),
			Parent: schema.Null[int32]{V: max(n.parent, 0), OK: n.parent >= 0}, Task: task[i], Depth: n.depth,
			Function: schema.Null[int32]{V: max(n.function, 0), OK: n.function != none}, Address: n.address, Entry: n.entry,
			Exception: kind, Number: number, Calls: n.calls, Own: as(n.own), Total: as(total[i]),
		}
	}
	for i := range t.list {
		x := &t.list[i]
		x.Task, x.Name, x.Executed = int32(i), t.functions.name(x.function, x.entered), as(executed[i])
	}
	return stacks, t.list
}
