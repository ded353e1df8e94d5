package timeline

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/calls"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// mostReserved is how many rows memory is reserved for by what the manifest says: more than
// export writes by default.
const mostReserved = 5_000_000

// newTimeline reads the timeline of a source of a dataset, d or the one that it is a window of.
func newTimeline(m *report.Merged, whole, d *dataset.Dataset, s *schema.SourceTotals, w Window) (*Timeline, error) {
	if err := read.Need(d, &schema.Stacks, &schema.Tasks, &schema.ExceptionSpans, &schema.Exceptions); err != nil {
		return nil, err
	}
	tree, err := calls.ReadTree(m, d, s)
	if err != nil {
		return nil, err
	}
	_, end := d.Manifest.Seqs(s)
	t := &Timeline{
		Dir: whole.Dir, AtLeast: s.CallsAtLeast, Source: s.Source, Core: s.Core, CycleHz: s.CycleHz,
		Window: Window{w.From, min(w.Until, end)}, before: evidence{-1, none}, after: evidence{openEnd, none},
	}
	if w == Everything {
		t.spans = make([]span, 0, min(d.RowsOf(&schema.Calls, s.Source)+d.RowsOf(&schema.ExceptionSpans, s.Source), mostReserved))
	}
	t.paths.read(t, tree)
	r := &reader{t: t, instructions: end, until: point{seq: openEnd, at: unknownTime}, from: point{at: unknownTime}}
	if err := r.read(d, s); err != nil {
		return nil, err
	}
	return t, r.conclude(whole, d)
}

// A reader reads the rows of a timeline.
type reader struct {
	t            *Timeline
	instructions int64
	entries      []exceptionEntry // by ordinal
	from, until  point            // those outside of the window whose time is known, and that are next to it
	lastEpoch    int32            // of all rows
	gaps         gaps
}

// An exceptionEntry is a row of `exceptions`.
type exceptionEntry struct {
	ordinal, cycle int64 // cycle: of the epoch, before the count of the entry, or unknownTime
	epoch          int32
	frame          int32
}

// read reads the tables.
func (r *reader) read(d *dataset.Dataset, s *schema.SourceTotals) error {
	tasks, err := stacks.ReadTasksOf(d, s)
	if err != nil {
		return err
	}
	if err := r.addTasks(tasks.Rows); err != nil {
		return read.Damaged(d, &schema.Tasks, err)
	}
	for _, x := range []struct {
		table *schema.Table
		add   func(*schema.Batch) error
	}{
		{&schema.Exceptions, r.addEntries},
		{&schema.Events, r.addEvents},
		{&schema.Losses, r.addLosses},
		{&schema.Calls, r.addCalls},
		{&schema.ExceptionSpans, r.addSpans},
	} {
		if x.table == &schema.Calls {
			r.gaps.sort()
			r.t.paths.roots(r.t.Tasks)
		}
		if err := read.EachBatch(d, x.table, r.t.Source, x.add); err != nil {
			return err
		}
	}
	return r.readOffs(d)
}

func (r *reader) addTasks(tasks []stacks.Task) error {
	last := int64(0)
	for i := range tasks {
		x := &tasks[i]
		if x.FirstSeq < last || x.FirstSeq > r.instructions {
			return fmt.Errorf("task %d begins at seq %d, out of order", i, x.FirstSeq)
		}
		last = x.FirstSeq
		r.t.Tasks = append(r.t.Tasks, Task{
			Name: x.Name, ContextID: x.ContextID, Of: int32(i), origin: x.Origin, firstSeq: x.FirstSeq, root: none, executed: x.Executed,
		})
	}
	return nil
}

func (r *reader) addEntries(b *schema.Batch) error {
	for row := range b.Rows() {
		if schema.ExceptionEvent(schema.ExceptionsEvent.At(b, row)) != schema.ExceptionEntry {
			r.addReturn(b, row)
			continue
		}
		of := read.ExceptionAt(b, row, schema.ExceptionsType, schema.ExceptionsNumber)
		x := exceptionEntry{
			ordinal: int64(schema.ExceptionsOrdinal.At(b, row)), epoch: int32(schema.ExceptionsEpoch.At(b, row)),
			cycle: entryTime(b, row),
			frame: r.t.paths.frame(r.t, calls.ExceptionFrame(of)),
		}
		if n := len(r.entries); n > 0 && x.ordinal <= r.entries[n-1].ordinal {
			return fmt.Errorf("ordinal %d comes after %d", x.ordinal, r.entries[n-1].ordinal)
		}
		r.entries = append(r.entries, x)
	}
	return nil
}

// addReturn notes when an exception returned, if that is known.
func (r *reader) addReturn(b *schema.Batch, row int) {
	at := point{
		int64(schema.ExceptionsSeq.At(b, row)), timeOf(read.Null(b, row, schema.ExceptionsCycle)),
		int32(schema.ExceptionsEpoch.At(b, row)),
	}
	if w := r.t.Window; w.From < at.seq && at.seq < w.Until && 0 <= at.at && at.at <= read.MaxCount/4 {
		r.t.points = append(r.t.points, at)
	}
}

// entryTime is when an exception was entered: the count in the packet of its entry is its own, as `exception_spans` and
// `stacks` have it.
func entryTime(b *schema.Batch, row int) int64 {
	cycle := read.Null(b, row, schema.ExceptionsCycle)
	if !cycle.OK || cycle.V < 0 {
		return unknownTime
	}
	return max(0, cycle.V-int64(read.Null32(b, row, schema.ExceptionsCycles).V))
}

// endOf is the end of something; NULL: it was open when trace ended.
func endOf(seq schema.Null[int64]) int64 {
	if !seq.OK {
		return openEnd
	}
	return seq.V
}

// timeOf is a time that may be NULL.
func timeOf(t schema.Null[int64]) int64 {
	if !t.OK {
		return unknownTime
	}
	return t.V
}

func (r *reader) addCalls(b *schema.Batch) error {
	for row := range b.Rows() {
		x := span{
			seq: int64(schema.CallsSeq.At(b, row)), end: endOf(read.Null(b, row, schema.CallsEndSeq)),
			epoch: int32(schema.CallsEpoch.At(b, row)),
			at:    timeOf(read.Null(b, row, schema.CallsCycle)), until: timeOf(read.Null(b, row, schema.CallsEndCycle)),
			node: int32(schema.CallsStack.At(b, row)), why: schema.CallEnd(schema.CallsEnd.At(b, row)),
		}
		if err := r.place(&x, x.node); err != nil {
			return fmt.Errorf("call %d %w", int64(schema.CallsCall.At(b, row)), err)
		}
		r.add(&x)
	}
	return nil
}

func (r *reader) addSpans(b *schema.Batch) error {
	for row := range b.Rows() {
		x := span{
			seq: int64(schema.ExceptionSpansSeq.At(b, row)), end: endOf(read.Null(b, row, schema.ExceptionSpansEndSeq)),
			at: unknownTime, until: unknownTime, why: schema.CallEnd(schema.ExceptionSpansEnd.At(b, row)),
		}
		ordinal := int64(schema.ExceptionSpansOrdinal.At(b, row))
		i, ok := slices.BinarySearchFunc(r.entries, ordinal,
			func(e exceptionEntry, o int64) int { return cmp.Compare(e.ordinal, o) })
		err := r.place(&x, read.Ordinal(b, row, schema.ExceptionSpansStack))
		if err == nil && !ok {
			err = fmt.Errorf("is of row %d of exceptions, which there is not", ordinal)
		}
		if err != nil {
			return fmt.Errorf("span %d %w", int64(schema.ExceptionSpansSpan.At(b, row)), err)
		}
		e := &r.entries[i]
		x.node, x.epoch, x.at = notFrame(e.frame), e.epoch, e.cycle
		if cycles := read.Null(b, row, schema.ExceptionSpansCycles); cycles.OK && e.cycle >= 0 && cycles.V >= 0 &&
			cycles.V <= read.MaxCount/4 {
			x.until = e.cycle + cycles.V
		}
		r.add(&x)
	}
	return nil
}

// place finds the task of a row by its stack, if there is one, and checks what it says of its place and time.
func (r *reader) place(x *span, stack int32) error {
	if nodes := r.t.paths.tree.Nodes; stack == none {
		x.task = none
	} else if stack < none || int(stack) >= len(nodes) {
		return fmt.Errorf("is of stack %d, which there is not", stack)
	} else if x.task = nodes[stack].Task; x.task < 0 || int(x.task) >= len(r.t.Tasks) {
		return fmt.Errorf("is of task %d, which there is not", x.task)
	}
	switch {
	case x.task != none && x.seq < r.t.Tasks[x.task].firstSeq:
		return fmt.Errorf("begins at seq %d, before its task %d", x.seq, x.task)
	case x.end < x.seq:
		return fmt.Errorf("ends at seq %d, before it begins at %d", x.end, x.seq)
	case x.seq > r.instructions || x.end != openEnd && x.end > r.instructions:
		return fmt.Errorf("is after the last instruction, seq %d", r.instructions-1)
	case x.at > read.MaxCount/4 || x.until > read.MaxCount/4:
		return fmt.Errorf("has counts that no trace can have")
	case x.at >= 0 && x.until >= 0 && x.until < x.at:
		return fmt.Errorf("ends at cycle %d, before it begins at %d", x.until, x.at)
	}
	return nil
}

// add adds a row, if it is in the window.
func (r *reader) add(x *span) {
	t := r.t
	r.lastEpoch = max(r.lastEpoch, x.epoch)
	r.gaps.crossed(x.seq, x.end)
	switch w := t.Window; {
	case x.seq >= w.Until:
		if x.seq < t.after.seq && r.isEvidence(x) {
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
func (r *reader) addBefore(x *span) {
	t := r.t
	at, e := point{x.seq, x.at, x.epoch}, evidence{x.seq, x.task}
	if x.until >= 0 {
		at = point{x.end, x.until, x.epoch}
	}
	switch {
	case !r.isEvidence(x):
		e.seq = -1
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

// isEvidence says whether a row itself tells which task ran. A handler does not; the exception does.
func (r *reader) isEvidence(x *span) bool { return x.task != none && !r.t.Tasks[x.task].IsHandlers() }

func (r *reader) addEvents(b *schema.Batch) error {
	for row := range b.Rows() {
		seq, event := int64(schema.EventsSeq.At(b, row)), schema.EventKind(schema.EventsEvent.At(b, row))
		if event.IsGap() {
			r.addGap(seq)
		}
		r.addMark(seq, event.String())
	}
	return nil
}

func (r *reader) addLosses(b *schema.Batch) error {
	for row := range b.Rows() {
		r.addGap(int64(schema.LossesSeq.At(b, row)))
		r.addMark(int64(schema.LossesSeq.At(b, row)), "loss: "+schema.LossReason(schema.LossesReason.At(b, row)).String())
	}
	return nil
}

func (r *reader) addMark(seq int64, text string) {
	if w := r.t.Window; w.From <= seq && (seq < w.Until || seq == w.Until && seq == r.instructions) {
		r.t.Slices++
		r.t.marks = append(r.t.marks, mark{seq: seq, text: text})
	}
}

// addGap notes that there may be a gap before an instruction.
func (r *reader) addGap(seq int64) {
	if 0 < seq && seq < r.instructions {
		r.gaps.at = append(r.gaps.at, seq)
	}
}

// conclude puts everything in order of time.
func (r *reader) conclude(whole, d *dataset.Dataset) error {
	t := r.t
	t.gaps = r.gaps.known()
	if err := r.readAxis(whole, d); err != nil {
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
	if !t.axis.timed {
		t.points = nil
	}
	for i := range t.points {
		x := &t.points[i]
		x.at = t.axis.time(x.epoch, x.at)
	}
	t.placeOffs()
	slices.SortStableFunc(t.points, func(x, y point) int { return cmp.Or(cmp.Compare(x.seq, y.seq), cmp.Compare(x.at, y.at)) })
	slices.SortFunc(t.spans, t.compareSpans)
	t.findLanes()
	t.separate()
	slices.SortStableFunc(t.marks, func(x, y mark) int { return cmp.Compare(x.seq, y.seq) })
	return nil
}

// An interruption is an exception that has not ended: where its handler is.
type interruption struct {
	end  int64
	task int32
}

// findLanes has what is in a handler be in the lane of the task that the exception interrupted, as far as that is
// known.
func (t *Timeline) findLanes() {
	open, last := map[int32][]interruption{}, int32(0) // by the frame of the exception
	for i := range t.spans {
		x := &t.spans[i]
		switch {
		case x.task == none:
			x.task = last
		case t.Tasks[x.task].IsHandlers() && t.Tasks[x.task].root != none:
			frame := t.paths.frames[t.Tasks[x.task].root]
			l := open[frame]
			for n := len(l); n > 0 && (l[n-1].end < x.seq || l[n-1].end == x.seq && !x.atGap()); n-- {
				l = l[:n-1]
			}
			if open[frame] = l; len(l) > 0 {
				x.task = l[len(l)-1].task
			}
		}
		last = x.task
		if frame := notFrame(x.node); x.isException() {
			open[frame] = append(open[frame], interruption{x.end, x.task})
		}
	}
	if len(t.Tasks) == 0 {
		t.spans = nil
	}
}
