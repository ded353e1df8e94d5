package stacks

import (
	"math"

	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// A walker turns the runs of a job, and what came between them, into steps.
type walker struct {
	functions Functions
	to        *folder // takes the steps

	last     last
	at       position
	marks    []mark // not passed yet
	nextMark int64  // ordinal of the first of them

	runs *stitch.Runs // at hand
	span int          // of the run at hand, among runs.Spans
}

// A last is the instruction that was executed last; its block is nil if there was none.
type last struct {
	code     *codeBlock
	position int
	outcome  schema.Outcome
}

// walk walks a job, and leaves the position after it in at.
func (w *walker) walk(j *job) {
	w.last, w.at = j.before, j.at
	w.setMarks(j.marks)
	for i := range j.pieces {
		w.piece(&j.pieces[i], j.blocks)
	}
}

// setMarks sets the marks that are not passed yet.
func (w *walker) setMarks(marks []mark) {
	w.marks, w.nextMark = marks, math.MaxInt64
	if len(marks) > 0 {
		w.nextMark = marks[0].Seq
	}
}

// piece walks the runs of a part. Most go on in the function of the one before: then there
// is nothing to do but to count instructions.
func (w *walker) piece(r *stitch.Runs, blocks []codeBlock) {
	w.runs, w.span, w.at.seq = r, 0, r.Seq
	nextSpan := spanAfter(r, 0)
	function, leaves := w.state()
	for i := r.From; i < r.To; i++ {
		run := &r.Unit.Runs[i]
		if i >= nextSpan {
			for nextSpan = spanAfter(r, w.span); i >= nextSpan; nextSpan = spanAfter(r, w.span) {
				w.span++
			}
		}
		code, end := &blocks[r.Numbers[run.Block]], int(run.First)+int(run.Count)
		if leaves || code.function != function || code.mixed || w.at.seq >= w.nextMark {
			w.enter(code, int(run.First))
			if code.mixed {
				w.through(code, int(run.First), end)
			}
			function = code.function
		}
		w.last = last{code, end - 1, run.Outcome}
		if leaves = code.leaves; end != int(code.length) || code.mixed {
			function, leaves = w.state()
		}
		w.at.seq += int64(run.Count)
		if run.Flags&timed != 0 {
			w.at.time(r, w.span, run)
		}
	}
}

// spanAfter returns the run that the span after one begins with.
func spanAfter(r *stitch.Runs, span int) int {
	if span+1 < len(r.Spans) {
		return r.Spans[span+1].Run
	}
	return math.MaxInt
}

// state returns the function of the last instruction, and whether what comes after it needs
// a closer look even if it is of the same one.
func (w *walker) state() (function int32, leaves bool) {
	l := &w.last
	if l.code == nil {
		return none, true
	}
	return l.code.functionAt(l.position, w.functions), l.code.leavesAt(l.position)
}

// through makes the steps inside a run: into other functions.
func (w *walker) through(code *codeBlock, first, end int) {
	at, function := w.at, code.functionAt(first, w.functions)
	for i := first + 1; i < end; i++ {
		at.seq++
		if f := code.functionAt(i, w.functions); f != function {
			function = f
			w.to.take(&step{at: at, what: fall, to: code.Address[i], function: f})
		}
	}
}

// enter makes the steps between the last instruction and one of a block.
func (w *walker) enter(code *codeBlock, first int) {
	to, function := code.Address[first], code.functionAt(first, w.functions)
	n := 0
	for n < len(w.marks) && w.marks[n].Seq <= w.at.seq {
		n++
	}
	between := w.marks[:n]
	w.setMarks(w.marks[n:])
	switch {
	case w.last.code == nil:
		w.contexts(between)
		w.to.take(&step{at: w.at, what: gap, to: to, function: function})
	case n == 0:
		w.flow(to, function)
	default:
		w.between(between, to, function)
	}
}

// contexts makes the steps of the changes of context.
func (w *walker) contexts(marks []mark) {
	for i := range marks {
		if marks[i].what == markContext {
			w.to.take(&step{at: w.at, what: newContext, context: marks[i].context})
		}
	}
}

// between makes the steps of the last instruction and of marks after it, of which there are
// some, before an instruction at an address.
func (w *walker) between(marks []mark, to uint32, function int32) {
	w.cutFlow(marks, to, function)
	var stopped schema.Null[uint32] // where debug state was entered
	lost := false
	for i := range marks {
		m := &marks[i]
		switch {
		case m.what == markEntry && m.debug:
			stopped = m.returns
		case m.what == markEntry:
			s := step{at: w.at, what: exception, back: m.returns, entry: m.entry, to: to, function: function}
			if t := w.target(marks[i+1:], to); t.OK {
				s.to, s.function = t.V, w.functions.at(t.V)
			}
			w.to.take(&s)
		case m.what == markReturn:
			if t := w.target(marks[i+1:], to); t.OK {
				w.returns(t.V)
			}
		case m.what == markContext:
			w.to.take(&step{at: w.at, what: newContext, context: m.context})
		default:
			lost = lost || !m.debug || !stopped.OK || stopped.V != to
		}
	}
	if lost {
		w.to.take(&step{at: w.at, what: gap, to: to, function: function})
	}
}

// cutFlow makes the step of the last instruction, if it is known where control went after
// it: what comes first of marks decides. Running on to an exception enters no function: the
// handler may go elsewhere.
func (w *walker) cutFlow(marks []mark, to uint32, function int32) {
	first := marks[0].what
	for _, m := range marks {
		if first = m.what; first != markContext {
			break
		}
	}
	switch t := w.target(marks, to); {
	case !t.OK || first == markReturn:
	case first == markContext:
		w.flow(to, function)
	case w.flows():
		w.flow(t.V, w.functions.at(t.V))
	}
}

// target returns where control went before some marks and an instruction at an address: to
// the return address of an exception, or to that instruction, or nobody knows.
func (w *walker) target(marks []mark, to uint32) schema.Null[uint32] {
	for i := range marks {
		switch marks[i].what {
		case markEntry:
			return marks[i].returns
		case markReturn, markGap:
			return schema.Null[uint32]{}
		case markContext:
		}
	}
	return schema.Of(to)
}

// flows says whether the last instruction was one that went elsewhere than to the next.
func (w *walker) flows() bool {
	kind := schema.Kind(w.last.code.Kind[w.last.position])
	return w.last.outcome != schema.NotTaken && (kind == schema.KindBranch || w.last.code.leavesAt(w.last.position))
}

// flow makes the step of the last instruction, after which control went to an address in a
// function.
func (w *walker) flow(to uint32, function int32) {
	l := &w.last
	s := step{at: w.at, what: fall, to: to, function: function}
	if l.outcome != schema.NotTaken {
		switch schema.Kind(l.code.Kind[l.position]) {
		case schema.KindCall, schema.KindIndirectCall:
			s.what, s.back = call, schema.Of(l.code.Address[l.position]+uint32(l.code.Size[l.position]))
		case schema.KindReturn:
			s.what = goBack
		case schema.KindExceptionReturn:
			w.returns(to)
			return
		case schema.KindIndirect:
			s.what = indirect
		case schema.KindBranch:
			s.what = tail
		}
	}
	if (s.what == fall || s.what == tail) && function == l.code.functionAt(l.position, w.functions) {
		return
	}
	w.to.take(&s)
}

// returns makes the step of a return from an exception to an address.
func (w *walker) returns(to uint32) {
	s := step{at: w.at, what: exceptionReturn, to: to, function: w.functions.at(to)}
	if len(w.runs.Spans) > 0 {
		s.timestamp = w.runs.LastTimestamp(&w.runs.Spans[w.span])
	}
	w.to.take(&s)
}
