package stacks

import (
	"math"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// A folder folds the steps of a job that end what other steps of it began: most calls
// return soon. What is left are chunks, each with a step that takes what came before it.
type folder struct {
	shadow
	chunks []chunk
	stacks []frame // of the chunks
	begins []begin // likewise

	// Of the chunk at hand.
	first  int                        // index of its first node
	before struct{ calls, spans int } // rows of what had ended before it
}

// A chunk is what was executed up to a step: paths from the frame on top, rows of what ended,
// and the frames that are left on top of it.
type chunk struct {
	first  int32   // index of the first of the nodes: that of the frame on top
	nodes  []node  // their parents are by index, too
	frames []frame // the first is that on top
	begun  []begin // of those that have one
	ended  ended
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
func (f *folder) reset(function int32, at position, rows wanted) {
	f.tree.clear()
	f.stacks, f.begins, f.chunks = f.stacks[:0], f.begins[:0], f.chunks[:0]
	f.ended = ended{calls: f.ended.calls[:0], spans: f.ended.spans[:0]}
	f.at, f.wanted = at, rows
	f.start(function)
}

// start begins a chunk.
func (f *folder) start(function int32) {
	f.first = len(f.tree.nodes)
	f.tree.nodes = append(f.tree.nodes, node{nodeKey: nodeKey{parent: below, function: function}})
	f.frames, f.begun = append(f.frames[:0], frame{node: int32(f.first), function: function}), f.begun[:0]
	f.before.calls, f.before.spans, f.ended.unmade, f.drift, f.clock = len(f.ended.calls), len(f.ended.spans), 0, 0, work{}
	f.beginTop(nil)
}

// call has a function at an address be called, at a position.
func (f *folder) call(at *position, back schema.Address, function int32, to schema.Address) {
	f.advance(at)
	f.shadow.call(back, function, f.functions.address(function, to))
}

// goBack has the function on top return to an address in another, at a position. It reports
// false if that is for take to do.
func (f *folder) goBack(at *position, to schema.Address, function int32) bool {
	f.advance(at)
	return f.returned(to, function)
}

// follow does at once what most steps are, between instructions that have no cycles and where no
// rows of calls are wanted: what is on top calls a function, or returns to the caller. It stops at the
// first step that is none of these, and returns how many it did. seq is the ordinal that the steps
// count from.
func (f *folder) follow(steps []decode.Step, ways []way, seq int64) (n int) {
	frames, nodes, at := f.frames, f.tree.nodes, f.at.seq-seq
loop:
	for ; n < len(steps); n++ {
		x, now := &ways[steps[n].Exit()], steps[n].At()
		top := &frames[len(frames)-1]
		switch x.kind {
		case schema.KindCall, schema.KindIndirectCall:
			if x.caller != top.node {
				x.caller, x.callee = top.node, f.tree.calledBy(top.node, x.function, f.functions.address(x.function, x.target))
				nodes = f.tree.nodes
			}
			nodes[top.node].own.instructions += now - at
			nodes[x.callee].calls++
			frames = append(frames, frame{})
			next := &frames[len(frames)-1] // its fields are set in place: a frame that is copied waits for them
			next.node, next.function, next.back, next.link, next.returns = x.callee, x.function, x.back, byCall, true
		case schema.KindReturn:
			if top.link != byCall || top.back != x.target || frames[len(frames)-2].function != x.function {
				break loop
			}
			nodes[top.node].own.instructions += now - at
			f.ended.unmade++
			frames = frames[:len(frames)-1]
		default:
			break loop
		}
		at = now
	}
	f.frames, f.at.seq = frames, at+seq
	return n
}

// alone adds the row of an exception that no stack has, at a position.
func (f *folder) alone(at *position, e *entry, why schema.CallEnd) {
	f.advance(at)
	if b := (begin{at: f.at, entry: e}); f.wanted.spans {
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
	n, b := len(f.stacks), len(f.begins)
	f.stacks, f.begins = append(f.stacks, f.frames...), append(f.begins, f.begun...)
	c := chunk{
		first: int32(f.first), nodes: f.tree.nodes[f.first:], frames: f.stacks[n:], begun: f.begins[b:],
		ended: ended{f.ended.calls[f.before.calls:], f.ended.spans[f.before.spans:], f.ended.unmade},
		drift: f.drift, clock: f.clock, at: f.at, end: st == nil,
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
