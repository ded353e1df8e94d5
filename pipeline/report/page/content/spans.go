package content

import (
	"errors"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report/growth"
	"github.com/tracelake/tracelake/pipeline/report/timeline"
	"github.com/tracelake/tracelake/schema"
)

// resolution is how many parts of a span can be told apart: what is shorter is merged.
const resolution = 4000

// deepest is how many frames of a task are drawn.
const deepest = 250

// mostSpans is how many spans are held: there is no end to them where deep stacks have their turns
// in quick succession.
const mostSpans = 1 << 24

// errManySpans says that there are more.
var errManySpans = errors.New("tasks have too many turns in too many functions")

// A span is a stretch of time in a frame, those of a task above its turn.
type span struct {
	start, end int64
	next       int // the first span after it that is not above it
	frame      int32
	depth      uint16
}

func (s *span) length() int64 { return s.end - s.start }

// A spanReader makes spans of what happens in a source.
type spanReader struct {
	t      *timeline.Timeline
	frames *frameIndex
	number []int32 // of the frames of t, on the page; none: it was not entered yet
	spans  []span
	most   int             // spans
	off    []span          // times in which nothing was traced
	turns  map[int32]int64 // of tasks by their frame, and entries of exceptions
	passed map[int64]int64 // times by seq
	first  int64           // time of the first event
	length int64

	begun   bool
	ledger  *ledger
	tasks   []int32        // their frames
	async   map[int32]bool // frames of exceptions whose handlers are in `tasks`
	doer    doer           // runs now
	running int32          // task; none
	stacks  [][]int32      // frames that each task is in
	open    []int          // spans of the running task, the outermost first
	turned  turnReader
}

// readSpans goes through a timeline, past some instructions.
func readSpans(t *timeline.Timeline, frames *frameIndex, seqs []int64) (*spanReader, error) {
	r := &spanReader{
		t: t, frames: frames, most: mostSpans, turns: map[int32]int64{}, passed: map[int64]int64{},
		ledger: newLedger(4 * resolution), async: map[int32]bool{}, doer: nobody, running: None,
		stacks: make([][]int32, len(t.Tasks)),
		turned: newTurnReader(t.Tasks),
		number: slices.Repeat([]int32{None}, len(t.Frames)),
	}
	for i := range t.Tasks {
		r.tasks = append(r.tasks, frames.task(t.Tasks[i].Name))
	}
	seqs = slices.Clone(seqs)
	slices.Sort(seqs)
	return r, t.WalkPast(slices.Compact(seqs), r.event)
}

// event takes what happens next. Times are from the first event on. It fails with errManySpans.
func (r *spanReader) event(e *timeline.Event) error {
	if !r.begun {
		r.begun, r.first = true, e.At
	}
	at := e.At - r.first
	r.ledger.reach(r.doer, e, at)
	switch e.Kind {
	case timeline.Turn:
		r.turn(e.Task, at)
	case timeline.Enter:
		r.enter(e.Task, e.Frame, at)
	case timeline.Leave:
		r.leave(e.Task, at)
	case timeline.Gap:
		r.turned.end(r.running, at, byGap)
		r.closeAll(at)
		r.running = None
		r.untraced(at, e.Until-r.first)
	case timeline.Pause:
		r.turned.end(r.running, at, "")
		r.turned.began = e.Until - r.first
		r.pause(at, e.Until-r.first)
		r.ledger.reach(nobody, e, e.Until-r.first)
	case timeline.Pass:
		r.passed[e.Seq] = at
	case timeline.End:
		r.turned.end(r.running, at, "")
		r.closeAll(at)
		r.length = at
		r.ledger.finish(e, at)
	case timeline.Mark:
	}
	r.doer = r.doing(r.running)
	if len(r.spans) > r.most {
		return errManySpans
	}
	return nil
}

// turn has a task run, in the frames that it is in.
func (r *spanReader) turn(task int32, at int64) {
	if task == r.running {
		return
	}
	frame := r.tasks[task]
	if of := r.t.Tasks[task].Of; r.running == None || r.t.Tasks[r.running].Of != of {
		r.turned.end(r.running, at, Name(r.t.Tasks[task].Name))
		r.turned.began = at
		r.turns[frame]++
	}
	r.closeAll(at)
	r.running = task
	r.push(frame, at)
	for _, f := range r.stacks[task] {
		r.push(f, at)
	}
}

// untraced notes that nothing was traced from a time to another.
func (r *spanReader) untraced(from, until int64) {
	if until > from {
		r.off = append(r.off, span{start: from, end: until, frame: None})
	}
}

// pause closes what a task runs in, and opens it again when trace goes on.
func (r *spanReader) pause(at, until int64) {
	open := make([]int32, len(r.open))
	for i, s := range r.open {
		open[i] = r.spans[s].frame
	}
	r.closeAll(at)
	for _, frame := range open {
		r.push(frame, until)
	}
	r.untraced(at, until)
}

func (r *spanReader) enter(task, number int32, at int64) {
	if r.number[number] == None {
		f := &r.t.Frames[number]
		r.number[number] = r.frames.frame(f)
		r.async[r.number[number]] = slices.ContainsFunc(r.t.Tasks, func(t timeline.Task) bool { return t.IsHandlers() && t.Name == f.Exception })
	}
	frame := r.number[number]
	r.stacks[task] = append(r.stacks[task], frame)
	if task == r.running {
		r.push(frame, at)
	}
	if r.frames.frames.Kind[frame] == frameException {
		r.turns[frame]++
		if r.frames.frames.Name[frame] != schema.EntryNotSeen {
			r.ledger.add(r.doing(task), share{entries: 1})
		}
	}
}

func (r *spanReader) leave(task int32, at int64) {
	s := &r.stacks[task]
	if len(*s) == 0 {
		return
	}
	if frame := (*s)[len(*s)-1]; task == r.running && r.frames.frames.Kind[frame] == frameException {
		r.turned.leaves(r.frames.frames.Name[frame], at)
	}
	*s = (*s)[:len(*s)-1]
	if task == r.running && len(r.open) > len(*s)+1 {
		r.pop(at)
	}
}

// nobody runs where nothing was traced.
var nobody = doer{None, None, None}

// doing returns what a task does.
func (r *spanReader) doing(task int32) doer {
	if task == None {
		return nobody
	}
	d, stack := doer{r.tasks[task], None, None}, r.stacks[task]
	if n := len(stack); n > 0 {
		d.function = stack[n-1]
	}
	for _, frame := range slices.Backward(stack) {
		if r.frames.frames.Kind[frame] != frameException {
			continue
		}
		if d.exception == None {
			d.exception = frame
		}
		if r.async[frame] {
			d.task = frame
			break
		}
	}
	return d
}

// push opens a span on top.
func (r *spanReader) push(frame int32, at int64) {
	if len(r.open) < deepest {
		r.open = append(r.open, len(r.spans))
		r.spans = append(r.spans, span{start: at, frame: frame, depth: uint16(len(r.open) - 1)})
	}
}

// pop closes the span on top. A function that took no time is forgotten; of tasks and exceptions
// lanes have such spans, too.
func (r *spanReader) pop(at int64) {
	last := len(r.open) - 1
	i := r.open[last]
	if s := &r.spans[i]; s.start == at && i == len(r.spans)-1 && r.frames.frames.Kind[s.frame] == frameFunction {
		r.spans = r.spans[:i]
	} else {
		s.end, s.next = at, len(r.spans)
	}
	r.open = r.open[:last]
}

func (r *spanReader) closeAll(at int64) {
	for len(r.open) > 0 {
		r.pop(at)
	}
}

// A thinner merges spans that are too short to be told apart.
type thinner struct {
	parts int64   // of a span: one that is shorter than such a part of that below is merged
	keep  []int64 // times, ascending: a span that is open at one is not merged
}

// runs calls do with runs of spans, of which each is after the one before: of one span, or of
// several thin ones that are together not longer than a part of whole.
func (t *thinner) runs(whole int64, spans []span, next func(i int) int, do func(first, last int)) {
	short := whole / t.parts
	thin := func(i int) bool { return spans[i].length() < short && !t.kept(&spans[i]) }
	for i := 0; i < len(spans); {
		last, j := i, next(i)
		for thin(i) && j < len(spans) && thin(j) && spans[j].end-spans[i].start <= short {
			last, j = j, next(j)
		}
		do(i, last)
		i = j
	}
}

// kept says whether a span is to be drawn by itself.
func (t *thinner) kept(s *span) bool {
	i, _ := slices.BinarySearch(t.keep, s.start)
	return i < len(t.keep) && t.keep[i] < max(s.end, s.start+1)
}

// spansOf writes spans into the columns of a time: those between two indexes, which are above one
// of a length.
func (t *thinner) spansOf(x *Time, r *spanReader, whole int64, from, to int) {
	above := r.spans[from:to]
	t.runs(whole, above, func(i int) int { return above[i].next - from }, func(first, last int) {
		s := &above[first]
		if first != last {
			x.addSpan(s.depth, r.frames.merged(), s.start, above[last].end)
			return
		}
		if s.length() > 0 {
			x.addSpan(s.depth, s.frame, s.start, s.end)
			t.spansOf(x, r, s.length(), from+first+1, s.next)
		}
	})
}

// addSpan adds a span to the columns, with its start as it is: [Time.pack] makes differences.
func (x *Time) addSpan(depth uint16, frame int32, start, end int64) {
	x.Depth, x.Frame = append(x.Depth, depth), append(x.Frame, frame)
	x.Start, x.Took = append(x.Start, start), append(x.Took, end-start)
}

// laneOf returns the lane of spans of one frame, which are in order of time.
func (t *thinner) laneOf(r *spanReader, frame int32, spans []span) Lane {
	kind := r.frames.frames.Kind[frame]
	l := Lane{
		Name: r.frames.frames.Name[frame], Exception: kind == frameException,
		Turns: r.turns[frame],
	}
	for i := range spans {
		l.All += spans[i].length()
	}
	t.runs(r.length, spans, func(i int) int { return i + 1 }, func(first, last int) {
		l.Start, l.Took = append(l.Start, spans[first].start), append(l.Took, spans[last].end-spans[first].start)
	})
	return l
}

// lanes returns the lanes of tasks, in the order of their first turn, then those of exceptions.
func (t *thinner) lanes(r *spanReader) []Lane {
	var tasks, exceptions []int32
	of := map[int32][]span{}
	for i := range r.spans {
		s := &r.spans[i]
		kind := r.frames.frames.Kind[s.frame]
		if kind != frameTask && kind != frameException {
			continue
		}
		all := of[s.frame]
		switch n := len(all); {
		case n == 0 && kind == frameTask:
			tasks = append(tasks, s.frame)
		case n == 0:
			exceptions = append(exceptions, s.frame)
		case s.start < all[n-1].end: // the same exception in its handler
			continue
		}
		of[s.frame] = append(all, *s)
	}
	lanes := make([]Lane, 0, len(of))
	for _, frame := range slices.Concat(tasks, exceptions) {
		lanes = append(lanes, t.laneOf(r, frame, of[frame]))
	}
	return lanes
}

// offs writes the times in which nothing was traced: those that are too short to be told apart as one.
func (t *thinner) offs(x *Time, r *spanReader) {
	t.runs(r.length, r.off, func(i int) int { return i + 1 }, func(first, last int) {
		x.Off.Start, x.Off.Took = append(x.Off.Start, r.off[first].start), append(x.Off.Took, r.off[last].end-r.off[first].start)
	})
}

// growth returns the growth of a source on the axis.
func (r *spanReader) growth(g *growth.Curve) Growth {
	steps := Growth{}
	for i, seq := range g.Seqs {
		at, ok := r.passed[seq]
		last := len(steps.At) - 1
		switch {
		case !ok:
		case last >= 0 && at-steps.At[last] < r.length/growthSteps && i < len(g.Seqs)-1:
			steps.Count[last] = int64(i + 1)
		default:
			steps.At, steps.Count = append(steps.At, at), append(steps.Count, int64(i+1))
		}
	}
	return steps
}

// growthSteps is how many steps a growth has, about.
const growthSteps = 1000
