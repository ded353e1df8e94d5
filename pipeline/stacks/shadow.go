package stacks

import (
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// A shadow is a shadow stack: of the task that runs, or in a folder what is above the frame
// that was on top when it began.
type shadow struct {
	functions Functions
	tree      tree
	frames    []frame // the bottom one first
	begun     []begin // of those that need it, in their order
	at        position
	// clock is what was executed of the stack, without exceptions that returned.
	clock  work
	drift  int64 // how often the function on top was not the one that executed
	ended  ended
	wanted wanted
}

// wanted are the rows that are made of what ends.
type wanted struct{ calls, spans bool }

// A frame is a function that was entered and has not returned, or an exception.
type frame struct {
	node     int32
	function int32
	back     schema.Address // return address
	link     link
	returns  bool // it has a return address
	begun    bool // it has a begin
}

// A begin is what rows of a frame that ends say of where it began: of an exception, and if rows
// of calls are wanted of each.
type begin struct {
	at      position
	clock   work
	inner   work                // of the calls it made
	entry   *entry              // of an exception, if its span has not ended
	entered int32               // the node that was entered; a tail call has another one take its place
	context schema.Null[uint32] // the Context ID at the entry of an exception
}

// A link is what is below a frame.
type link uint8

const (
	unknown     link = iota // nothing that is known; the root of a task, and of a handler
	byCall                  // its caller
	byException             // what the exception interrupted
)

// ended are the rows of frames that ended.
type ended struct {
	calls []Call
	spans []Span
	// unmade is how many calls ended that no rows are made of.
	unmade int64
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
	case call:
		s.push(byCall, st)
		return true
	case exception:
		s.pushException(st)
		return true
	case tail, fall:
		return s.replace(st)
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

// push pushes the frame of a function.
func (s *shadow) push(l link, st *step) {
	entry := schema.StackCall
	if l == unknown {
		entry = schema.StackRoot
	}
	n := s.tree.enter(nodeKey{
		parent: s.top().node, entry: entry, function: st.function,
		address: s.functions.address(st.function, st.to),
	})
	s.frames = append(s.frames, frame{link: l, node: n, function: st.function, back: st.back.V, returns: st.back.OK})
	s.beginTop(nil)
}

// beginTop has the frame on top begin, if its rows need that.
func (s *shadow) beginTop(e *entry) {
	if t := s.top(); s.wanted.calls || e != nil {
		t.begun = true
		s.begun = append(s.begun, begin{at: s.at, clock: s.clock, entry: e, entered: t.node})
	}
}

// call pushes the frame of a callee, of a function at an address.
func (s *shadow) call(back schema.Address, function int32, address schema.Address) {
	n := s.tree.call(s.top().node, function, address)
	s.pushCall(n, function, back)
	if s.wanted.calls {
		s.beginTop(nil)
	}
}

// pushCall pushes the frame of a call. Its fields are set in place: a frame that is copied as it
// is made waits for them.
func (s *shadow) pushCall(node, function int32, back schema.Address) {
	n := len(s.frames)
	if n == cap(s.frames) {
		s.frames = slices.Grow(s.frames, 1)
	}
	s.frames = s.frames[:n+1]
	f := &s.frames[n]
	f.node, f.function, f.back, f.link, f.returns, f.begun = node, function, back, byCall, true, false
}

// returned ends the function on top if it was called, returns to an address, and its caller is
// a function that is given: as most do. If not, it does nothing.
func (s *shadow) returned(to schema.Address, function int32) bool {
	top := len(s.frames) - 1
	if t := &s.frames[top]; t.link != byCall || t.back != to || s.frames[top-1].function != function {
		return false
	}
	if s.frames[top].begun {
		s.popCall(schema.CallReturn)
	} else {
		s.ended.unmade++
		s.frames = s.frames[:top]
	}
	return true
}

// pushException pushes the frame of an exception, and that of its handler.
func (s *shadow) pushException(st *step) {
	e := st.entry
	n := s.tree.enter(nodeKey{
		parent: s.top().node, entry: schema.StackException, function: none, exception: exceptionKey(e),
	})
	s.frames = append(s.frames, frame{link: byException, node: n, function: none, back: st.back.V, returns: st.back.OK})
	s.beginTop(e)
	s.spend(work{cycles: e.cycles})
	s.push(unknown, st)
}

// vector has the function that a vector jumps to be the handler.
func (s *shadow) vector(st *step) bool {
	t, n := s.top(), len(s.frames)
	if n < 2 || s.frames[n-2].link != byException {
		return s.replace(st)
	}
	t.node = s.tree.enter(nodeKey{
		parent: s.tree.nodes[t.node].parent, entry: schema.StackRoot,
		function: st.function, address: s.functions.address(st.function, st.to),
	})
	t.function = st.function
	return true
}

// replace has another function take the place of the one on top: a tail call.
func (s *shadow) replace(st *step) bool {
	if len(s.frames) == 1 && s.tree.nodes[s.frames[0].node].parent == below {
		return false
	}
	s.tailCall(st)
	return true
}

func (s *shadow) tailCall(st *step) {
	t := s.top()
	t.node = s.tree.enter(nodeKey{
		parent: s.tree.nodes[t.node].parent, entry: schema.StackTail,
		function: st.function, address: s.functions.address(st.function, st.to),
	})
	t.function = st.function
}

// indirect applies an indirect branch that is neither a call nor a return by its
// instruction: a jump table inside a function, a tail call to the first address of one, or a
// return all the same.
func (s *shadow) indirect(st *step) bool {
	switch {
	case st.function != none && st.function == s.top().function:
		return true
	case s.functions.begins(st.function, st.to):
		return s.replace(st)
	case s.back(st):
		return true
	case st.function != none || s.isPart():
		return false
	case s.top().function == none: // a jump, as far as is known
		return true
	}
	return s.replace(st)
}

// isPart reports that a return may go to a caller below the frames at hand, which are those of a
// folder.
func (s *shadow) isPart() bool {
	return s.tree.nodes[s.frames[0].node].parent == below && len(s.frames) <= reach && s.lastException() < 0
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
		case f.link == byCall && f.back == st.to:
			s.end(i, st, schema.CallReturn)
			return true
		}
	}
	return false
}

// leave returns from the last exception.
func (s *shadow) leave(st *step) bool {
	i := s.lastException()
	switch {
	case i < 0:
		return false
	case s.frames[i].returnsTo(st.to):
		s.end(i, st, schema.CallException)
		return true
	case i > 0 && !s.frames[i].returns && s.frames[i-1].link == byCall && s.frames[i-1].back == st.to:
		s.end(i, st, schema.CallException) // it cut a return, which ends, too
		s.pop(st, schema.CallReturn)
		return true
	}
	return false
}

// settles says whether the function on top is the one that executes next. If not, that takes
// its place, and settles reports false if it could not.
func (s *shadow) settles(st *step) bool {
	if s.top().function == st.function {
		return true
	}
	s.drift++
	return s.replace(st)
}

// end ends a frame, by a return at the end of a step, and those above it for a reason.
func (s *shadow) end(i int, st *step, why schema.CallEnd) {
	for j := len(s.frames) - 1; j > i; j-- {
		s.pop(st, why)
	}
	s.pop(st, schema.CallReturn)
}

// pop ends the frame on top.
func (s *shadow) pop(st *step, why schema.CallEnd) {
	switch f := s.top(); {
	case f.link == byException:
		s.popException(st, why)
	case f.link == byCall && f.begun:
		s.popCall(why)
	case f.link == byCall:
		s.ended.unmade++
		s.frames = s.frames[:len(s.frames)-1]
	default:
		s.drop()
	}
}

// drop takes the frame on top away, and returns where it began, nil if nothing needs that.
func (s *shadow) drop() *begin {
	f := s.top()
	s.frames = s.frames[:len(s.frames)-1]
	if !f.begun {
		return nil
	}
	n := len(s.begun) - 1
	b := &s.begun[n]
	s.begun = s.begun[:n]
	return b
}

// popCall ends the frame on top, a call with its begin.
func (s *shadow) popCall(why schema.CallEnd) {
	b := s.drop()
	all := s.clock.less(b.clock)
	if s.top().begun {
		s.begun[len(s.begun)-1].inner.add(all)
	}
	if s.wanted.calls {
		s.ended.calls = append(s.ended.calls, Call{})
		b.call(&s.ended.calls[len(s.ended.calls)-1], &s.at, all, why)
	} else {
		s.ended.unmade++
	}
}

// popException ends the frame on top, an exception.
func (s *shadow) popException(st *step, why schema.CallEnd) {
	b := s.drop()
	s.clock = b.clock
	if b.entry != nil && s.wanted.spans {
		s.ended.spans = append(s.ended.spans, b.span(&s.at, st.timestamp, why))
	}
}
