package stacks

import (
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// tasks are the tasks of a source: the one that runs, and those that wait.
type tasks struct {
	shadow  // of the task that runs, if there is one
	limits  limits
	list    []Task
	now     int32 // the task that runs
	context schema.Null[uint32]
	// bound is the Context ID that the task which runs had when it got its turn.
	bound   schema.Null[uint32]
	waiting []waiting // that which waits longest first
	held    int       // frames of those
	nodes   []int32   // of the chunk at hand, by those of its folder
}

// A waiting is the stack of a task that waits for its turn.
type waiting struct {
	task    int32
	context schema.Null[uint32]
	frames  []frame
	begun   []begin
	clock   work
}

// limits bound what is held for a source, whatever its trace says.
type limits struct {
	job     int // runs, steps and marks of a job, at least
	marks   int // between two instructions: beyond, they are a gap
	nodes   int // of its call trees
	depth   int // frames of a stack: one that grows beyond begins anew
	tasks   int // beyond, what no stack explains is of the task that runs
	waiting int // tasks: beyond, the one that waits longest is dropped
	held    int // frames of those: likewise
	search  int // frames from the top in which a task that waits is looked for
}

var usual = limits{
	job: 16384, marks: 1 << 16, nodes: 1 << 18, depth: 1 << 16, tasks: 1 << 16, waiting: 256,
	held: 1 << 18, search: 32,
}

func newTasks(functions Functions, l limits, rows wanted) *tasks {
	return &tasks{shadow: shadow{functions: functions, tree: newTree(l.nodes), wanted: rows}, limits: l}
}

// chunk takes the next chunk.
func (t *tasks) chunk(c *chunk) {
	if len(t.frames) > 0 {
		t.merge(c)
	} else { // nothing was executed: exceptions are of the task that begins
		t.ended.spans = append(t.ended.spans, c.ended.spans...)
	}
	t.at = c.at
	if !c.end {
		t.step(&c.step)
	}
}

// step applies a step that takes what was before it.
func (t *tasks) step(st *step) {
	switch {
	case st.what == newContext:
		t.context = schema.Of(st.context)
		if len(t.frames) > 0 && !t.bound.OK {
			t.bind()
		}
		return
	case st.what == gap || len(t.frames) == 0:
		t.gap(st)
	case !t.applies(st):
		t.elsewhere(st)
	}
	if !t.settles(st) {
		panic("stacks: the root of a task has nothing below it")
	}
	t.list[t.now].Drift, t.drift = t.list[t.now].Drift+t.drift, 0
}

// applies applies a step to the stack of the task that runs, if that explains it.
func (t *tasks) applies(st *step) bool {
	if t.isOfAnother(st) {
		return false
	}
	calls, spans := len(t.ended.calls), len(t.ended.spans)
	ok := t.apply(st)
	t.own(calls, spans)
	return ok
}

// isOfAnother says whether a return is to another task, whatever addresses the stack at hand returns to: the Context
// ID is no longer that of the task. An exception that came since then is of what wrote the Context ID.
func (t *tasks) isOfAnother(st *step) bool {
	if !t.changesContext() {
		return false
	}
	i := t.lastException()
	switch st.what {
	case exceptionReturn:
		b := t.beginOf(i)
		return b != nil && b.context != t.context
	case goBack, indirect:
		if i >= 0 {
			return false
		}
		waits, _, _ := t.findWaiting(st)
		return waits >= 0
	}
	return false
}

// changesContext says whether the Context ID is no longer that which the task had when it got its turn.
func (t *tasks) changesContext() bool { return t.bound.OK && t.context.OK && t.bound != t.context }

// bind gives the task that runs the Context ID there is.
func (t *tasks) bind() {
	t.bound = t.context
	if task := &t.list[t.now]; !task.ContextID.OK {
		task.ContextID = t.context
	}
}

// merge puts a chunk on top of the stack.
func (t *tasks) merge(c *chunk) {
	if len(t.frames)+len(c.frames)-1 > t.limits.depth {
		t.beginAnew()
	}
	ids := append(t.nodes[:0], t.top().node)
	t.tree.nodes[ids[0]].own.add(c.nodes[0].own)
	for i := range c.nodes[1:] {
		n := &c.nodes[i+1]
		k := n.nodeKey
		k.parent = ids[k.parent-c.first]
		id := t.tree.child(k)
		t.tree.nodes[id].calls += n.calls
		t.tree.nodes[id].own.add(n.own)
		ids = append(ids, id)
	}
	t.nodes = ids
	begun := c.begun
	if c.frames[0].begun {
		if t.top().begun {
			t.begun[len(t.begun)-1].inner.add(begun[0].inner)
		}
		begun = begun[1:]
	}
	for _, f := range c.frames[1:] {
		f.node = ids[f.node-c.first]
		t.frames = append(t.frames, f)
	}
	for _, b := range begun {
		b.entered = ids[b.entered-c.first]
		b.clock.add(t.clock)
		b.context = t.context
		t.begun = append(t.begun, b)
	}
	t.clock.add(c.clock)
	t.ended.unmade += c.ended.unmade
	n := len(t.ended.calls)
	t.ended.calls = append(t.ended.calls, c.ended.calls...)
	for i := range t.ended.calls[n:] {
		x := &t.ended.calls[n+i]
		x.Stack, x.Task = ids[x.Stack-c.first], t.now
	}
	for _, x := range c.ended.spans {
		x.Task = t.now
		t.ended.spans = append(t.ended.spans, x)
	}
	t.list[t.now].Drift += c.drift
}

// beginAnew has the stack begin with the function on top: it has become too deep.
func (t *tasks) beginAnew() {
	st := step{at: t.at, what: gap, function: t.top().function}
	st.to = t.tree.nodes[t.top().node].address
	t.endAll(&st, schema.CallGap)
	t.root(&st)
}

// gap drops all stacks, and begins a task.
func (t *tasks) gap(st *step) {
	origin := schema.TaskGap
	if len(t.list) == 0 {
		origin = schema.TaskStart
	}
	t.drop(st, schema.CallGap)
	t.begin(origin, st)
}

// drop ends the frames of all tasks.
func (t *tasks) drop(st *step, why schema.CallEnd) {
	t.endAll(st, why)
	for _, w := range t.waiting {
		t.now, t.frames, t.begun, t.clock = w.task, w.frames, w.begun, w.clock
		t.endAll(st, why)
	}
	clear(t.waiting)
	t.waiting, t.held = t.waiting[:0], 0
}

// endAll ends all frames of the task that runs.
func (t *tasks) endAll(st *step, why schema.CallEnd) {
	if len(t.frames) > 1 {
		t.endAbove(0, st, why)
	}
	t.frames, t.begun = t.frames[:0], t.begun[:0]
}

// endAbove ends the frames above one.
func (t *tasks) endAbove(i int, st *step, why schema.CallEnd) {
	calls, spans := len(t.ended.calls), len(t.ended.spans)
	for len(t.frames)-1 > i {
		t.pop(st, why)
	}
	t.own(calls, spans)
}

// own gives rows that ended since to the task that runs.
func (t *tasks) own(calls, spans int) {
	for i := range t.ended.calls[calls:] {
		t.ended.calls[calls+i].Task = t.now
	}
	for i := range t.ended.spans[spans:] {
		t.ended.spans[spans+i].Task = t.now
	}
}

// begin begins a task.
func (t *tasks) begin(origin schema.TaskOrigin, st *step) {
	t.now = int32(len(t.list))
	t.list = append(t.list, Task{FirstSeq: st.at.seq, Origin: origin, function: st.function, entered: st.to})
	t.bound = schema.Null[uint32]{}
	t.bind()
	t.frames, t.begun, t.clock = nil, nil, work{} // those before may wait
	t.root(st)
}

// root begins the stack of the task that runs.
func (t *tasks) root(st *step) {
	n := t.tree.enter(nodeKey{
		parent: rootOf(t.now), entry: schema.StackRoot, function: st.function,
		address: t.functions.address(st.function, st.to),
	})
	t.frames, t.begun = append(t.frames[:0], frame{node: n, function: st.function}), t.begun[:0]
}

// elsewhere applies a step that goes to no address of the stack.
func (t *tasks) elsewhere(st *step) {
	switch i, at, several := t.findWaiting(st); {
	case i >= 0:
		next := t.waiting[i]
		t.forget(i)
		t.wait(st)
		t.resume(&next, at, st)
		if several {
			t.list[t.now].Ambiguous++
		}
	case !t.changesContext() && t.unwinds(st):
	case !t.changesContext() && t.neverEntered() || len(t.list) >= t.limits.tasks:
		t.endAll(st, schema.CallGap)
		t.root(st)
	default:
		t.wait(st)
		t.begin(schema.TaskNew, st)
		t.list[t.now].Switches++
	}
}

// unwinds ends the frames above a function to whose inside control went, without a frame that
// returns there: longjmp goes to after the call of setjmp, which has returned, and an exception
// of C++ to its handler. Of several frames of the function it is the one on top.
func (t *tasks) unwinds(st *step) bool {
	if st.what != goBack && st.what != indirect || st.function == none || t.functions.begins(st.function, st.to) {
		return false
	}
	for i := len(t.frames) - 2; i >= max(0, len(t.frames)-reach) && t.frames[i+1].link == byCall; i-- {
		if t.frames[i].function == st.function {
			t.endAbove(i, st, schema.CallReturn)
			return true
		}
	}
	return false
}

// neverEntered says whether no frame of the task that runs was called, or is an exception.
func (t *tasks) neverEntered() bool {
	return !slices.ContainsFunc(t.frames, func(f frame) bool { return f.link != unknown })
}

// findWaiting returns the task that waits to continue at an address, and the index of the frame
// that returns there: that with the fewest frames above it, then the one that waits the
// shortest. several: more than one do. Without one it returns -1.
func (t *tasks) findWaiting(st *step) (task, at int, several bool) {
	task = -1
	above := 0
	for i := range t.waiting {
		w := &t.waiting[i]
		if w.context.OK && t.context.OK && w.context != t.context {
			continue
		}
		n, ok := t.above(w.frames, st)
		if !ok {
			continue
		}
		several = several || task >= 0
		if task < 0 || n <= above {
			task, at, above = i, len(w.frames)-1-n, n
		}
	}
	return task, at, several
}

// above returns how many frames are above the one that returns to where a step goes: to some bytes
// beside that only an exception returns.
func (t *tasks) above(frames []frame, st *step) (n int, ok bool) {
	near := st.what == exceptionReturn
	for n := range min(len(frames), t.limits.search) {
		f := &frames[len(frames)-1-n]
		exact := f.returns && f.back == st.to && f.link != unknown
		if exact || near && f.link == byException && f.returnsTo(st.to) {
			return n, true
		}
	}
	return 0, false
}

// wait has the task that runs wait. The exception that it leaves has ended.
func (t *tasks) wait(st *step) {
	spans := len(t.ended.spans)
	if b := t.beginOf(t.lastException()); b != nil && b.entry != nil {
		t.ended.spans = append(t.ended.spans, b.span(&t.at, st.timestamp, schema.CallSwitch))
		b.entry = nil
	}
	t.own(len(t.ended.calls), spans)
	for len(t.waiting) > 0 && (len(t.waiting) >= t.limits.waiting || t.held+len(t.frames) > t.limits.held) {
		t.dropWaiting(st)
	}
	t.held += len(t.frames)
	t.waiting = append(t.waiting, waiting{t.now, t.bound, t.frames, t.begun, t.clock})
	t.frames, t.begun = nil, nil
}

// beginOf returns where a frame began, by its index; nil for -1, and if nothing needs that.
func (t *tasks) beginOf(frame int) *begin {
	if frame < 0 || !t.frames[frame].begun {
		return nil
	}
	n := len(t.begun) - 1
	for i := len(t.frames) - 1; i > frame; i-- {
		if t.frames[i].begun {
			n--
		}
	}
	return &t.begun[n]
}

// dropWaiting ends the task that waits longest.
func (t *tasks) dropWaiting(st *step) {
	now, frames, begun, clock := t.now, t.frames, t.begun, t.clock
	w := &t.waiting[0]
	t.now, t.frames, t.begun, t.clock = w.task, w.frames, w.begun, w.clock
	t.forget(0)
	t.endAll(st, schema.CallSwitch)
	t.now, t.frames, t.begun, t.clock = now, frames, begun, clock
}

// forget takes a task from those that wait.
func (t *tasks) forget(i int) {
	t.held -= len(t.waiting[i].frames)
	t.waiting = slices.Delete(t.waiting, i, i+1)
}

// resume has a task that waited run, from the frame that one returns to.
func (t *tasks) resume(w *waiting, at int, st *step) {
	t.now, t.frames, t.begun, t.bound, t.clock = w.task, w.frames, w.begun, w.context, w.clock
	if !t.bound.OK {
		t.bind()
	}
	t.list[t.now].Switches++
	calls, spans := len(t.ended.calls), len(t.ended.spans)
	t.end(at, st, schema.CallSwitch)
	t.own(calls, spans)
}

// finish ends the source at a position.
func (t *tasks) finish() {
	t.drop(&step{at: t.at}, schema.CallOpen)
}
