package stacks

import (
	"math"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// A folder folds the steps of a job that end what other steps of it began: most calls
// return soon. What is left are chunks, each with a step that takes what came before it.
type folder struct {
	shadow
	chunks []chunk
	stacks []frame // of the chunks
	starts []begin // likewise

	// Of the chunk at hand.
	first  int // index of its first node
	before struct {
		calls, spans, heads int // rows of what had ended before it
	}
}

// A chunk is what was executed up to a step: paths from the frame on top, rows of what ended,
// and the frames that are left on top of it.
type chunk struct {
	first  int32   // index of the first of the nodes: that of the frame on top
	nodes  []node  // their parents are by index, too
	frames []frame // the first is that on top
	begins []begin
	ended  ended
	done   int64
	drift  int64
	clock  work     // of what was executed
	at     position // after it
	step   step     // if the job does not end there
	end    bool     // it does
}

// newFolder returns a folder, which has to be reset.
func newFolder(functions Functions) *folder {
	return &folder{shadow: shadow{functions: functions, tree: newTree(math.MaxInt32)}}
}

// reset has the folder begin at a position, with a function on top, and make rows that are
// wanted.
func (f *folder) reset(function int32, at position, rows wanted, timed bool) {
	f.tree.clear()
	f.stacks, f.starts, f.chunks = f.stacks[:0], f.starts[:0], f.chunks[:0]
	f.ended.clear()
	f.at, f.wanted, f.timed = at, rows, timed
	f.start(function)
}

// start begins a chunk.
func (f *folder) start(function int32) {
	f.first = len(f.tree.nodes)
	f.tree.handlers = handlers + int32(f.first)
	f.tree.nodes = append(f.tree.nodes, node{nodeKey: nodeKey{parent: below, function: function}})
	f.frames, f.begins, f.clock = f.frames[:0], f.begins[:0], work{}
	f.push(frame{node: int32(f.first), function: function})
	f.before.calls, f.before.spans, f.before.heads = len(f.ended.calls), len(f.ended.spans), len(f.ended.heads)
	f.done, f.drift = 0, 0
}

// call has a function at an address be called, at a position, by a call that is indirect or not.
func (f *folder) call(at *position, back schema.Address, function int32, to schema.Address, indirect bool) {
	f.advance(at)
	n := f.tree.calledBy(f.top().node, function, f.functions.address(function, to), indirect)
	f.tree.nodes[n].calls++
	f.push(frame{link: byCall, node: n, function: function, back: back, returns: true})
}

// goBack has the function on top return to its caller, at an address in a function, at a position, as most do. It reports
// false if that is for take to do.
func (f *folder) goBack(at *position, to schema.Address, function int32) bool {
	f.advance(at)
	top := len(f.frames) - 1
	if t := &f.frames[top]; t.link != byCall || t.back != to || f.frames[top-1].function != function {
		return false
	}
	f.popCall(schema.CallReturn)
	return true
}

// follow does at once what most steps are, between instructions that have no cycles: what is on top calls a function,
// or returns to the caller. It stops at the first step that is none of these, and returns how many it did. seq is the
// ordinal that the steps count from.
func (f *folder) follow(steps []decode.Step, exits []leaving, seq int64) (n int) {
	frames, begins, nodes, at := f.frames, f.begins, f.tree.nodes, f.at.seq-seq
	lag := f.clock.instructions - at // of what was executed of the stack
loop:
	for ; n < len(steps); n++ {
		x, now := &exits[steps[n].Exit()], steps[n].At()
		last := len(frames) - 1
		top := &frames[last]
		switch x.kind {
		case schema.KindCall, schema.KindIndirectCall:
			if x.caller != top.node {
				x.caller = top.node
				x.callee = f.tree.calledBy(top.node, x.function, f.functions.address(x.function, x.target), x.kind == schema.KindIndirectCall)
				nodes = f.tree.nodes
			}
			nodes[top.node].own.instructions += now - at
			nodes[x.callee].calls++
			if last+1 == cap(frames) || last+1 == cap(begins) {
				frames, begins = slices.Grow(frames, 1), slices.Grow(begins, 1)
			}
			frames, begins = frames[:last+2], begins[:last+2]
			next, b := &frames[last+1], &begins[last+1] // set in place: what is copied as it is made waits
			next.node, next.function, next.back, next.link, next.returns = x.callee, x.function, x.back, byCall, true
			b.at.seq, b.clock.instructions, b.inner.instructions = now+seq, now+lag, 0
		case schema.KindReturn:
			if top.link != byCall || top.back != x.target || frames[last-1].function != x.function {
				break loop
			}
			b, callee := &begins[last], &nodes[top.node]
			callee.own.instructions += now - at
			took := now + lag - b.clock.instructions
			f.count(callee, top.function, took)
			callee.took.add(took, b.at.seq)
			begins[last-1].inner.instructions += took
			f.done++
			if took >= f.wanted.calls {
				f.ended.calls = append(f.ended.calls, Call{
					Seq: b.at.seq, Stack: top.node, Entry: schema.StackCall, End: schema.CallReturn, end: now + seq,
					all: work{instructions: took}, own: work{instructions: took - b.inner.instructions},
				})
			}
			frames, begins = frames[:last], begins[:last]
		default:
			break loop
		}
		at = now
	}
	f.frames, f.begins, f.at.seq, f.clock.instructions = frames, begins, at+seq, at+lag
	return n
}

// head notes the node of the frame on top, in which the first instruction of a segment is executed.
func (f *folder) head(segment int32) {
	f.ended.heads = append(f.ended.heads, Head{segment, f.top().node})
}

// alone adds the row of an exception that no stack has, at a position, unless it is nil: nothing executed is known of
// what it interrupted, or of its handler. What its entry took is nobody else's: entries to debug state have a count, and no handler.
func (f *folder) alone(at *position, e *entry, why schema.CallEnd) {
	if e == nil {
		return
	}
	f.advance(at)
	if e.cycles > 0 {
		f.tree.nodes[f.enterException(f.tree.handlers, e)].own.cycles += e.cycles
	}
	if b := (begin{at: f.at, entry: e, interrupted: below}); f.wanted.spans {
		f.ended.spans = append(f.ended.spans, b.span(&f.at, schema.Null[uint64]{}, why))
	}
}

// take takes the next step.
func (f *folder) take(st *step) {
	f.advance(&st.at)
	if !f.apply(st) {
		f.cut(st, st.what)
	} else if f.top().function != st.function && !f.settles(st) {
		f.cut(st, fall)
	}
}

// cut ends the chunk at hand at a step, which is done as another kind of step.
func (f *folder) cut(st *step, as what) {
	function := st.function
	if as == newContext {
		function = f.top().function
	}
	f.end(st, as)
	f.start(function)
}

// end ends the chunk at hand at a step; nil: at the end of the job.
func (f *folder) end(st *step, as what) {
	n := len(f.stacks)
	f.stacks, f.starts = append(f.stacks, f.frames...), append(f.starts, f.begins...)
	c := chunk{
		first: int32(f.first), nodes: f.tree.nodes[f.first:], frames: f.stacks[n:], begins: f.starts[n:],
		ended: ended{f.ended.calls[f.before.calls:], f.ended.spans[f.before.spans:], f.ended.heads[f.before.heads:]},
		done:  f.done, drift: f.drift, clock: f.clock, at: f.at, end: st == nil,
	}
	if st != nil {
		c.step = *st
		c.step.what = as
	}
	f.chunks = append(f.chunks, c)
}

// finish ends the job at a position.
func (f *folder) finish(at *position) {
	f.advance(at)
	f.end(nil, gap)
}
