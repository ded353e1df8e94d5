package timeline

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// An Event is what happens at a time.
type Event struct {
	Kind  Kind
	Task  int32  // in Timeline.Tasks, of a turn, or of what is entered or left
	Frame int32  // in Timeline.Frames, of what is entered or left
	Text  string // of a mark
	Seq   int64  // of the instruction that is executed next
	At    int64  // in Timeline.Unit; it never falls
	Exact bool   // rows say At; else it is in proportion to the instructions between two that do
	Until int64  // of a gap, and of a pause
}

// A Kind is what happens.
type Kind uint8

// What happens.
const (
	Turn  Kind = iota // a task has its turn, until another has
	Enter             // a task enters a frame
	Leave             // and leaves the one that it entered last
	Gap               // nothing was traced; every frame was left before it
	Pause             // trace was off, and everything goes on
	Mark              // something else
	Pass              // an instruction that [Timeline.WalkPast] was asked for is executed
	End               // the window ends, and every frame was left
)

func (k Kind) String() string {
	return [...]string{"turn", "enter", "leave", "gap", "pause", "mark", "pass", "end"}[k]
}

// Untraced is what viewers show of a gap.
const Untraced = "[untraced]"

// Walk calls a function with what happens, in order of time. It fails if rows contradict one
// another, or the function fails.
func (t *Timeline) Walk(do func(*Event) error) error {
	w := &walker{Timeline: t, do: do, running: none, seen: -1, at: t.from, exact: true, lanes: make([]lane, len(t.Tasks))}
	w.skipHandlers()
	for w.err == nil {
		n := w.next()
		if !w.open && (n.seq > t.Window.From || n.seq == t.Window.From && n.what >= aMark) {
			w.begin()
		}
		if n.what == nothing || n.seq >= t.Window.Until {
			break
		}
		switch n.what {
		case anEnd:
			w.end(n.task, n.seq)
		case aGap:
			w.gap()
		case aTask:
			w.task()
		case aMark:
			w.mark()
		case aRow:
			w.row()
		}
	}
	w.finish()
	return w.err
}

// WalkPast does as Walk, and says at which times it passes some instructions of the window.
func (t *Timeline) WalkPast(seqs []int64, do func(*Event) error) error {
	with := *t
	with.marks = slices.Clone(t.marks)
	for _, seq := range seqs {
		if w := t.Window; w.From <= seq && seq < w.Until {
			with.marks = append(with.marks, mark{seq: seq, pass: true})
		}
	}
	slices.SortStableFunc(with.marks, func(x, y mark) int { return cmp.Compare(x.seq, y.seq) })
	return with.Walk(do)
}

// A walker goes through a timeline.
type walker struct {
	*Timeline
	do      func(*Event) error
	open    bool // the window has begun
	err     error
	lanes   []lane // by task
	asleep  sleepers
	used    []int32 // the tasks that were in frames since the last gap, some of them twice
	running int32
	seen    int64 // seq from which that is known
	path    []int32

	nextTask, nextGap, nextMark, nextRow int
	timed                                int // the first row, from nextRow on, whose time is known
	nextPoint                            int

	at    point // that was reached; of times before the window it keeps that of from
	exact bool  // its time is what rows say
}

// What comes next, in the order in which it does at one instruction.
type what uint8

const (
	anEnd what = iota // of frames
	aGap
	aTask // that begins
	aMark
	aRow
	nothing
)

type next struct {
	what what
	seq  int64
	task int32
}

// next returns what comes next. A gap leaves all frames itself.
func (w *walker) next() next {
	n := next{what: nothing, seq: math.MaxInt64}
	if w.running != none {
		n.soon(next{anEnd, w.lanes[w.running].end(), w.running})
	}
	if s := w.sleeper(); s != nil {
		n.soon(next{anEnd, s.end, s.task})
	}
	if w.nextTask < len(w.Tasks) {
		n.soon(next{aTask, w.Tasks[w.nextTask].firstSeq, int32(w.nextTask)})
	}
	if gap := w.gapSeq(); gap <= n.seq && gap != math.MaxInt64 {
		n = next{aGap, gap, none}
	}
	if w.nextMark < len(w.marks) {
		n.soon(next{aMark, w.marks[w.nextMark].seq, none})
	}
	if w.nextRow < len(w.spans) {
		x := &w.spans[w.nextRow]
		if x.seq < n.seq || x.seq == n.seq && n.what == aGap && x.atGap() && int(x.task) < w.nextTask { // it is before that
			n = next{aRow, x.seq, x.task}
		}
	}
	return n
}

// soon takes what comes before.
func (n *next) soon(x next) {
	if x.seq < n.seq {
		*n = x
	}
}

// gapSeq returns where the next gap is.
func (w *walker) gapSeq() int64 {
	if w.nextGap < len(w.gaps) {
		return w.gaps[w.nextGap]
	}
	return math.MaxInt64
}

// skipHandlers passes tasks that run in others.
func (w *walker) skipHandlers() {
	for w.nextTask < len(w.Tasks) && w.Tasks[w.nextTask].IsHandlers() {
		w.nextTask++
	}
}

// emit passes on what happens at the time that was reached.
func (w *walker) emit(e *Event) {
	if w.open && w.err == nil {
		e.Seq, e.At, e.Exact = w.at.seq, w.at.at, w.exact
		w.err = w.do(e)
	}
}

// reach reaches an instruction. Its time is that which a row has, else by the points around it.
func (w *walker) reach(seq, known int64, epoch int32) {
	if seq <= w.at.seq {
		return
	}
	after := w.known(seq)
	at := between(w.at, after, seq)
	w.exact = !w.axis.timed || after.seq == seq
	if known >= 0 {
		at, w.at.epoch = min(known, max(after.at, w.at.at)), epoch
		w.exact = at == known
	}
	w.exact = w.exact && at >= w.at.at
	w.at.seq, w.at.at = seq, max(at, w.at.at)
}

// known returns the first point from an instruction on whose time is known: where the frame on top ends, an exception
// returns, or a row begins.
func (w *walker) known(seq int64) point {
	first := w.until
	if w.running != none && len(w.lanes[w.running]) > 0 {
		if f := w.lanes[w.running].top(); f.until >= 0 && seq <= f.end && f.end < first.seq {
			first = point{f.end, f.until, w.at.epoch}
		}
	}
	for w.nextPoint < len(w.points) && w.points[w.nextPoint].seq < seq {
		w.nextPoint++
	}
	if w.nextPoint < len(w.points) && w.points[w.nextPoint].seq < first.seq {
		first = w.points[w.nextPoint]
	}
	w.timed = max(w.timed, w.nextRow)
	for ; w.timed < len(w.spans); w.timed++ {
		x := &w.spans[w.timed]
		if !w.axis.timed || x.seq > first.seq {
			break
		}
		if x.at >= 0 && x.seq >= seq {
			return point{x.seq, x.at, x.epoch}
		}
	}
	return first
}

// turn has a task have its turn.
func (w *walker) turn(task int32, seq int64) {
	w.seen = seq
	if task == w.running {
		return
	}
	w.sleep(w.running)
	w.running = task
	w.emit(&Event{Kind: Turn, Task: task})
}

// end leaves the frames of a task that end.
func (w *walker) end(task int32, seq int64) {
	l := w.lanes[task]
	n := len(l)
	until := int64(unknownTime)
	left, ran := false, false
	for n > 0 && l[n-1].end == seq {
		n--
		f := &l[n]
		if f.kind == guess || f.cut {
			continue
		}
		if f.until >= 0 {
			until = f.until
		}
		switch {
		case f.kind == exception && f.why == schema.CallSwitch:
			left = true
		case f.why != schema.CallGap && f.why != schema.CallOpen:
			ran = true
		}
	}
	w.reach(seq, until, w.at.epoch)
	w.leaveDownTo(task, n)
	if task != w.running {
		w.sleep(task)
	}
	switch {
	case left && task == w.running:
		if t := w.nextToRun(); t != none {
			w.turn(t, seq)
		}
	case ran && !left:
		w.turn(task, seq)
	}
}

// nextToRun returns the task that ran from now on, by the row that is next; none: there is no
// row before another task begins, or a gap.
func (w *walker) nextToRun() int32 {
	at, task := w.after.seq, w.after.task
	if w.nextRow < len(w.spans) {
		at, task = w.spans[w.nextRow].seq, w.spans[w.nextRow].task
	}
	if gap := w.gapSeq(); at > gap || at == gap && (w.nextRow >= len(w.spans) || !w.spans[w.nextRow].atGap()) {
		at, task = gap, none
	}
	for _, s := range []*sleeper{w.sleeper(), w.awake()} {
		if s != nil && s.end <= at && s.end != openEnd {
			at, task = s.end, s.task
		}
	}
	if w.nextTask < len(w.Tasks) && w.Tasks[w.nextTask].firstSeq <= at {
		return none
	}
	return task
}

// leaveDownTo leaves the frames of a task but the n outermost.
func (w *walker) leaveDownTo(task int32, n int) {
	for i := len(w.lanes[task]) - 1; i >= n; i-- {
		if i < deepest {
			w.emit(&Event{Kind: Leave, Task: task, Frame: w.lanes[task][i].frame})
		}
	}
	w.lanes[task] = w.lanes[task][:n]
}

// entered says that a task entered the frame that is on top.
func (w *walker) entered(task int32) {
	if l := w.lanes[task]; len(l) <= deepest {
		w.emit(&Event{Kind: Enter, Task: task, Frame: l.top().frame})
	}
}

// task begins the next task.
func (w *walker) task() {
	task := int32(w.nextTask)
	x := &w.Tasks[task]
	w.nextTask++
	w.skipHandlers()
	w.reach(x.firstSeq, unknownTime, none)
	w.turn(task, x.firstSeq)
	w.start(task)
}

// start has a task that is in no frame be in those that it is in at its next row, as far as these have no rows of
// their own; without one in its root.
func (w *walker) start(task int32) {
	if len(w.lanes[task]) > 0 {
		return
	}
	if w.nextRow < len(w.spans) {
		x := &w.spans[w.nextRow]
		if x.task == task && x.seq < w.gapSeq() && !x.isException() && w.paths.parent(x.node) != none {
			w.enters(task, w.paths.parent(x.node))
			return
		}
	}
	root := w.Tasks[task].root
	if root == none {
		return
	}
	w.guess(task, root, w.paths.frames[root])
	if handler, ok := w.paths.handlers[w.paths.frames[root]]; ok && handler != none && w.Tasks[task].unseen {
		w.guess(task, none, handler)
	}
}

// gap leaves everything, as nothing is known of what led to the next instruction.
func (w *walker) gap() {
	seq := w.gaps[w.nextGap]
	w.nextGap++
	end, after, ok := w.axis.after(w.at.epoch, w.known(seq).epoch)
	if ok {
		w.at, w.exact = point{seq, max(end.end, w.at.at), after.number}, true
	} else {
		w.reach(seq, unknownTime, none)
	}
	for _, t := range w.inFrames() {
		w.leaveDownTo(t, 0)
		w.lanes[t] = nil
	}
	before := w.running
	w.used, w.running, w.asleep, w.seen = w.used[:0], none, w.asleep[:0], seq
	off := w.off(seq)
	until := max(off.until, w.at.at)
	if ok {
		until = max(after.start, until)
	} else {
		w.at.at = max(off.from, w.at.at)
	}
	w.emit(&Event{Kind: Gap, Until: until})
	w.at.at = until
	if w.nextTask < len(w.Tasks) && w.Tasks[w.nextTask].firstSeq == seq {
		return
	}
	task := w.nextToRun()
	if task == none {
		task = before
	}
	if task != none {
		w.turn(task, seq)
		w.start(task)
	}
}

// inFrames returns the tasks that are in frames, in order.
func (w *walker) inFrames() []int32 {
	slices.Sort(w.used)
	w.used = slices.Compact(w.used)
	return w.used
}

// mark passes the next mark.
func (w *walker) mark() {
	m := &w.marks[w.nextMark]
	w.nextMark++
	w.reach(m.seq, unknownTime, none)
	if m.pass {
		w.emit(&Event{Kind: Pass})
		return
	}
	if m.pause {
		off := w.off(m.seq)
		w.at.at = max(off.from, w.at.at)
		w.emit(&Event{Kind: Pause, Until: max(off.until, w.at.at)})
		w.at.at = max(off.until, w.at.at)
		return
	}
	w.emit(&Event{Kind: Mark, Text: m.text})
}

// row enters what the next row is of.
func (w *walker) row() {
	x := &w.spans[w.nextRow]
	w.reach(x.seq, x.at, x.epoch)
	w.nextRow++
	w.turn(x.task, x.seq)
	f := laneFrame{node: x.node, end: x.end, until: x.until, why: x.why, kind: call}
	if x.isException() {
		f.node, f.frame, f.kind, f.cuts = none, notFrame(x.node), exception, x.why == schema.CallSwitch
	} else {
		// Which task handlers are in is not known, or not which of them a call is of.
		f.frame, f.cuts = w.paths.frames[x.node], w.Tasks[x.task].origin == schema.TaskException
		w.enters(x.task, w.paths.parent(x.node))
	}
	l, err := w.lanes[x.task].push(f, x, w.Timeline)
	if err != nil {
		w.err = fmt.Errorf("%s: tables calls and exception_spans: %w; export again", w.Dir, err)
		return
	}
	w.lanes[x.task] = l
	w.used = append(w.used, x.task)
	w.entered(x.task)
	if x.isException() {
		w.interrupted(x.task)
	}
}

// begin begins the window.
func (w *walker) begin() {
	from := w.Window.From
	if b := &w.before; b.seq > w.seen || b.seq == w.seen && b.task != none {
		task := b.task
		if task == none {
			task = w.nextToRun()
		}
		if task != none {
			w.turn(task, from)
			w.start(task)
		}
	}
	w.reach(from, unknownTime, none)
	w.open = true
	if w.running == none {
		return
	}
	w.emit(&Event{Kind: Turn, Task: w.running})
	for _, task := range w.inFrames() {
		for _, f := range w.lanes[task][:min(len(w.lanes[task]), deepest)] {
			w.emit(&Event{Kind: Enter, Task: task, Frame: f.frame})
		}
	}
}

// finish ends the window.
func (w *walker) finish() {
	w.reach(w.Window.Until, unknownTime, none)
	if w.at.seq == w.until.seq { // the entry of an exception took time that nothing was executed in
		w.at.at = max(w.at.at, w.until.at)
	}
	for _, task := range w.inFrames() {
		w.leaveDownTo(task, 0)
	}
	for w.nextMark < len(w.marks) {
		w.mark()
	}
	w.emit(&Event{Kind: End})
}
