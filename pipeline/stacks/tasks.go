package stacks

import (
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// tasks are the stacks of a source.
type tasks struct {
	shadow  // of the stack that runs, if there is one; its tree is that of the stretch
	stretch // at hand
	source  source
	kept    keptStacks
	limits  limits
	now     int32     // the stack that runs, in the stretch
	waiting []waiting // those that wait, longest first
	held    int       // frames of those
	context schema.Null[identity]
	opening *Opening // of the first stack; nil: it is not known, or has begun
	nodes   []int32  // of the chunk at hand, by those of its folder
	out     ended    // rows whose stacks are those of the source
}

// A waiting is a stack that waits for its turn.
type waiting struct {
	stack  int32
	bound  schema.Null[identity]
	frames []frame
	begins []begin
	clock  work
}

func newTasks(functions Functions, l limits, rows wanted) *tasks {
	return &tasks{
		shadow: shadow{functions: functions, tree: newTree(l.nodes), wanted: rows}, limits: l, source: newSource(functions, l),
	}
}

// chunk takes the next chunk.
func (t *tasks) chunk(c *chunk) {
	if len(t.frames)+len(c.frames)-1 > t.limits.depth {
		t.beginAnew()
	}
	if ids := t.mergeNodes(c); len(t.frames) > 0 {
		t.merge(c, ids)
	} else { // nothing was executed: exceptions are of no stack
		t.out.spans = append(t.out.spans, c.ended.spans...)
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
		if len(t.frames) > 0 {
			t.bind()
			t.states()
		}
		return
	case st.what == gap || len(t.frames) == 0:
		t.gap(st)
	case st.what == tailChain && t.lastException() < 0: // all of the stack was the handler of the last one
		st.what = exception
		t.apply(st)
	case t.isOfAnother(st) || !t.apply(st):
		t.elsewhere(st)
	}
	if !t.settles(st) {
		panic("stacks: the root of a stack has nothing below it")
	}
	t.stacks[t.now].drift, t.drift = t.stacks[t.now].drift+t.drift, 0
}

// bind gives the stack that runs the Context ID there is, if it has none.
func (t *tasks) bind() {
	s := &t.stacks[t.now]
	learn(&s.bound, t.context)
	if !t.isFixed() {
		learn(&s.context, s.bound)
	}
}

// states gives the Context ID to the exceptions that were entered since the last instruction: it was written before them.
func (t *tasks) states() {
	for i := len(t.begins) - 1; i >= 0 && t.begins[i].at.seq == t.at.seq; i-- {
		t.begins[i].context = t.context
	}
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
		return i >= 0 && differs(t.begins[i].context, t.context)
	case goBack, indirect:
		if i >= 0 {
			return false
		}
		waits, _, _ := t.findWaiting(st)
		return waits >= 0
	}
	return false
}

// changesContext says whether the Context ID is no longer that which the stack had when it got its turn.
func (t *tasks) changesContext() bool {
	return differs(t.stacks[t.now].bound, t.context)
}

// merge puts a chunk on top of the stack; ids are its nodes in the tree.
func (t *tasks) merge(c *chunk, ids []int32) {
	top := len(t.begins) - 1
	t.begins[top].inner.add(c.begins[0].inner)
	for i := 1; i < len(c.frames); i++ {
		f, b := c.frames[i], c.begins[i]
		f.node = ids[f.node-c.first]
		b.clock.add(t.clock)
		if f.link == byException {
			b.interrupted, b.context = ids[b.interrupted-c.first], t.context
		}
		t.frames, t.begins = append(t.frames, f), append(t.begins, b)
	}
	t.clock.add(c.clock)
	t.done += c.done
	t.done += int64(len(c.ended.heads))
	c.ended.renumber(func(n int32) int32 { return ids[n-c.first] })
	t.ended.add(c.ended)
	t.stacks[t.now].drift += c.drift
}

// mergeNodes adds the nodes of a chunk to the tree, and returns them by those of the chunk.
func (t *tasks) mergeNodes(c *chunk) []int32 {
	ids := append(t.nodes[:0], below)
	if len(t.frames) > 0 {
		ids[0] = t.top().node
		t.tree.nodes[ids[0]].own.add(c.nodes[0].own)
	}
	for i := range c.nodes[1:] {
		n := &c.nodes[i+1]
		k := n.nodeKey
		if isHandlers(k.parent) {
			k.parent = handlers
		} else {
			k.parent = ids[k.parent-c.first]
		}
		id := t.tree.child(k)
		t.tree.nodes[id].join(n)
		ids = append(ids, id)
	}
	t.nodes = ids
	if len(t.frames) == 1 && !t.stacks[t.now].calls {
		t.stacks[t.now].firstCall(c, ids)
	}
	return ids
}

// firstCall finds out what the root called first, if it is on top before a chunk.
func (s *running) firstCall(c *chunk, ids []int32) {
	for i := range c.nodes {
		if n := &c.nodes[i]; n.parent == c.first && n.entry == schema.StackCall {
			s.calls = true
			if n.indirect {
				s.body = ids[i]
			}
			return
		}
	}
}

// beginAnew has the stack begin with the function on top: it has become too deep.
func (t *tasks) beginAnew() {
	st := step{at: t.at, what: gap, function: t.top().function}
	st.to = t.tree.nodes[t.top().node].address
	t.endAll(&st, schema.CallGap)
	t.root(&st)
}

// gap ends the stretch, and begins the next one.
func (t *tasks) gap(st *step) {
	origin := schema.TaskStart
	if len(t.stacks) > 0 {
		t.keep()
		t.drop(st, schema.CallGap)
		t.endStretch()
		origin = schema.TaskGap
	}
	t.begin(origin, st)
}

// drop ends the frames of all stacks.
func (t *tasks) drop(st *step, why schema.CallEnd) {
	t.endAll(st, why)
	for _, w := range t.waiting {
		t.run(&w)
		t.endAll(st, why)
	}
	clear(t.waiting)
	t.waiting, t.held = t.waiting[:0], 0
}

// run has a stack that waits be the one that runs.
func (t *tasks) run(w *waiting) {
	t.now, t.frames, t.begins, t.clock = w.stack, w.frames, w.begins, w.clock
}

// endAll ends all frames of the stack that runs.
func (t *tasks) endAll(st *step, why schema.CallEnd) {
	t.endAbove(0, st, why)
	t.frames, t.begins = t.frames[:0], t.begins[:0]
}

// endAbove ends the frames above one.
func (t *tasks) endAbove(i int, st *step, why schema.CallEnd) {
	for len(t.frames)-1 > i {
		t.pop(st, why)
	}
}

// begin begins a stack.
func (t *tasks) begin(origin schema.TaskOrigin, st *step) {
	t.now = int32(len(t.stacks))
	t.stacks = append(t.stacks, running{
		root: -1, context: t.context, bound: t.context, task: -1, origin: origin, firstSeq: st.at.seq, body: -1, called: none,
	})
	t.clock = work{} // there are no frames: those before ended, or wait in memory of their own
	if !t.open(st) {
		t.root(st)
	}
}

// open has the stack that begins at a step be that of the opening. It reports false, and does nothing, if
// the trace does not begin there, or in a handler: what that interrupted is not in its path.
func (t *tasks) open(st *step) bool {
	o := t.opening
	if t.opening = nil; o == nil || len(o.Frames) == 0 || len(o.Frames) > t.limits.depth {
		return false
	}
	top := &o.Frames[len(o.Frames)-1]
	if o.Frames[0].Entry != schema.StackRoot || t.functionOf(top) != st.function {
		return false
	}
	at := rootOf(t.now)
	links := map[schema.StackEntry]link{schema.StackCall: byCall, schema.StackTail: byTail, schema.StackException: byException}
	for i := range o.Frames {
		x := &o.Frames[i]
		f := frame{link: links[x.Entry], function: t.functionOf(x)}
		k := nodeKey{parent: at, entry: x.Entry, function: f.function, address: x.Address}
		if f.link == byException {
			k.exception = exceptionOf{kind: x.Exception, number: x.Number}
		}
		at = t.tree.child(k)
		f.node = at
		t.push(f).joined = i > 0
	}
	s := &t.stacks[t.now]
	s.root, s.calls = t.frames[0].node, true
	return true
}

// functionOf is the function of a frame, none if it is of an exception, or of code that no function has.
func (t *tasks) functionOf(x *schema.Frame) int32 {
	if x.Entry == schema.StackException || x.Entry == schema.StackOther {
		return none
	}
	return t.functions.at(x.Address)
}

// root begins the frames of the stack that runs.
func (t *tasks) root(st *step) {
	n := t.tree.enter(nodeKey{
		parent: rootOf(t.now), entry: schema.StackRoot, function: st.function,
		address: t.functions.address(st.function, st.to),
	})
	if s := &t.stacks[t.now]; s.root < 0 {
		s.root = n
	}
	t.frames, t.begins = t.frames[:0], t.begins[:0]
	t.push(frame{node: n, function: st.function})
}

// elsewhere applies a step that goes to no address of the stack.
func (t *tasks) elsewhere(st *step) {
	another := t.changesContext()
	switch i, at, several := t.findWaiting(st); {
	case i >= 0:
		next := t.waiting[i]
		t.forget(i)
		t.wait(st)
		t.resume(&next, at, st)
		if several {
			t.stacks[t.now].ambiguous++
		}
	case !another && t.unwinds(st):
	case !another && t.neverEntered() && st.what == exceptionReturn:
		t.leavesUnseen(st)
	case !another && t.neverEntered():
		t.addCaller(st)
	case len(t.stacks) >= t.limits.tasks:
		t.endAll(st, schema.CallGap)
		t.root(st)
	default:
		t.wait(st)
		t.begin(schema.TaskNew, st)
		t.stacks[t.now].switches++
	}
}

// addCaller has the function that control returns to be the caller of the root: what it called is all of the stack.
func (t *tasks) addCaller(st *step) {
	t.endAbove(0, st, schema.CallReturn)
	s, root := &t.stacks[t.now], t.frames[0].node
	t.done++
	if t.isFixed() || s.callers == reach || len(t.tree.nodes) >= t.tree.limit {
		t.root(st)
		return
	}
	if t.joins(root, st) {
		return
	}
	s.callers++
	t.tree.take(root)
	t.root(st)
	below := t.frames[0].node
	t.tree.move(root, below, schema.StackCall)
	s.root, s.calls, s.body, s.called = below, true, -1, t.tree.nodes[root].function
}

// isFixed says whether the roots of the stretch are known: rows cannot wait any longer.
func (t *tasks) isFixed() bool { return t.done >= t.limits.rows }

// leavesUnseen has all of the stack be the handler of an exception, of which only the return is seen. What that
// interrupted begins a stack.
func (t *tasks) leavesUnseen(st *step) {
	t.endAbove(0, st, schema.CallReturn)
	s, root := &t.stacks[t.now], t.frames[0].node
	t.done++
	if !t.isFixed() {
		n := t.tree.enter(nodeKey{parent: handlers, entry: schema.StackException, function: none, exception: exceptionOf{notSeen: true}})
		if x := &t.tree.nodes[n]; x.calls == 1 {
			x.first = s.firstSeq
		}
		t.tree.move(root, n, schema.StackRoot)
		s.root, s.firstSeq, s.calls, s.body, s.called = -1, st.at.seq, false, -1, none
	}
	t.clock = work{}
	t.root(st)
}

// unwinds ends the frames above a function to whose inside control went, without a frame that
// returns there: longjmp goes to after the call of setjmp, which has returned, and an exception
// of C++ to its handler. Of several frames of the function it is the one on top.
func (t *tasks) unwinds(st *step) bool {
	if st.what != goBack && st.what != indirect || st.function == none || t.functions.begins(st.function, st.to) {
		return false
	}
	for i := len(t.frames) - 2; i >= max(0, len(t.frames)-reach) && t.frames[i+1].isCall(); i-- {
		if t.frames[i].function == st.function {
			t.endAbove(i, st, schema.CallReturn)
			return true
		}
	}
	return false
}

// isCall says whether the function was called, or jumped to by one that was.
func (f *frame) isCall() bool { return f.link == byCall || f.link == byTail }

// neverEntered says whether no frame of the stack that runs was called, or is an exception.
func (t *tasks) neverEntered() bool {
	return !slices.ContainsFunc(t.frames, func(f frame) bool { return f.link == byCall || f.link == byException })
}

// findWaiting returns the stack that waits to continue at an address, and the index of the frame
// that returns there: that with the fewest frames above it, then the one that waits the
// shortest. several: more than one do. Without one it returns -1.
func (t *tasks) findWaiting(st *step) (stack, at int, several bool) {
	stack = -1
	above := 0
	for i := range t.waiting {
		w := &t.waiting[i]
		if differs(w.bound, t.context) {
			continue
		}
		frame, n, ok := t.above(w.frames, st)
		if !ok {
			continue
		}
		several = several || stack >= 0
		if stack < 0 || n <= above {
			stack, at, above = i, frame, n
		}
	}
	return stack, at, several
}

// above returns the index of the frame that returns to where a step goes, and how many frames are above it: to some
// bytes beside that only an exception returns.
func (t *tasks) above(frames []frame, st *step) (at, n int, ok bool) {
	near := st.what == exceptionReturn
	for at := len(frames) - 1; at >= 0 && n < t.limits.search; at-- {
		f := &frames[at]
		if f.link == byTail {
			continue
		}
		exact := f.returns && f.back == st.to && f.link != unknown
		if exact || near && f.link == byException && f.returnsTo(st.to) {
			return at, n, true
		}
		n++
	}
	return 0, 0, false
}

// wait has the stack that runs wait. The exception that it leaves has ended.
func (t *tasks) wait(st *step) {
	if i := t.lastException(); i >= 0 && t.begins[i].entry != nil {
		b := &t.begins[i]
		if t.wanted.spans {
			t.ended.spans = append(t.ended.spans, b.span(&t.at, st.timestamp, schema.CallSwitch))
		}
		b.entry = nil
	}
	for len(t.waiting) > 0 && (len(t.waiting) >= t.limits.waiting || t.held+len(t.frames) > t.limits.held) {
		t.dropWaiting(st)
	}
	t.held += len(t.frames)
	t.waiting = append(t.waiting, waiting{t.now, t.stacks[t.now].bound, t.frames, t.begins, t.clock})
	t.frames, t.begins = nil, nil
}

// dropWaiting ends the stack that waits longest.
func (t *tasks) dropWaiting(st *step) {
	running := waiting{stack: t.now, frames: t.frames, begins: t.begins, clock: t.clock}
	longest := t.waiting[0]
	t.forget(0)
	t.run(&longest)
	t.endAll(st, schema.CallSwitch)
	t.run(&running)
}

// forget takes a stack from those that wait.
func (t *tasks) forget(i int) {
	t.held -= len(t.waiting[i].frames)
	t.waiting = slices.Delete(t.waiting, i, i+1)
}

// resume has a stack that waited run, from the frame that one returns to.
func (t *tasks) resume(w *waiting, at int, st *step) {
	t.run(w)
	t.bind()
	t.stacks[t.now].switches++
	t.end(at, st, schema.CallSwitch)
}

// finish ends the source at a position.
func (t *tasks) finish() {
	if len(t.stacks) > 0 {
		t.drop(&step{at: t.at}, schema.CallOpen)
		t.endStretch()
	}
}

// keep keeps the stacks of the stretch for those that come after the gap.
func (t *tasks) keep() {
	from := max(0, len(t.waiting)-mostKept+1)
	for i := range t.waiting[from:] {
		w := &t.waiting[from+i]
		t.kept.keep(w.stack, w.bound, w.frames, &t.tree)
	}
	t.kept.keep(t.now, t.stacks[t.now].bound, t.frames, &t.tree)
}

// joins has the stack that runs go on with one that was kept, if one has a call which returns to where a step goes. Its
// root, which has nothing below, becomes what that called.
func (t *tasks) joins(root int32, st *step) bool {
	if t.source.recursive[st.function] { // nobody knows how deep
		return false
	}
	frames, task := t.kept.find(st, t.context)
	if frames == nil || len(t.tree.nodes)+len(frames) > t.tree.limit {
		return false
	}
	t.tree.take(root)
	t.frames, t.begins = t.frames[:0], t.begins[:0]
	at := rootOf(t.now)
	for _, f := range frames {
		k := f.nodeKey
		if k.parent = at; isHandlers(f.parent) {
			k.parent = handlers
		}
		at = t.tree.child(k)
		f.node = at
		t.push(f.frame).joined = true
	}
	t.tree.move(root, at, schema.StackCall)
	s := &t.stacks[t.now]
	s.root, s.task, s.calls, s.body = t.frames[0].node, task, true, -1
	s.joined++
	return true
}

// ready takes the rows that wait for nothing any more.
func (t *tasks) ready() ended {
	if t.isFixed() {
		t.settle()
	}
	rows := t.out
	t.out = ended{}
	return rows
}
