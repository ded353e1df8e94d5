package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// timelineTables are those that a timeline is made of, beside `calls`.
var timelineTables = []*schema.Table{&schema.Stacks, &schema.Tasks, &schema.ExceptionSpans, &schema.Exceptions}

// mostReserved is how many rows memory is reserved for by what the manifest says: more than
// export writes by default.
const mostReserved = 5_000_000

// readTimeline reads the timeline of a source.
func (m *Merged) readTimeline(d *dataset.Dataset, s *schema.SourceTotals, w Window) (*Timeline, error) {
	for _, table := range timelineTables {
		if !d.Has(table) {
			return nil, &dataset.Error{File: d.Dir, Problem: "has no table " + table.Name, Remedy: "export again with it"}
		}
	}
	tree, err := m.readStacks(d, s)
	if err != nil {
		return nil, err
	}
	t := &Timeline{
		Dir: d.Dir, Source: s.Source, Core: s.Core, CycleHz: s.CycleHz,
		Window: Window{w.From, min(w.Until, s.Instructions)}, before: evidence{-1, none}, after: evidence{openEnd, none},
	}
	if w == Everything {
		t.spans = make([]timelineRow, 0, min(d.Rows(&schema.Calls)+d.Rows(&schema.ExceptionSpans), mostReserved))
	}
	t.paths.read(t, tree)
	r := &timelineReader{t: t, instructions: s.Instructions, until: point{seq: openEnd, at: unknownTime}, from: point{at: unknownTime}}
	if err := r.read(d); err != nil {
		return nil, err
	}
	return t, r.conclude(d)
}

// A timelineReader reads the rows of a timeline.
type timelineReader struct {
	t            *Timeline
	instructions int64
	entries      []exceptionEntry // by ordinal
	from, until  point            // those outside of the window whose time is known, and that are next to it
	lastEpoch    int32            // of all rows
}

// An exceptionEntry is a row of `exceptions`.
type exceptionEntry struct {
	ordinal, cycle int64 // cycle: of the epoch, or unknownTime
	epoch          int32
	frame          int32
}

// read reads the tables.
func (r *timelineReader) read(d *dataset.Dataset) error {
	for _, x := range []struct {
		table *schema.Table
		add   func(*schema.Batch) error
	}{
		{&schema.Tasks, r.addTasks},
		{&schema.Exceptions, r.addEntries},
		{&schema.Calls, r.addCalls},
		{&schema.ExceptionSpans, r.addSpans},
		{&schema.Events, r.addEvents},
		{&schema.Losses, r.addLosses},
	} {
		if err := eachBatch(d, x.table, r.t.Source, x.add); err != nil {
			return err
		}
	}
	return nil
}

func (r *timelineReader) addTasks(b *schema.Batch) error {
	t := r.t
	names, contexts := b.Columns[schema.TasksName].Str, &b.Columns[schema.TasksContextID]
	for row := range b.Rows() {
		x := TimelineTask{
			Name: names[row], origin: schema.TaskOrigin(schema.TasksOrigin.At(b, row)), firstSeq: int64(schema.TasksFirstSeq.At(b, row)), root: none,
			executed: workOf(b, row, schema.TasksInstructions, schema.TasksCycles),
		}
		if !contexts.Null(row) {
			x.ContextID = schema.Of(contexts.U32[row])
		}
		number := int32(schema.TasksTask.At(b, row))
		switch n := len(t.Tasks); {
		case int(number) != n:
			return fmt.Errorf("task %d comes where %d is expected", number, n)
		case x.firstSeq < 0 || x.firstSeq > r.instructions || n > 0 && x.firstSeq < t.Tasks[n-1].firstSeq:
			return fmt.Errorf("task %d begins at seq %d, out of order", number, x.firstSeq)
		case !x.executed.possible():
			return fmt.Errorf("task %d has counts that no trace can have", number)
		}
		t.Tasks = append(t.Tasks, x)
	}
	return nil
}

func (r *timelineReader) addEntries(b *schema.Batch) error {
	types, numbers := &b.Columns[schema.ExceptionsType], &b.Columns[schema.ExceptionsNumber]
	for row := range b.Rows() {
		if schema.ExceptionEvent(schema.ExceptionsEvent.At(b, row)) != schema.ExceptionEntry {
			continue
		}
		kind := schema.Null[schema.ExceptionType]{V: schema.ExceptionType(types.U8[row]), OK: !types.Null(row)}
		number := schema.Null[uint16]{V: numbers.U16[row], OK: !numbers.Null(row)}
		x := exceptionEntry{
			ordinal: int64(schema.ExceptionsOrdinal.At(b, row)), epoch: int32(schema.ExceptionsEpoch.At(b, row)),
			cycle: timeOf(nullAt(b, row, schema.ExceptionsCycle)), frame: r.t.paths.frame(r.t, Frame{Exception: bracketed(kind, number)}),
		}
		if n := len(r.entries); n > 0 && x.ordinal <= r.entries[n-1].ordinal {
			return fmt.Errorf("ordinal %d comes after %d", x.ordinal, r.entries[n-1].ordinal)
		}
		r.entries = append(r.entries, x)
	}
	return nil
}

// timeOf is a time that may be NULL.
func timeOf(t schema.Null[int64]) int64 {
	if !t.OK {
		return unknownTime
	}
	return t.V
}

func (r *timelineReader) addCalls(b *schema.Batch) error {
	ends, nodes := &b.Columns[schema.CallsEndSeq], r.t.paths.tree.nodes
	for row := range b.Rows() {
		x := timelineRow{
			seq: int64(schema.CallsSeq.At(b, row)), end: openEnd, epoch: int32(schema.CallsEpoch.At(b, row)), task: int32(schema.CallsTask.At(b, row)),
			at: timeOf(nullAt(b, row, schema.CallsCycle)), until: timeOf(nullAt(b, row, schema.CallsEndCycle)),
			node: int32(schema.CallsStack.At(b, row)), why: schema.CallEnd(schema.CallsEnd.At(b, row)),
		}
		if !ends.Null(row) {
			x.end = int64(ends.U64[row])
		}
		err := r.check(&x)
		switch {
		case err != nil:
		case x.node < 0 || int(x.node) >= len(nodes):
			err = fmt.Errorf("is of stack %d, which there is not", x.node)
		case nodes[x.node].task != x.task:
			err = fmt.Errorf("is of task %d, and its stack %d of task %d", x.task, x.node, nodes[x.node].task)
		}
		if err != nil {
			return fmt.Errorf("call %d %w", int64(schema.CallsCall.At(b, row)), err)
		}
		r.add(&x)
	}
	return nil
}

func (r *timelineReader) addSpans(b *schema.Batch) error {
	ends := &b.Columns[schema.ExceptionSpansEndSeq]
	for row := range b.Rows() {
		x := timelineRow{
			seq: int64(schema.ExceptionSpansSeq.At(b, row)), end: openEnd, task: int32(schema.ExceptionSpansTask.At(b, row)),
			at: unknownTime, until: unknownTime, why: schema.CallEnd(schema.ExceptionSpansEnd.At(b, row)),
		}
		if !ends.Null(row) {
			x.end = int64(ends.U64[row])
		}
		ordinal := int64(schema.ExceptionSpansOrdinal.At(b, row))
		i, ok := slices.BinarySearchFunc(r.entries, ordinal, func(e exceptionEntry, o int64) int { return cmp.Compare(e.ordinal, o) })
		err := r.check(&x)
		if err == nil && !ok {
			err = fmt.Errorf("is of row %d of exceptions, which there is not", ordinal)
		}
		if err != nil {
			return fmt.Errorf("span %d %w", int64(schema.ExceptionSpansSpan.At(b, row)), err)
		}
		e := &r.entries[i]
		x.node, x.epoch, x.at = notFrame(e.frame), e.epoch, e.cycle
		if cycles := nullAt(b, row, schema.ExceptionSpansCycles); cycles.OK && e.cycle >= 0 && cycles.V >= 0 && cycles.V <= maxExecutions/4 {
			x.until = e.cycle + cycles.V
		}
		r.add(&x)
	}
	return nil
}

// check checks what a row says of its place and time.
func (r *timelineReader) check(x *timelineRow) error {
	switch {
	case x.task < 0 || int(x.task) >= len(r.t.Tasks):
		return fmt.Errorf("is of task %d, which there is not", x.task)
	case x.seq < r.t.Tasks[x.task].firstSeq:
		return fmt.Errorf("begins at seq %d, before its task %d", x.seq, x.task)
	case x.end < x.seq:
		return fmt.Errorf("ends at seq %d, before it begins at %d", x.end, x.seq)
	case x.seq > r.instructions || x.end != openEnd && x.end > r.instructions:
		return fmt.Errorf("is after the last instruction, seq %d", r.instructions-1)
	case x.at > maxExecutions/4 || x.until > maxExecutions/4:
		return fmt.Errorf("has counts that no trace can have")
	case x.at >= 0 && x.until >= 0 && x.until < x.at:
		return fmt.Errorf("ends at cycle %d, before it begins at %d", x.until, x.at)
	}
	return nil
}

// add adds a row, if it is in the window.
func (r *timelineReader) add(x *timelineRow) {
	t := r.t
	r.lastEpoch = max(r.lastEpoch, x.epoch)
	switch w := t.Window; {
	case x.seq >= w.Until:
		if x.seq < t.after.seq {
			t.after = evidence{x.seq, x.task}
		}
		if x.at >= 0 && x.seq < r.until.seq {
			r.until = point{x.seq, x.at, x.epoch}
		}
	case x.end <= w.From && x.seq < w.From:
		if r.addBefore(x); x.isException() && x.why == schema.CallSwitch {
			t.spans = append(t.spans, *x) // calls in it, whose rows end later, end with it
		}
	default:
		t.Slices++
		t.spans = append(t.spans, *x)
	}
}

// addBefore notes what a row before the window says of where it begins.
func (r *timelineReader) addBefore(x *timelineRow) {
	t := r.t
	at, e := point{x.seq, x.at, x.epoch}, evidence{x.seq, x.task}
	if x.until >= 0 {
		at = point{x.end, x.until, x.epoch}
	}
	switch {
	case x.why == schema.CallGap:
	case x.why == schema.CallSwitch && x.isException():
		e = evidence{x.end, none}
	default:
		e.seq = x.end
	}
	if at.at >= 0 && at.seq >= r.from.seq {
		r.from = at
	}
	if e.seq > t.before.seq || e.seq == t.before.seq && e.task != none {
		t.before = e
	}
}

func (r *timelineReader) addEvents(b *schema.Batch) error {
	for row := range b.Rows() {
		r.addMark(int64(schema.EventsSeq.At(b, row)), schema.EventKind(schema.EventsEvent.At(b, row)).String())
	}
	return nil
}

func (r *timelineReader) addLosses(b *schema.Batch) error {
	for row := range b.Rows() {
		r.addMark(int64(schema.LossesSeq.At(b, row)), "loss: "+schema.LossReason(schema.LossesReason.At(b, row)).String())
	}
	return nil
}

func (r *timelineReader) addMark(seq int64, text string) {
	if w := r.t.Window; w.From <= seq && (seq < w.Until || seq == w.Until && seq == r.instructions) {
		r.t.Slices++
		r.t.marks = append(r.t.marks, mark{seq, text})
	}
}

// conclude puts everything in order of time.
func (r *timelineReader) conclude(d *dataset.Dataset) error {
	t := r.t
	t.paths.roots(t.Tasks)
	if err := r.readAxis(d); err != nil {
		return err
	}
	for i := range t.spans {
		x := &t.spans[i]
		if !t.axis.timed {
			x.at, x.until = unknownTime, unknownTime
		}
		if x.until >= 0 {
			x.until = t.axis.time(x.epoch, x.until)
		}
		if x.at >= 0 {
			x.at = t.axis.time(x.epoch, x.at)
		}
	}
	slices.SortFunc(t.spans, compareSpans)
	slices.SortStableFunc(t.marks, func(x, y mark) int { return cmp.Compare(x.seq, y.seq) })
	return nil
}

// compareSpans orders rows by their start. Of those that start together, the outer one is
// first: that which ends last, or a call that was at its first instruction when an exception
// came.
func compareSpans(x, y timelineRow) int {
	if c := cmp.Compare(x.seq, y.seq); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(y.end, x.end), cmp.Compare(one(x.isException()), one(y.isException())),
		cmp.Compare(x.node, y.node), cmp.Compare(x.task, y.task), cmp.Compare(x.at, y.at), cmp.Compare(x.until, y.until), cmp.Compare(x.why, y.why))
}

// countSlices counts the slices of a source in a window.
func countSlices(d *dataset.Dataset, s *schema.SourceTotals, w Window) (n int64, err error) {
	count := func(table *schema.Table, inside func(b *schema.Batch, row int) bool) {
		if err == nil {
			err = eachBatch(d, table, s.Source, func(b *schema.Batch) error {
				for row := range b.Rows() {
					n += one(inside(b, row))
				}
				return nil
			})
		}
	}
	spans := func(seq, end schema.IndexU64) func(b *schema.Batch, row int) bool {
		return func(b *schema.Batch, row int) bool {
			from, until := int64(seq.At(b, row)), int64(end.At(b, row))
			return from < w.Until && (from >= w.From || b.Columns[end].Null(row) || until > w.From)
		}
	}
	marks := func(seq schema.IndexU64) func(b *schema.Batch, row int) bool {
		return func(b *schema.Batch, row int) bool {
			at := int64(seq.At(b, row))
			return w.From <= at && at < w.Until
		}
	}
	count(&schema.Calls, spans(schema.CallsSeq, schema.CallsEndSeq))
	count(&schema.ExceptionSpans, spans(schema.ExceptionSpansSeq, schema.ExceptionSpansEndSeq))
	count(&schema.Events, marks(schema.EventsSeq))
	count(&schema.Losses, marks(schema.LossesSeq))
	return n, err
}
