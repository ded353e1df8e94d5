package stacks

import "math"

// A folder folds the steps of a job that end what other steps of it began: most calls
// return soon. What is left are chunks, each with a step that takes what came before it.
type folder struct {
	shadow
	chunks []chunk
	stacks []frame // of the chunks

	// Of the chunk at hand.
	first int // index of its first node
	calls int // of its first call, among those that ended
	spans int // likewise
}

// A chunk is what was executed up to a step: paths from the frame on top, rows of what ended,
// and the frames that are left on top of it.
type chunk struct {
	first  int32   // index of the first of the nodes: that of the frame on top
	nodes  []node  // their parents are by index, too
	frames []frame // the first is that on top
	ended  ended
	drift  int64
	clock  work     // of what was executed
	at     position // after it
	step   step     // if the job does not end there
	end    bool     // it does
}

// newFolder returns a folder, which has to be reset.
func newFolder(functions Functions, rows wanted) *folder {
	return &folder{shadow: shadow{functions: functions, tree: newTree(math.MaxInt32), wanted: rows}}
}

// reset has the folder begin at a position, with a function on top.
func (f *folder) reset(function int32, at position) {
	f.tree.clear()
	f.stacks = f.stacks[:0]
	f.chunks, f.ended.calls, f.ended.spans = f.chunks[:0], f.ended.calls[:0], f.ended.spans[:0]
	f.at = at
	f.begin(function)
}

// begin begins a chunk.
func (f *folder) begin(function int32) {
	f.first = len(f.tree.nodes)
	f.tree.nodes = append(f.tree.nodes, node{nodeKey: nodeKey{parent: below, function: function}})
	f.frames = append(f.frames[:0], frame{node: int32(f.first), function: function, began: f.at})
	f.calls, f.spans, f.drift, f.clock = len(f.ended.calls), len(f.ended.spans), 0, work{}
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
	f.begin(function)
}

// end ends the chunk at hand at a step; nil: at the end of the job.
func (f *folder) end(st *step, as what) {
	n := len(f.stacks)
	f.stacks = append(f.stacks, f.frames...)
	c := chunk{
		first: int32(f.first), nodes: f.tree.nodes[f.first:], frames: f.stacks[n:],
		ended: ended{f.ended.calls[f.calls:], f.ended.spans[f.spans:]}, drift: f.drift, clock: f.clock, at: f.at, end: st == nil,
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
