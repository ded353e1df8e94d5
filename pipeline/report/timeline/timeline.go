// Package timeline puts what datasets have of a source in order of time: which task ran, and in
// which functions and exceptions it was.
//
// [Each] reads the calls and exceptions in a [Window], and [Timeline.Walk] goes through them:
// tasks have their turns, enter frames and leave them. What no row says is worked out from the
// call tree.
//
// Its API is not stable (docs/guide/library.md).
package timeline

import (
	"cmp"
	"math"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/calls"
	"github.com/tracelake/tracelake/pipeline/report/durations"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A Timeline is what a source did in order of time: which task ran, and in which functions and
// exceptions it was. It holds the rows of `calls` and `exception_spans` that are in its window,
// of 48 bytes each, and no more of what ran; [Timeline.Walk] goes through them.
type Timeline struct {
	Dir     string
	Source  uint8
	Core    string         // "": the source has none
	Unit    durations.Unit // of times: cycles, else instructions
	CycleHz uint64         // 0: it is not known
	Window  Window         // no longer than the source
	Tasks   []Task
	Frames  []calls.Frame
	Slices  int64 // calls, exceptions and marks in the window
	AtLeast int64 // instructions of a call that is among them; 0: all are
	// OffCycles are those in which trace was off if it is not known when: they are with what ran before and after.
	OffCycles int64

	paths  paths
	spans  []span  // by their start, the outer one first
	marks  []mark  // by seq
	points []point // where exceptions return, and where trace goes off; by seq
	offs   []off   // by seq
	gaps   []int64 // instructions that nothing before is known to lead to; ascending
	axis   axis
	before evidence // of the task that runs, before the window
	after  evidence // likewise after it
	from   point    // at or before the window, the last whose time is known
	until  point    // likewise after it, the first
}

// A Window is a part of a source: from one instruction to before another, by their `seq`.
type Window struct{ From, Until int64 }

// Everything is the window that leaves nothing out.
var Everything = Window{0, math.MaxInt64}

// A Task is a task of a source, or the handlers of an asynchronous exception; its number is its index.
// Handlers are in the task that the exception interrupted, as far as that is known.
type Task struct {
	Name      string
	ContextID schema.Null[uint32]
	// Of is the task of the dataset whose lane it is: itself, or one whose stacks have several lanes.
	Of int32

	origin   schema.TaskOrigin
	firstSeq int64
	root     int32 // its only one; none: it has none, or several
	roots    int
	unseen   bool // it is handlers of exceptions that were not seen to come
	executed stacks.Work
}

// none is the index of what there is not.
const none = -1

// A span is a call or an exception: a row of `calls` or of `exception_spans`.
type span struct {
	seq, end  int64 // of one that was open when trace ended: openEnd
	at, until int64 // cycles of the epoch, then of the axis; unknownTime
	epoch     int32
	node      int32 // of a call; of an exception: notFrame of its frame
	task      int32 // in whose lane it is; none: not known yet
	why       schema.CallEnd
}

const (
	openEnd     = math.MaxInt64
	unknownTime = -1
)

// notFrame marks the index of a frame, as a node has none below 0. It is its own inverse.
func notFrame(i int32) int32 { return -2 - i }

func (r *span) isException() bool { return r.node < none }

// IsHandlers says whether it is handlers of an exception that was seen to come: they run in other tasks.
func (x *Task) IsHandlers() bool { return x.origin == schema.TaskException && !x.unseen }

// atGap says whether a gap ended it before anything was executed.
func (r *span) atGap() bool { return r.end == r.seq && r.why == schema.CallGap }

// A mark is a point of the trace at which something happened.
type mark struct {
	seq  int64
	text string
	pass bool // nothing happened but that it was passed
	// trace was off before it, and everything went on
	pause bool
}

// An evidence says which task ran from an instruction on.
type evidence struct {
	seq  int64
	task int32 // none: another than before
}

// Each calls a function with the timeline of each source of the datasets of m, which
// have to be those in dirs, as far as a window of each source goes. It fails with a
// [*dataset.Error] if a dataset has no table that it takes.
func Each(m *report.Merged, dirs []string, test string, w Window, calls Calls, do func(*Timeline) error) error {
	return read.EachSource(dirs, test, &schema.Calls, func(d *dataset.Dataset, s *schema.SourceTotals) error {
		if _, end := d.Manifest.Seqs(s); end <= w.From {
			return nil
		}
		return calls.with(d, s, w, func(all *dataset.Dataset, s *schema.SourceTotals) error {
			t, err := newTimeline(m, d, all, s, w)
			if err != nil {
				return err
			}
			return do(t)
		})
	})
}

// Calls makes a dataset that has all calls of a source of another in a window, and returns where it is.
type Calls func(dir string, source uint8, w Window) (string, error)

// with calls a function with a source of a dataset: if that does not have all calls, as c makes it, if c is not nil.
func (c Calls) with(d *dataset.Dataset, s *schema.SourceTotals, w Window,
	do func(*dataset.Dataset, *schema.SourceTotals) error,
) error {
	if c == nil || s.CallsAtLeast == 0 {
		return do(d, s)
	}
	dir, err := c(d.Dir, s.Source, w)
	if err != nil {
		return err
	}
	return read.EachSource([]string{dir}, "", &schema.Calls, do)
}

// compareSpans orders rows by their start. Of those that start together, the ones that a gap
// ended at once are first, those of later tasks last: they are before the gap. Of the others the
// outer one is: that which ends last, or a call that was at its first instruction when an
// exception came, but not if it is one in a handler.
func (t *Timeline) compareSpans(x, y span) int {
	if c := cmp.Compare(x.seq, y.seq); c != 0 {
		return c
	}
	switch {
	case x.atGap() && !y.atGap():
		return -1
	case y.atGap() && !x.atGap():
		return 1
	case x.atGap() && x.task != y.task:
		return cmp.Compare(x.task, y.task)
	}
	return cmp.Or(cmp.Compare(y.end, x.end), cmp.Compare(t.rank(&x), t.rank(&y)),
		cmp.Compare(x.node, y.node), cmp.Compare(x.task, y.task), cmp.Compare(x.at, y.at), cmp.Compare(x.until, y.until),
		cmp.Compare(x.why, y.why))
}

// rank orders rows that begin and end together: calls of tasks, exceptions that interrupt those, and likewise in
// handlers.
func (t *Timeline) rank(x *span) (rank int) {
	if x.isException() {
		rank = 1
	}
	if x.task != none && t.Tasks[x.task].IsHandlers() {
		rank += 2
	}
	return rank
}
