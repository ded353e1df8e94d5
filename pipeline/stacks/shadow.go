package stacks

import "github.com/tracelake/tracelake/schema"

// A shadow is a shadow stack: the one that runs, or in a folder what is above the frame
// that was on top when it began.
type shadow struct {
	functions Functions
	tree      tree
	times     times
	frames    []frame // the bottom one first
	begins    []begin // where each of them began
	at        position
	// clock is what was executed of the stack, without exceptions that returned.
	clock  work
	timed  bool  // the source counts cycles
	drift  int64 // how often the function on top was not the one that executed
	done   int64 // frames that ended
	ended  ended
	wanted wanted
}

// wanted are the rows that are made of what ends.
type wanted struct {
	calls int64 // of at least as many instructions
	spans bool
}

// A frame is a function that was entered and has not returned, or an exception.
type frame struct {
	node     int32
	function int32
	back     schema.Address // return address
	link     link
	returns  bool // it has a return address
}

// A begin is where a frame began.
type begin struct {
	at    position
	clock work
	inner work // of the calls it made
	// joined says that it is from before a gap: nobody knows how long it took.
	joined bool
	// Of an exception:
	entry       *entry                // if its span has not ended
	interrupted int32                 // node
	context     schema.Null[identity] // of its first instruction
}

// A link is what is below a frame.
type link uint8

const (
	unknown     link = iota // nothing that is known; the root of a stack, and of a handler
	byCall                  // its caller
	byTail                  // the function that was called, which a tail call left for it
	byException             // what the exception interrupted
)

// ended are the rows of frames that ended, and of segments that began.
type ended struct {
	calls []Call
	spans []Span
	heads []Head
}

func (e *ended) add(x ended) {
	e.calls, e.spans, e.heads = append(e.calls, x.calls...), append(e.spans, x.spans...), append(e.heads, x.heads...)
}

func (e *ended) clear() { e.calls, e.spans, e.heads = e.calls[:0], e.spans[:0], e.heads[:0] }

// renumber gives all rows the node that theirs is elsewhere.
func (e *ended) renumber(node func(int32) int32) {
	for i := range e.calls {
		e.calls[i].Stack = node(e.calls[i].Stack)
	}
	for i := range e.spans {
		if x := &e.spans[i].Stack; x.OK {
			x.V = node(x.V)
		}
	}
	for i := range e.heads {
		e.heads[i].Stack = node(e.heads[i].Stack)
	}
}

// nearReturn is how many bytes beside its return address an exception may return.
const nearReturn = 8

// returnsTo says whether an exception may return to an address.
func (f *frame) returnsTo(to schema.Address) bool {
	d := int64(f.back) - int64(to)
	return f.returns && -nearReturn <= d && d <= nearReturn
}

func (s *shadow) top() *frame { return &s.frames[len(s.frames)-1] }

// advance gives the function on top what was executed up to a position.
func (s *shadow) advance(at *position) {
	w := work{at.seq - s.at.seq, at.cost - s.at.cost}
	if at.timed {
		s.at = *at
	}
	s.at.seq, s.at.cost = at.seq, at.cost
	if len(s.frames) > 0 {
		s.spend(w)
	}
}

// spend gives the frame on top what was executed.
func (s *shadow) spend(w work) {
	s.clock.add(w)
	s.tree.nodes[s.top().node].own.add(w)
}

// apply applies a step. It reports false, and changes nothing, if that takes what is below
// the bottom frame.
func (s *shadow) apply(st *step) bool {
	switch st.what {
	case exception:
		s.pushException(st)
		s.pushHandler(st)
		return true
	case tailChain:
		return s.chain(st)
	case lostException:
		s.pushException(st)
		return true
	case tail, fall:
		return s.tail(st)
	case vector:
		return s.vector(st)
	case indirect:
		return s.indirect(st)
	case goBack:
		return s.back(st)
	case exceptionReturn:
		return s.leave(st)
	case arrival:
		return true
	case gap, newContext:
	}
	return false
}

// push pushes a frame, which begins at the position that was reached.
func (s *shadow) push(f frame) *begin {
	s.frames = append(s.frames, f)
	s.begins = append(s.begins, begin{at: s.at, clock: s.clock})
	return &s.begins[len(s.begins)-1]
}

// pushException pushes the frame of an exception. An asynchronous one has nothing to do with what it interrupts: its
// path begins with it.
func (s *shadow) pushException(st *step) {
	e, interrupted := st.entry, s.top().node
	parent := interrupted
	if e.isAsync() {
		parent = s.tree.handlers
	}
	n := s.enterException(parent, e)
	b := s.push(frame{link: byException, node: n, function: none, back: st.back.V, returns: st.back.OK})
	b.entry, b.interrupted = e, interrupted
	s.spend(work{cycles: e.cycles})
}

// chain has another exception take the place of the last one.
func (s *shadow) chain(st *step) bool {
	i := s.lastException()
	if i < 0 {
		return false
	}
	back := s.frames[i]
	s.end(i, st, schema.CallException)
	st.back = schema.Null[schema.Address]{V: back.back, OK: back.returns}
	s.pushException(st)
	s.pushHandler(st)
	return true
}

// enterException returns the node of an exception below another, which it enters.
func (s *shadow) enterException(parent int32, e *entry) int32 {
	n := s.tree.enter(nodeKey{parent: parent, entry: schema.StackException, function: none, exception: e.exception})
	if x := &s.tree.nodes[n]; x.calls == 1 {
		x.first = s.at.seq
	}
	return n
}

// pushHandler pushes the frame of the handler of the exception on top.
func (s *shadow) pushHandler(st *step) {
	n := s.tree.enter(nodeKey{
		parent: s.top().node, entry: schema.StackRoot, function: st.function, address: s.functions.address(st.function, st.to),
	})
	s.push(frame{node: n, function: st.function})
}

// vector has the function that a vector jumps to be the handler.
func (s *shadow) vector(st *step) bool {
	if n := len(s.frames); n < 2 || s.frames[n-2].link != byException {
		return s.tail(st)
	}
	s.drop()
	s.pushHandler(st)
	return true
}

// tail has another function take the place of the one on top. Its path goes on from the function that was called, so
// that of functions that jump to one another, as in interpreters, each has one path.
func (s *shadow) tail(st *step) bool {
	if len(s.frames) == 1 && s.isPart() { // it may have taken the place of another, too
		return false
	}
	if s.top().link == byTail {
		s.popCall(schema.CallReturn)
		if s.top().function == st.function {
			return true // it jumped back
		}
	}
	n := s.tree.enter(nodeKey{
		parent: s.top().node, entry: schema.StackTail, function: st.function, address: s.functions.address(st.function, st.to),
	})
	s.push(frame{link: byTail, node: n, function: st.function})
	return true
}

// isPart says whether the frames are those of a folder.
func (s *shadow) isPart() bool { return s.tree.nodes[s.frames[0].node].parent == below }

// indirect applies an indirect branch that is neither a call nor a return by its
// instruction: a jump table inside a function, a tail call to the first address of one, or a
// return all the same.
func (s *shadow) indirect(st *step) bool {
	switch {
	case st.function != none && st.function == s.top().function:
		return true
	case s.functions.begins(st.function, st.to):
		return s.tail(st)
	case s.back(st):
		return true
	case st.function != none || s.goesBelow():
		return false
	case s.top().function == none: // a jump, as far as is known
		return true
	}
	return s.tail(st)
}

// goesBelow reports that a return may go to a caller below the frames at hand, which are those of a
// folder.
func (s *shadow) goesBelow() bool {
	return s.isPart() && len(s.frames) <= reach && s.lastException() < 0
}

// reach is how many frames from the top on are looked at for where control returns to, so that a
// step takes no longer in a deep stack.
const reach = 1024

// lastException returns the index of the last exception within reach, -1 if there is none.
func (s *shadow) lastException() int {
	for i := len(s.frames) - 1; i >= max(0, len(s.frames)-reach); i-- {
		if s.frames[i].link == byException {
			return i
		}
	}
	return -1
}

// back returns to the caller of the function on top, or of one that called it. It reports false
// if none within reach has the address before an exception, or the bottom.
func (s *shadow) back(st *step) bool {
	for i := len(s.frames) - 1; i >= max(0, len(s.frames)-reach); i-- {
		switch f := &s.frames[i]; {
		case f.link == byException:
			return false
		case f.link == byCall && (f.back == st.to || !f.returns && i > 0 && s.frames[i-1].function == st.function):
			s.end(i, st, schema.CallReturn)
			return true
		}
	}
	return false
}

// leave returns from the last exception. One without a return address cut a return, if nothing else is known: that
// ends, too, where control goes to its caller.
func (s *shadow) leave(st *step) bool {
	i := s.lastException()
	if i < 0 {
		return false
	}
	if s.frames[i].returnsTo(st.to) {
		s.end(i, st, schema.CallException)
		return true
	}
	cut := i - 1
	if cut > 0 && s.frames[cut].link == byTail {
		cut--
	}
	if s.frames[i].returns || cut < 0 || s.frames[cut].link != byCall || s.frames[cut].back != st.to {
		return false
	}
	s.end(i, st, schema.CallException)
	s.end(cut, st, schema.CallReturn)
	return true
}

// settles says whether the function on top is the one that executes next. If not, that takes
// its place, and settles reports false if it could not.
func (s *shadow) settles(st *step) bool {
	if s.top().function == st.function {
		return true
	}
	s.drift++
	return s.tail(st)
}

// end ends a frame, by a return at the end of a step, and those above it for a reason. What a function jumped to ends
// with it.
func (s *shadow) end(i int, st *step, why schema.CallEnd) {
	for j := len(s.frames) - 1; j > i; j-- {
		if j == i+1 && s.frames[j].link == byTail {
			why = schema.CallReturn
		}
		s.pop(st, why)
	}
	s.pop(st, schema.CallReturn)
}

// pop ends the frame on top.
func (s *shadow) pop(st *step, why schema.CallEnd) {
	switch s.top().link {
	case byException:
		s.popException(st, why)
	case byCall, byTail:
		s.popCall(why)
	default:
		s.drop()
	}
}

// drop takes the frame on top away, and returns where it began.
func (s *shadow) drop() *begin {
	n := len(s.frames) - 1
	b := &s.begins[n]
	s.frames, s.begins = s.frames[:n], s.begins[:n]
	return b
}

// popCall ends the frame on top, of a call or a tail call.
func (s *shadow) popCall(why schema.CallEnd) {
	f := *s.top()
	b := s.drop()
	all := s.clock.less(b.clock)
	s.begins[len(s.begins)-1].inner.add(all)
	if b.joined {
		return
	}
	s.done++
	if why == schema.CallReturn {
		n, took := &s.tree.nodes[f.node], all.of(s.timed)
		n.took.add(took, b.at.seq)
		s.count(n, f.function, took)
	}
	if all.instructions >= s.wanted.calls {
		s.ended.calls = append(s.ended.calls, Call{})
		c := &s.ended.calls[len(s.ended.calls)-1]
		c.Stack, c.Entry = f.node, schema.StackCall
		if f.link == byTail {
			c.Entry = schema.StackTail
		}
		b.call(c, &s.at, all, why)
	}
}

// count counts how long a call took, of a function by a node. Calls of many functions are of one node
// beyond the limit of nodes, so that it notes none of them.
func (s *shadow) count(n *node, function int32, took int64) {
	switch {
	case n.entry != schema.StackOther:
		s.times.add(&n.times, function, n.address, took)
	case function != none:
		s.times.add(new(int32), function, s.functions.address(function, 0), took)
	}
}

// popException ends the frame on top, an exception.
func (s *shadow) popException(st *step, why schema.CallEnd) {
	b := s.drop()
	s.clock = b.clock
	s.done++
	if b.entry != nil && s.wanted.spans {
		s.ended.spans = append(s.ended.spans, b.span(&s.at, st.timestamp, why))
	}
	b.entry = nil
}

// call sets the row of a call that ends at a position.
func (b *begin) call(c *Call, at *position, all work, why schema.CallEnd) {
	c.Seq, c.Epoch, c.End = b.at.seq, b.at.epoch, why
	c.timed, c.ended = b.at.timed, at.timed && at.epoch == b.at.epoch
	c.end, c.cycle, c.endCycle = at.seq, b.at.cycle, at.cycle
	c.all, c.own = all, all.less(b.inner)
}

// span returns the row of an exception that ends at a position, after a timestamp.
func (b *begin) span(at *position, timestamp schema.Null[uint64], why schema.CallEnd) Span {
	e := b.entry
	x := Span{
		Keys: e.Keys, Ordinal: e.ordinal, Stack: schema.Null[int32]{V: b.interrupted, OK: b.interrupted >= 0}, End: why, EndSeq: schema.Null[int64]{V: at.seq, OK: why != schema.CallOpen},
		Instructions: schema.Null[int64]{V: at.seq - b.at.seq, OK: why != schema.CallOpen},
	}
	if at.timed && b.at.timed && at.epoch == b.at.epoch {
		x.Cycles = schema.Of(at.cycle - b.at.cycle)
	}
	if e.timestamp.OK && timestamp.OK && timestamp.V >= e.timestamp.V {
		x.Ticks = schema.Of(int64(timestamp.V - e.timestamp.V))
	}
	return x
}
