package report

import (
	"math"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A Timeline is what a source did in order of time: which task ran, and in which functions and
// exceptions it was. It holds the rows of `calls` and `exception_spans` that are in its window,
// of 48 bytes each, and no more of what ran; [Timeline.Walk] goes through them.
type Timeline struct {
	Dir     string
	Source  uint8
	Core    string // "": the source has none
	Unit    Unit   // of times: cycles, else instructions
	CycleHz uint64 // 0: it is not known
	Window  Window // no longer than the source
	Tasks   []TimelineTask
	Frames  []Frame
	Slices  int64 // calls, exceptions and marks in the window

	paths  paths
	spans  []timelineRow // by their start, the outer one first
	marks  []mark        // by seq
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

// A TimelineTask is a task of a source; its number is its index.
type TimelineTask struct {
	Name      string
	ContextID schema.Null[uint32]

	origin   schema.TaskOrigin
	firstSeq int64
	root     int32 // its first node; none: it has none
	executed Work
}

// A timelineRow is a row of `calls` or of `exception_spans`.
type timelineRow struct {
	seq, end  int64 // of one that was open when trace ended: openEnd
	at, until int64 // cycles of the epoch, then of the axis; unknownTime
	epoch     int32
	node      int32 // of a call; of an exception: notFrame of its frame
	task      int32
	why       schema.CallEnd
}

const (
	openEnd     = math.MaxInt64
	unknownTime = -1
)

// notFrame marks the index of a frame, as a node has none below 0. It is its own inverse.
func notFrame(i int32) int32 { return -2 - i }

func (r *timelineRow) isException() bool { return r.node < none }

// A mark is a point of the trace at which something happened.
type mark struct {
	seq  int64
	text string
}

// An evidence says which task ran from an instruction on.
type evidence struct {
	seq  int64
	task int32 // none: another than before
}

// EachTimeline calls a function with the timeline of each source of the datasets of m, which
// have to be those in dirs, as far as a window of each source goes. It fails with a
// [*dataset.Error] if a dataset has no table that it takes.
func (m *Merged) EachTimeline(dirs []string, test string, w Window, do func(*Timeline) error) error {
	return eachDataset(dirs, test, &schema.Calls, func(d *dataset.Dataset, s *schema.SourceTotals) error {
		if s.Instructions <= w.From {
			return nil
		}
		t, err := m.readTimeline(d, s, w)
		if err != nil {
			return err
		}
		return do(t)
	})
}

// A TimelineSize is how large timelines are.
type TimelineSize struct {
	Sources int   // that have an instruction in the window
	Slices  int64 // of all sources, in the window
	LeftOut int64 // calls that the datasets have no rows of
	Longest int64 // instructions of a source
}

// TimelineSize returns how large the timelines of datasets are in a window.
func (m *Merged) TimelineSize(dirs []string, test string, w Window) (*TimelineSize, error) {
	size := &TimelineSize{}
	return size, eachDataset(dirs, test, &schema.Calls, func(d *dataset.Dataset, s *schema.SourceTotals) error {
		size.LeftOut += s.CallsLeftOut
		size.Longest = max(size.Longest, s.Instructions)
		if s.Instructions <= w.From {
			return nil
		}
		size.Sources++
		n, err := countSlices(d, s, w)
		size.Slices += n
		return err
	})
}
