package stacks

import (
	"math"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/schema"
)

// A walker turns the runs of a job, and what came between them, into steps.
type walker struct {
	functions Functions
	places    schema.Places
	to        *folder // takes the steps

	last     last
	entry    lastEntry
	step     step  // the one that is made; its position is that reached
	spent    int64 // cycles of the run at hand that its position has
	marks    marks // not passed yet
	nextMark int64 // ordinal of the first of them

	// The part at hand.
	part   *stitch.Runs
	blocks []codeBlock // of the source, by number
	span   int         // of the run at hand, among part.Spans
	steps  int         // of the part, that were walked
	costs  []uint32    // of the instructions of its runs that have them, from the run at hand on

	unit       *decode.Result // of what follows
	unitBlocks []unitBlock    // its blocks
	ends       []leaving      // on which control left those for another function last
	exits      []leaving      // its exits
	waiting    []decode.Step  // that are not made yet: the index of the exit is that of the block that is left
}

// walk walks a job, and leaves the position after it in the step. to takes the steps.
func (w *walker) walk(j *job, to *folder) {
	*w = walker{
		functions: to.functions, places: w.places, to: to, last: j.before, step: step{at: j.at}, entry: j.entry,
		unitBlocks: w.unitBlocks, ends: w.ends, exits: w.exits, waiting: slices.Grow(w.waiting[:0], maxWait),
	}
	w.marks, w.nextMark = j.marks, j.marks.Next()
	heads := j.heads
	for i := range j.pieces {
		isHead := len(heads) > 0 && heads[0] == i
		if isHead {
			heads = heads[1:]
		}
		w.piece(&j.pieces[i], j.blocks, isHead)
	}
	for i := range w.marks { // after all that was executed
		w.to.alone(&w.step.at, w.marks[i].Means.entry, schema.CallOpen)
	}
}

// piece walks the runs of a part, and what was counted between them. A segment may begin with it.
func (w *walker) piece(r *stitch.Runs, blocks []codeBlock, isHead bool) {
	w.part, w.blocks, w.span, w.steps, w.costs = r, blocks, 0, 0, r.Unit.Costs[r.Cost:r.Costs]
	w.step.at.seq = r.Seq
	w.setUnit()
	if isHead {
		w.head()
	}
	from := r.From
	for i := range r.Stretches {
		s := &r.Stretches[i]
		w.runs(from, s.Run-s.Runs)
		from = s.Run
		w.counted(s)
	}
	w.runs(from, r.To)
}

// head makes the steps before the first instruction of the part, with which a segment begins, and notes
// where they lead to.
func (w *walker) head() {
	r := w.part
	run := &r.Unit.Runs[r.From]
	block, first := run.Block, int(run.First)
	if len(r.Stretches) > 0 && r.Stretches[0].Run-r.Stretches[0].Runs == r.From {
		block, first = r.Stretches[0].Block, r.Stretches[0].First(r.Unit)
	}
	w.spanOf(r.From)
	code := &w.blocks[r.Numbers[block]]
	w.enter(code, first)
	w.last = last{code: code, position: first, gone: true}
	w.to.head(r.Base.Segment.V)
}

// setUnit sets blocks and exits to those of the unit, as far as the part knows its blocks.
func (w *walker) setUnit() {
	r := w.part
	if w.unit != r.Unit {
		w.unit, w.unitBlocks, w.ends, w.exits = r.Unit, w.unitBlocks[:0], w.ends[:0], w.exits[:0]
	}
	for n := len(w.unitBlocks); n < r.Blocks; n++ {
		b := &w.blocks[r.Numbers[n]]
		w.unitBlocks = append(w.unitBlocks, b.unitBlock)
		w.ends = append(w.ends, leaving{kind: b.kind, back: b.next, caller: below})
	}
	exits := r.Unit.Exits
	for n := len(w.exits); n < len(exits) && int(exits[n].Block) < r.Blocks; n++ {
		x := &exits[n]
		w.exits = append(w.exits, leaving{kind: x.Kind, back: w.ends[x.Block].back, target: x.To, function: x.Function, caller: below})
	}
}

// runs walks runs of the part. Most continue in the function of the one before: then there
// is nothing to do but to count instructions.
func (w *walker) runs(from, to int) {
	r, blocks := w.part, w.unitBlocks
	runs := r.Unit.Runs[from:to]
	function, kind := w.state()
	seq, nextSpan, again := w.step.at.seq, 0, w.again()
	whole := false // the run before goes up to the end of its block
	for i := range runs {
		run := &runs[i]
		if from+i >= nextSpan {
			w.make()
			nextSpan = w.spanOf(from + i)
		}
		p, end := &blocks[run.Block], seq+int64(run.Count)
		if kind != schema.KindOther || p.one != function || end > w.nextMark {
			inside := p.one == several || end > w.nextMark
			if again && whole && !inside && kind != schema.KindOther && run.First == 0 && !w.entry.isVector(seq) {
				w.wait(&runs[i-1], p, seq)
			} else {
				w.make()
				w.enterAfter(runs[:i], seq, int(run.Block), int(run.First))
				if inside {
					w.through(run)
				}
			}
		}
		seq, whole = end, true
		function, kind = p.one, p.kind
		if run.Outcome == schema.NotTaken {
			kind = schema.KindOther
		}
		switch {
		case p.one == several:
			whole = false
			w.last = lastOf(run, r.Numbers, w.blocks)
			function, kind = w.state()
		case run.First+run.Count != p.length: // only the last instruction of a block leaves it
			whole, kind = false, schema.KindOther
		}
		if run.Flags&timed != 0 {
			w.spend(run)
		}
	}
	w.make()
	w.step.at.seq = seq
	if len(runs) > 0 {
		w.last = lastOf(&runs[len(runs)-1], r.Numbers, w.blocks)
	}
}

// spend passes the cycles of a run: those of its last instruction, or of each, of which through
// may have passed some.
func (w *walker) spend(run *schema.Run) {
	at := &w.step.at
	at.cost += int64(run.Cycles) - w.spent
	at.time(w.part, w.span, run.Cycle)
	if w.spent = 0; run.Flags&schema.RunHasCosts != 0 {
		w.costs = w.costs[run.Count:]
	}
}

// wait has the step wait that is from the end of a run to the block of the next one, whose first
// instruction has an ordinal: many are made faster than one by one.
func (w *walker) wait(last *schema.Run, next *unitBlock, seq int64) {
	x := &w.ends[last.Block]
	if x.target != next.address || x.function != next.one {
		w.make() // those that took it to elsewhere
		x.target, x.function, x.caller = next.address, next.one, below
	}
	if len(w.waiting) == cap(w.waiting) {
		w.make()
	}
	w.waiting = append(w.waiting, decode.NewStep(seq-w.part.Seq, last.Block))
}

// maxWait is how many steps wait at most.
const maxWait = 1024

// make makes the steps that wait.
func (w *walker) make() {
	w.along(w.waiting, w.ends, 0)
	w.waiting = w.waiting[:0]
}

// along makes steps of the part, by some of the exits. Where cycles are traced they are of a stretch, and
// spent is where, in cycles of the epoch, what was spent counts from.
func (w *walker) along(steps []decode.Step, exits []leaving, spent int64) {
	r, again := w.part, w.again()
	for i := 0; ; i++ {
		if again && (i > 0 || len(steps) == 0 || !w.entry.isVector(r.Seq+steps[0].At())) {
			i += w.to.follow(steps[i:], exits, r.Seq)
		}
		if i == len(steps) {
			return
		}
		w.step.at.seq = r.Seq + steps[i].At()
		if r.Base.CycleAccurate {
			cycle := r.StepCycles[w.steps+i]
			w.step.at.time(r, w.span, cycle)
			w.step.at.cost = cycle - spent
		}
		x := &exits[steps[i].Exit()]
		if i == 0 && w.entry.isVector(w.step.at.seq) && w.entry.jumps(x.kind, x.back, x.target) {
			w.take(vector, x.target, x.function)
			continue
		}
		w.leave(x.kind, x.back, x.target, x.function)
	}
}

// again says whether steps may be made together: see [folder.follow].
func (w *walker) again() bool { return !w.part.Base.CycleAccurate }

// enterAfter makes the steps between the last of some runs, or if there are none what came before
// them, and an instruction of a block of the unit.
func (w *walker) enterAfter(runs []schema.Run, seq int64, block, first int) {
	w.step.at.seq = seq
	if n := len(runs); n > 0 {
		w.last = lastOf(&runs[n-1], w.part.Numbers, w.blocks)
	}
	w.enter(&w.blocks[w.part.Numbers[block]], first)
}

// spanOf moves on to the span of a run, and returns the run that the next one begins with.
func (w *walker) spanOf(run int) int {
	spans := w.part.Spans
	for w.span+1 < len(spans) && spans[w.span+1].Run <= run {
		w.span++
	}
	if w.span+1 < len(spans) {
		return spans[w.span+1].Run
	}
	return math.MaxInt
}

// counted walks a stretch that the decoder counted: it says where functions were left.
func (w *walker) counted(s *decode.Stretch) {
	r := w.part
	w.spanOf(s.Run)
	first := &w.blocks[r.Numbers[s.Block]]
	if function, kind := w.state(); kind != schema.KindOther || first.function != function || w.step.at.seq >= w.nextMark {
		w.enter(first, s.First(r.Unit))
	}
	next := &r.Unit.Runs[s.Run]
	seq, cost := w.step.at.seq+s.Instructions, w.step.at.cost+s.Cycles
	w.along(r.Steps[w.steps:][:s.Steps], w.exits, next.Cycle-int64(next.Cycles)-cost)
	w.steps += s.Steps
	w.step.at.seq, w.step.at.cost = seq, cost
	w.last = last{code: &w.blocks[r.Numbers[next.Block]], position: int(next.First), gone: true}
}

// state returns the function of the last instruction, and its kind if that leaves.
func (w *walker) state() (function int32, kind schema.Kind) {
	l := &w.last
	if l.code == nil {
		return none, schema.KindIndirect
	}
	if kind = l.kind(); !leaves(kind) {
		kind = schema.KindOther
	}
	return l.code.functionAt(l.position, w.functions), kind
}

// functionOf returns the function of an address after the last instruction.
func (w *walker) functionOf(to schema.Address) int32 {
	if w.last.code == nil {
		return w.functions.at(to)
	}
	return w.functions.at(w.places.Of(w.last.code.Key.State, to))
}

// through makes the steps inside a run: into other functions, and where marks are.
func (w *walker) through(run *schema.Run) {
	code, first, end := &w.blocks[w.part.Numbers[run.Block]], int(run.First), int(run.First+run.Count)
	function := code.functionAt(first, w.functions)
	for i := first + 1; i < end; i++ {
		w.step.at.seq++
		if run.Flags&schema.RunHasCosts != 0 {
			cost := int64(w.costs[i-1-first])
			w.step.at.cost, w.spent = w.step.at.cost+cost, w.spent+cost
		}
		f := code.functionAt(i, w.functions)
		switch {
		case w.step.at.seq >= w.nextMark:
			w.last = last{code: code, position: i - 1, outcome: schema.Unknown}
			w.enter(code, i)
		case f != function:
			w.take(fall, code.Address[i], f)
		}
		function = f
	}
}

// enter makes the steps between the last instruction and one of a block.
func (w *walker) enter(code *codeBlock, first int) {
	to, function := code.Address[first], code.functionAt(first, w.functions)
	between := w.marks.Pass(w.step.at.seq)
	w.nextMark = w.marks.Next()
	if w.vector(between, to, function) {
		return
	}
	switch {
	case w.last.code == nil:
		w.before(between)
		w.take(gap, to, function)
	case len(between) == 0:
		w.flow(to, function)
	default:
		w.between(between, to, function)
	}
}

// vector makes the step of a vector, if the last instruction is one, before marks and an instruction at an address.
// It reports false, and does nothing, if not: so it is where a handler returns at once.
func (w *walker) vector(marks marks, to schema.Address, function int32) bool {
	l := &w.last
	if !w.entry.isVector(w.step.at.seq) || l.code == nil || l.gone && len(marks) == 0 {
		return false
	}
	kind := schema.Kind(l.code.Kind[l.position])
	stays := !leaves(kind) && function == l.code.functionAt(l.position, w.functions) // wherever runs and segments end
	for i := range marks {
		switch m := &marks[i].Means; {
		case m.what == markEntry, m.what == markGap && !m.program:
			return false
		case m.what == markReturn && kind != schema.KindExceptionReturn: // of profile M: no opcode says so, but a packet
			return false
		case m.what == markGap:
			kind, stays = schema.KindBranch, false
		}
	}
	if stays || !w.entry.jumps(kind, l.next(), to) {
		return false
	}
	for i := range marks {
		if m := &marks[i].Means; m.what == markContext {
			w.takeContext(m.context)
		}
	}
	w.take(vector, to, function)
	return true
}

// before makes the steps of marks before anything was executed.
func (w *walker) before(marks marks) {
	for i := range marks {
		if marks[i].Means.what == markContext {
			w.takeContext(marks[i].Means.context)
		}
		w.to.alone(&w.step.at, marks[i].Means.entry, schema.CallGap)
	}
}

// between makes the steps of the last instruction and of marks after it, of which there are
// some, before an instruction at an address.
func (w *walker) between(marks marks, to schema.Address, function int32) {
	if _, kind := w.state(); kind == schema.KindExceptionReturn {
		marks = w.contextsFirst(marks)
	}
	if len(marks) == 0 {
		w.flow(to, function)
		return
	}
	w.cutFlow(marks, to, function)
	var stopped schema.Null[schema.Address] // where debug state was entered
	var debug *entry
	lost, chained := false, false
	for i := range marks {
		m := &marks[i].Means
		switch {
		case m.what == markEntry && m.debug:
			w.to.alone(&w.step.at, debug, schema.CallGap)
			stopped, debug = m.returns, m.entry
		case m.what == markEntry:
			w.step.back, w.step.entry, w.entry = m.returns, m.entry, lastEntry{w.step.at.seq, m.returns}
			switch t := w.target(marks[i+1:], to); {
			case !t.OK:
				w.take(lostException, 0, none)
			case chained:
				w.take(tailChain, t.V, w.functionOf(t.V))
			default:
				w.take(exception, t.V, w.functionOf(t.V))
			}
			chained = false
		case m.what == markReturn:
			chained = isChained(marks[i+1:])
			if t := w.target(marks[i+1:], to); t.OK && !w.aborted(marks[i+1:]) {
				w.returns(t.V)
			}
		case m.what == markContext:
			w.takeContext(m.context)
		case m.restart:
			lost = lost || !w.goesOn(to) || slices.ContainsFunc(marks, func(m stitch.Mark[mark]) bool { return m.Means.another })
		default:
			lost = lost || !m.debug || !stopped.OK || stopped.V != to
		}
	}
	if lost {
		w.entry.seq = -1
		w.to.alone(&w.step.at, debug, schema.CallGap)
		w.take(gap, to, function)
	} else {
		w.to.alone(&w.step.at, debug, schema.CallReturn)
		w.take(arrival, to, function)
	}
}

// isChained says whether marks after a return from an exception begin with the entry to another, in profile M, which
// has no return address of its own then.
func isChained(marks marks) bool {
	for i := range marks {
		if m := &marks[i].Means; m.what != markContext {
			return m.what == markEntry && !m.returns.OK
		}
	}
	return false
}

// contextsFirst makes the steps of the Context IDs that are stated before the next exception or gap, after a return from an
// exception: they are of what that goes to. An ETMv1 states one with the address. It returns the other marks.
func (w *walker) contextsFirst(marks marks) (others marks) {
	n := slices.IndexFunc(marks, func(m stitch.Mark[mark]) bool { return m.Means.what == markEntry || m.Means.what == markGap })
	for i := range marks {
		if m := &marks[i].Means; m.what == markContext && (n < 0 || i < n) {
			w.takeContext(m.context)
		} else {
			others = append(others, marks[i])
		}
	}
	return others
}

// goesOn says whether an address is the next one after the last instruction, which went nowhere else: where trace
// restarts there, what ran meanwhile came back.
func (w *walker) goesOn(to schema.Address) bool {
	kind := w.last.kind()
	return (kind == schema.KindOther || kind == schema.KindBarrier) && !w.last.gone && to == w.last.next()
}

// cutFlow makes the step of the last instruction, if it is known where control went after
// it: what comes first of marks decides. Running on to an exception enters no function: the
// handler may go elsewhere.
func (w *walker) cutFlow(marks marks, to schema.Address, function int32) {
	first := marks[0].Means.what
	for i := range marks {
		if first = marks[i].Means.what; first != markContext {
			break
		}
	}
	switch t := w.target(marks, to); {
	case !t.OK || first == markReturn:
	case w.aborted(marks):
	case first == markContext:
		w.flow(to, function)
	case w.flows() && w.isVector(t.V):
		w.take(vector, t.V, w.functionOf(t.V))
	case w.flows():
		w.flow(t.V, w.functionOf(t.V))
	}
}

// isVector says whether the last instruction is a vector that jumped to an address, before another exception.
func (w *walker) isVector(to schema.Address) bool {
	function, kind := w.state()
	elsewhere := kind != schema.KindOther || w.functionOf(to) != function
	return elsewhere && w.entry.isVector(w.step.at.seq) && w.entry.jumps(w.last.kind(), w.last.next(), to)
}

// aborted says whether the last instruction is to be executed again after the exception that comes first of marks.
func (w *walker) aborted(marks marks) bool {
	for i := range marks {
		if m := &marks[i].Means; m.what != markContext {
			return m.what == markEntry && m.returns == schema.Of(w.last.code.Address[w.last.position])
		}
	}
	return false
}

// target returns where control went before some marks and an instruction at an address: to
// the return address of an exception, or to that instruction, or nobody knows.
func (w *walker) target(marks marks, to schema.Address) schema.Null[schema.Address] {
	for i := range marks {
		switch marks[i].Means.what {
		case markEntry:
			return marks[i].Means.returns
		case markReturn, markGap:
			return schema.Null[schema.Address]{}
		case markContext:
		}
	}
	return schema.Of(to)
}

// flows says whether the last instruction was one that went elsewhere than to the next.
func (w *walker) flows() bool {
	kind := w.last.kind()
	return kind == schema.KindBranch || leaves(kind)
}

// flow makes the step of the last instruction, after which control went to an address in a
// function.
func (w *walker) flow(to schema.Address, function int32) {
	if kind := w.last.kind(); leaves(kind) || function != w.last.code.functionAt(w.last.position, w.functions) {
		w.leave(kind, w.last.next(), to, function)
	}
}

// leave makes the step of an instruction of a kind, after which next is, that went to an
// address in a function: in another one, if the kind is not one that leaves.
func (w *walker) leave(kind schema.Kind, next, to schema.Address, function int32) {
	switch kind {
	case schema.KindCall, schema.KindIndirectCall:
		w.to.call(&w.step.at, next, function, to, kind == schema.KindIndirectCall)
	case schema.KindReturn:
		if !w.to.goBack(&w.step.at, to, function) {
			w.take(goBack, to, function)
		}
	case schema.KindExceptionReturn:
		w.returns(to)
	case schema.KindIndirect:
		w.take(indirect, to, function)
	case schema.KindBranch:
		w.take(tail, to, function)
	default:
		w.take(fall, to, function)
	}
}

// returns makes the step of a return from an exception to an address.
func (w *walker) returns(to schema.Address) { w.take(exceptionReturn, to, w.functionOf(to)) }

// take makes a step of a kind, to an address in a function.
func (w *walker) take(kind what, to schema.Address, function int32) {
	w.step.what, w.step.to, w.step.function = kind, to, function
	switch kind {
	case goBack, indirect, exceptionReturn, tailChain, gap:
		w.step.timestamp = w.part.LastTimestamp(&w.part.Spans[w.span])
	}
	w.to.take(&w.step)
}

// takeContext makes the step of a change of Context ID.
func (w *walker) takeContext(id identity) {
	w.step.what, w.step.context = newContext, id
	w.to.take(&w.step)
}
