package stacks

import "github.com/tracelake/tracelake/schema"

// A shadow is a shadow stack: of the task that runs, or in a folder what is above the frame
// that was on top when it began.
type shadow struct {
	functions Functions
	tree      tree
	frames    []frame // the bottom one first
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
	link     link
	node     int32
	entered  int32 // the node that was entered; a tail call has another one take its place
	function int32
	back     schema.Null[uint32] // return address
	began    position
	clock    work   // when it began
	inner    work   // of the calls it made
	entry    *entry // of an exception, if its span has not ended
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
}

// nearReturn is how many bytes beside its return address an exception may return.
const nearReturn = 8

// returnsTo says whether an exception with a return address may return to another.
func returnsTo(back schema.Null[uint32], to uint32) bool {
	d := int64(back.V) - int64(to)
	return back.OK && -nearReturn <= d && d <= nearReturn
}

func (s *shadow) top() *frame { return &s.frames[len(s.frames)-1] }

// advance gives the function on top what was executed up to a position.
func (s *shadow) advance(at *position) {
	w := at.since(&s.at)
	s.at.seq = at.seq
	if at.timed {
		s.at = *at
	}
	if len(s.frames) > 0 {
		s.clock.add(w)
		s.tree.nodes[s.top().node].own.add(w)
	}
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
	n := s.tree.enter(nodeKey{parent: s.top().node, entry: entry, function: st.function, address: s.functions.address(st.function, st.to)})
	s.frames = append(s.frames, frame{link: l, node: n, entered: n, function: st.function, back: st.back, began: s.at, clock: s.clock})
}

// pushException pushes the frame of an exception, and that of its handler.
func (s *shadow) pushException(st *step) {
	e := st.entry
	n := s.tree.enter(nodeKey{
		parent: s.top().node, entry: schema.StackException, function: none, exception: exceptionKey(e),
	})
	s.frames = append(s.frames, frame{link: byException, node: n, entered: n, function: none, back: st.back, began: s.at, clock: s.clock, entry: e})
	s.push(unknown, st)
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

// back returns to the caller of the function on top, or of one that called it. It reports false if none within reach has the address before an exception, or the bottom.
func (s *shadow) back(st *step) bool {
	for i := len(s.frames) - 1; i >= max(0, len(s.frames)-reach); i-- {
		switch f := &s.frames[i]; {
		case f.link == byException:
			return false
		case f.link == byCall && f.back.V == st.to:
			s.end(i, st, schema.CallReturn)
			return true
		}
	}
	return false
}

// leave returns from the last exception.
func (s *shadow) leave(st *step) bool {
	i := s.lastException()
	if i < 0 || !returnsTo(s.frames[i].back, st.to) {
		return false
	}
	s.end(i, st, schema.CallException)
	return true
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
	f := s.top()
	s.frames = s.frames[:len(s.frames)-1]
	switch f.link {
	case byCall:
		all := s.clock.less(f.clock)
		s.top().inner.add(all)
		if s.wanted.calls {
			s.ended.calls = append(s.ended.calls, f.call(&s.at, all, why))
		}
	case byException:
		s.clock = f.clock
		if f.entry != nil && s.wanted.spans {
			s.ended.spans = append(s.ended.spans, f.span(&s.at, st.timestamp, why))
		}
	case unknown:
	}
}
