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
// in a function begins with a return to it. Beyond a gap nothing is known so.
type moment struct {
	at            int64
	before, after witness
	switched      int64 // where an exception last ended with a switch, at the latest here; none: -1
	task          int32 // that ran; none: -1
	gap, nextGap  int64 // the last one, at the latest here, and the next one

	tree      tree
	tasks     []stacks.Task
	spans     []span             // the innermost first
	open      map[int32]openCall // the innermost call of each task
	outermost map[int32]bool     // tasks that later called from a function that nobody called
	opening   []int32            // nodes that a window began in, the innermost first
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
	node int32 // that it interrupted; none: it is not known
}

// LookBack is how many instructions before an instruction are searched for what says which
// task ran, and LookAhead how many after it where those are decoded again.
const (
	LookBack  = 1 << 20
	LookAhead = 1 << 16
)

// readMoment reads what was open at an instruction.
func readMoment(d *dataset.Dataset, source uint8, at int64, tree tree, tasks []stacks.Task) (*moment, error) {
	w := &moment{
		at: at, before: witness{-1, none}, after: witness{math.MaxInt64, none}, switched: none, task: none,
		gap: -1, nextGap: math.MaxInt64, tree: tree, tasks: tasks, open: map[int32]openCall{}, outermost: map[int32]bool{},
	}
	if err := w.readGaps(d, source); err != nil {
		return nil, err
	}
	if err := w.readSpans(d, source); err != nil {
		return nil, err
	}
	decided := false
	err := eachFrom(d, source, ordered{&schema.Calls, schema.CallsEndSeq}, at+1-LookBack,
		func(b *schema.Batch, row int) bool {
			end := endOf(b, row, schema.CallsEndSeq)
			w.addCall(b, row, end)
			if end > at && !decided {
				w.decide()
				decided = true
			}
			_, isOpen := w.open[w.task]
			return !decided || !isOpen && !w.outermost[w.task]
		})
	if !decided {
		w.decide()
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

// readGaps finds the gaps before and after.
func (w *moment) readGaps(d *dataset.Dataset, source uint8) error {
	for _, t := range []*schema.Table{&schema.Losses, &schema.Events} {
		if !d.Has(t) {
			continue
		}
		err := eachFrom(d, source, ordered{t, schema.KeySeq}, w.at+1-LookBack, func(b *schema.Batch, row int) bool {
			seq := int64(b.Columns[schema.KeySeq].U64[row])
			switch {
			case t == &schema.Events && !schema.EventKind(schema.EventsEvent.At(b, row)).IsGap():
			case seq <= w.at:
				w.gap = max(w.gap, seq)
			default:
				w.nextGap = min(w.nextGap, seq)
			}
			return seq <= w.at
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// taskOf returns the task of a node; none: there is no such node, or its task is the handlers of an exception that
// interrupted another one.
func (w *moment) taskOf(node int32) int32 {
	if node < 0 || int(node) >= len(w.tree.Nodes) {
		return none
	}
	task := w.tree.Nodes[node].Task
	if task < 0 || int(task) >= len(w.tasks) || w.tasks[task].IsHandlers() && !w.tree.entryNotSeen(node) {
		return none
	}
	return task
}

// readSpans reads exceptions.
func (w *moment) readSpans(d *dataset.Dataset, source uint8) error {
	kinds := map[int64]int{} // the spans, by ordinals of exceptions
	least := int64(math.MaxInt64)
	err := eachFrom(d, source, ordered{&schema.ExceptionSpans, schema.ExceptionSpansEndSeq}, w.at+1-LookBack,
		func(b *schema.Batch, row int) bool {
			seq, end := int64(schema.ExceptionSpansSeq.At(b, row)), endOf(b, row, schema.ExceptionSpansEndSeq)
			node, why := int32(none), schema.CallEnd(schema.ExceptionSpansEnd.At(b, row))
			if !b.Columns[schema.ExceptionSpansStack].Null(row) {
				node = int32(schema.ExceptionSpansStack.At(b, row))
			}
			task := w.taskOf(node)
			if task != none {
				w.know(seq, task)
			}
			switch {
			case seq <= w.at && end > w.at:
				ordinal := int64(schema.ExceptionSpansOrdinal.At(b, row))
				kinds[ordinal], least = len(w.spans), min(least, ordinal)
				w.spans = append(w.spans, span{seq: seq, node: node})
			case why == schema.CallSwitch && end <= w.at:
				w.switched = max(w.switched, end)
			}
			if why == schema.CallReturn && task != none {
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
func (w *moment) addCall(b *schema.Batch, row int, end int64) {
	seq, node := int64(schema.CallsSeq.At(b, row)), int32(schema.CallsStack.At(b, row))
	if node < 0 || int(node) >= len(w.tree.Nodes) {
		return
	}
	if task := w.taskOf(node); task != none {
		w.know(seq, task)
		if schema.CallEnd(schema.CallsEnd.At(b, row)) == schema.CallReturn {
			w.know(end, task)
		}
	}
	if end <= w.at {
		return
	}
	task := w.tree.Nodes[node].Task
	if _, ok := w.open[task]; seq <= w.at && !ok { // those that end first are inside of others
		w.open[task] = openCall{seq, node}
	}
	w.outermost[task] = w.outermost[task] || seq > w.at && !w.tree.inCall(w.tree.Nodes[node].Parent)
}

// decide finds which task ran, or which handlers.
func (w *moment) decide() {
	for i := range w.tasks {
		x := &w.tasks[i]
		switch {
		case x.IsHandlers() && !w.tree.isEntryNotSeen(x.Number):
		case x.FirstSeq <= w.at:
			w.know(x.FirstSeq, x.Number)
		case x.FirstSeq <= w.after.seq:
			w.after = witness{x.FirstSeq, none} // nobody knows which one ran up to there
		}
	}
	if w.after.seq > w.nextGap {
		w.after = witness{w.nextGap, none}
	}
	isBefore := w.before.task != none && w.before.seq >= w.gap && w.switched <= w.before.seq
	switch {
	case len(w.spans) > 0:
		w.task = w.handlers(&w.spans[0])
	case isBefore || w.after.task == none:
		w.task = w.before.task
	default:
		w.task = w.after.task
	}
}

// handlers returns the task of the handler of an exception.
func (w *moment) handlers(x *span) int32 {
	if n := w.tree.exception(x.node, x.of); n != none {
		return w.tree.Nodes[n].Task
	}
	if task := w.taskOf(x.node); task != none {
		return task
	}
	return w.before.task
}
