package last

import (
	"math"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A moment is what was open when a source executed an instruction, and which task ran.
//
// No table has a row for each switch of tasks. But a call, an exception and a task say which
// task ran when they began, and a call when it returned: before is the last that is known so,
// after the next. If both are one task, it ran in between too. If not, there was a switch:
// where an exception ended with one, or else at the later of the two, as a task that continues
// in a function begins with a return to it.
type moment struct {
	at            int64
	before, after witness
	switched      int64 // where an exception last ended with a switch, at the latest here; none: -1
	task          int32 // that ran; none: -1

	spans     []span
	open      map[int32]openCall // the innermost call of each task
	outermost map[int32]bool     // tasks that later called from a function that nobody called
}

// A witness is an instruction of which the task is known.
type witness struct {
	seq  int64
	task int32 // none: -1
}

// An openCall is a call that had not ended.
type openCall struct {
	seq  int64
	node int32
}

// A span is an exception that had not ended.
type span struct {
	seq  int64
	of   read.Exception
	task int32
}

// lookBack is how many instructions before an instruction are searched for what says which
// task ran.
const lookBack = 1 << 20

// readMoment reads what was open at an instruction.
func readMoment(d *dataset.Dataset, source uint8, at int64, tree tree, tasks []stacks.Task) (*moment, error) {
	w := &moment{
		at: at, before: witness{-1, none}, after: witness{math.MaxInt64, none}, switched: none, task: none,
		open: map[int32]openCall{}, outermost: map[int32]bool{},
	}
	if err := w.readSpans(d, source); err != nil {
		return nil, err
	}
	decided := false
	err := eachFrom(d, source, ordered{&schema.Calls, schema.CallsEndSeq}, at+1-lookBack,
		func(b *schema.Batch, row int) bool {
			end := endOf(b, row, schema.CallsEndSeq)
			w.addCall(b, row, end, tree)
			if end > at && !decided {
				w.decide(tasks)
				decided = true
			}
			_, isOpen := w.open[w.task]
			return !decided || !isOpen && !w.outermost[w.task]
		})
	if !decided {
		w.decide(tasks)
	}
	return w, err
}

// endOf returns where something ended; never if it was open at the end of trace.
func endOf(b *schema.Batch, row int, column schema.IndexU64) int64 {
	if end := read.Null(b, row, column); end.OK {
		return end.V
	}
	return math.MaxInt64
}

// know notes which task ran at an instruction.
func (w *moment) know(seq int64, task int32) {
	switch {
	case seq <= w.at && seq > w.before.seq:
		w.before = witness{seq, task}
	case seq > w.at && seq < w.after.seq:
		w.after = witness{seq, task}
	}
}

// readSpans reads exceptions.
func (w *moment) readSpans(d *dataset.Dataset, source uint8) error {
	kinds := map[int64]int{} // the spans, by ordinals of exceptions
	least := int64(math.MaxInt64)
	err := eachFrom(d, source, ordered{&schema.ExceptionSpans, schema.ExceptionSpansEndSeq}, w.at+1-lookBack,
		func(b *schema.Batch, row int) bool {
			seq, end := int64(schema.ExceptionSpansSeq.At(b, row)), endOf(b, row, schema.ExceptionSpansEndSeq)
			task, why := int32(schema.ExceptionSpansTask.At(b, row)), schema.CallEnd(schema.ExceptionSpansEnd.At(b, row))
			w.know(seq, task)
			switch {
			case seq <= w.at && end > w.at:
				ordinal := int64(schema.ExceptionSpansOrdinal.At(b, row))
				kinds[ordinal], least = len(w.spans), min(least, ordinal)
				w.spans = append(w.spans, span{seq: seq, task: task})
			case why == schema.CallSwitch && end <= w.at:
				w.switched = max(w.switched, end)
			}
			if why == schema.CallReturn {
				w.know(end, task)
			}
			return true
		})
	if err != nil || len(w.spans) == 0 {
		return err
	}
	left := len(w.spans)
	return eachFrom(d, source, ordered{&schema.Exceptions, schema.ExceptionsOrdinal}, least,
		func(b *schema.Batch, row int) bool {
			x := exceptionAt(b, row)
			if i, ok := kinds[x.Ordinal]; ok {
				w.spans[i].of = x.Exception
				left--
			}
			return left > 0
		})
}

// addCall adds a row of `calls`.
func (w *moment) addCall(b *schema.Batch, row int, end int64, tree tree) {
	seq, task, node := int64(schema.CallsSeq.At(b, row)), int32(schema.CallsTask.At(b, row)),
		int32(schema.CallsStack.At(b, row))
	w.know(seq, task)
	if schema.CallEnd(schema.CallsEnd.At(b, row)) == schema.CallReturn {
		w.know(end, task)
	}
	if end <= w.at || node < 0 || int(node) >= len(tree.Nodes) {
		return
	}
	if _, ok := w.open[task]; seq <= w.at && !ok { // those that end first are inside of others
		w.open[task] = openCall{seq, node}
	}
	w.outermost[task] = w.outermost[task] || seq > w.at && !tree.inCall(tree.Nodes[node].Parent)
}

// decide finds which task ran.
func (w *moment) decide(tasks []stacks.Task) {
	for i := range tasks {
		x := &tasks[i]
		if x.FirstSeq <= w.at {
			w.know(x.FirstSeq, x.Number)
		} else if x.FirstSeq <= w.after.seq {
			w.after = witness{x.FirstSeq, none} // nobody knows which one ran up to there
		}
	}
	switched := w.switched > w.before.seq
	switch {
	case len(w.spans) > 0:
		w.task = w.spans[0].task
	case w.before.task == none || switched:
		w.task = w.after.task
	default:
		w.task = w.before.task
	}
}

// since returns the exceptions that began after a call, the outermost first; without a call
// all of them.
func (w *moment) since(c openCall, isCall bool) []read.Exception {
	var keys []read.Exception
	for i := len(w.spans) - 1; i >= 0; i-- { // those that end first are inside of others
		if x := &w.spans[i]; x.task == w.task && (!isCall || x.seq >= c.seq) {
			keys = append(keys, x.of)
		}
	}
	return keys
}
