package flow

import (
	"math"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file adds to warm walks where control leaves functions (see [decode.Step]): to what
// count.go counts, and to the runs that cursor.go and inside.go write. Blocks that have instructions of
// several functions are not walked warm: their runs are in no stretch.

// NoteSteps is called once where steps are wanted. functionOf is that of [decode.Wanted]; nil: they
// are not.
func (w *Walker) NoteSteps(functionOf func(address schema.Address) int32) {
	if w.functionOf = functionOf; functionOf != nil {
		w.returns = new(returns)
	}
}

// EndRuns makes a stretch of the runs from an index on, of n instructions, of which the first is seq. They
// were written with their steps. What follows may take back the last instruction, or not be where control
// went: so the last run is in no stretch, nor is one that comes before it in any case.
func (w *Walker) EndRuns(runs []schema.Run, from int, seq, n int64) {
	if w.functionOf == nil {
		return
	}
	end := max(from, len(runs)-1)
	if end > from && runs[end].Count == 1 {
		end--
	}
	for i := range runs[end:] {
		n -= int64(runs[end+i].Count)
	}
	w.result.Steps = w.result.Steps[:len(w.result.Steps)-len(w.stepsAfter(seq+n-w.Seq))]
	if end > from {
		w.endSteps(decode.Stretch{Run: end, Runs: end - from, Block: runs[from].Block, Instructions: n})
	}
}

// endSteps adds a stretch to the result, with the steps that were noted since the one before.
func (w *Walker) endSteps(s decode.Stretch) {
	s.Steps = len(w.result.Steps) - w.placed
	w.placed = len(w.result.Steps)
	w.result.Stretches = append(w.result.Stretches, s)
}

// locate finds out which functions b has instructions of.
func (w *Walker) locate(b *block) {
	b.located = true
	b.function = w.functionOf(b.place())
	for i := range b.code.Address {
		b.mixed = b.mixed || w.functionOf(b.code.Place(i)) != b.function
	}
}

// isMixed reports whether b has instructions of several functions.
func (w *Walker) isMixed(b *block) bool {
	if w.functionOf == nil || b.code == nil {
		return false
	}
	if !b.located {
		w.locate(b)
	}
	return b.mixed
}

// leaves reports whether control leaves the function of b, or may, by an outcome, for next.
func (w *Walker) leaves(b *block, e uint8, next *block) bool {
	w.isMixed(next) // locates it
	return e == taken && leavesFunction[b.last.Kind] || next.function != b.function
}

// leavesFunction has the kinds of instructions that call, return, or may do either.
var leavesFunction = [...]bool{
	schema.KindCall: true, schema.KindIndirectCall: true, schema.KindIndirect: true,
	schema.KindReturn: true, schema.KindExceptionReturn: true, schema.KindUDF: false,
}

// stepsOf returns, by bit of an outcome, where leaving b is a step, or may be: it is not known
// yet where it leads.
func (w *Walker) stepsOf(b *block) (closed uint8) {
	if w.functionOf == nil {
		return 0
	}
	for e, next := range b.links {
		if next == nil || w.leaves(b, uint8(e), next) {
			closed |= 1 << e
		}
	}
	return closed
}

// noteStep notes that control left b by an outcome for next, n instructions after Seq, if that is
// a step. Without next the walk goes no further.
func (w *Walker) noteStep(b *block, e uint8, next *block, n int64) {
	if w.functionOf == nil || next == nil {
		return
	}
	known := &b.exits[e&1]
	if e == taken && b.flow == isa.Indirect {
		known = w.returnFrom(b, next)
	}
	if *known == 0 {
		*known = w.exit(b, e, next)
	}
	if x := *known; x > noExit {
		w.result.Steps = append(w.result.Steps, decode.NewStep(w.Seq+n-w.partSeq, x-firstExit))
		if w.timed {
			w.result.StepCycles = append(w.result.StepCycles, 0)
		}
	} else if next == b.links[e&1] && b.special>>(e&1)&1 == 0 {
		b.closed &^= 1 << (e & 1)
	}
}

// What is remembered of a way, for the part: 0 is that nothing is known yet, and from firstExit on
// the index of its exit.
const (
	noExit    = 1 // it is no step
	firstExit = 2
)

// returns remember the exits by indirect branches: one for each few ways.
type returns struct {
	base uint32 // of the part: its blocks are those from here on, by their index in the result
	next uint32 // after all blocks of which something is remembered
	ways [1 << returnBits]struct {
		to   schema.Address // address
		from uint32         // block
		exit uint32         // see noExit
	}
}

// begin readies r for another part: what is remembered does not hold there.
func (r *returns) begin() {
	if r.base = r.next; r.base > math.MaxUint32/2 {
		*r = returns{}
	}
}

const returnBits = 12

// returnFrom returns what is remembered of the exit from b to next.
func (w *Walker) returnFrom(b, next *block) *uint32 {
	r, to := w.returns, next.address
	from := r.base + b.index
	x := &r.ways[(b.index*0x9e3779b1^uint32(to)*0x85ebca6b)>>(32-returnBits)]
	if x.from != from || x.to != to {
		x.from, x.to, x.exit = from, to, 0
		r.next = max(r.next, from+1)
	}
	return &x.exit
}

// exit returns what is to be remembered of the way from b by an outcome to next. It adds an exit to the
// result if control leaves a function there, or may.
func (w *Walker) exit(b *block, e uint8, next *block) uint32 {
	if !w.leaves(b, e, next) {
		return noExit
	}
	kind, outcome := b.last.Kind, b.outcomes[e&1]
	if outcome == schema.NotTaken {
		kind = schema.KindOther
	}
	n := len(w.result.Exits)
	w.result.Exits = append(w.result.Exits, decode.Exit{Block: b.index, To: next.address, Function: next.function, Outcome: outcome, Kind: kind})
	return firstExit + uint32(n)
}

// unstep takes back the step by which control left b, n instructions after Seq, if it was one.
func (w *Walker) unstep(b *block, n int64) {
	k := w.lastStep(n)
	if k < 0 || w.result.Exits[w.result.Steps[k].Exit()].Block != b.index {
		return
	}
	w.result.Steps = w.result.Steps[:k]
	if w.timed {
		w.result.StepCycles = w.result.StepCycles[:k]
	}
}

// lastStep returns the index of the last step if it was n instructions after Seq, else -1.
func (w *Walker) lastStep(n int64) int {
	if k := len(w.result.Steps) - 1; k >= w.placed && w.result.Steps[k].At() == w.Seq+n-w.partSeq {
		return k
	}
	return -1
}

// pathSteps are the steps of a path: At counts from its start.
type pathSteps []decode.Step

// PathSteps notes the steps of a path that was taken n instructions after Seq, where blocks have
// no cycles.
func (w *Walker) PathSteps(p *Path, n int64) { w.noteSteps(w.paths.steps[p.slot], n) }

// noteSteps notes steps, which begin n instructions after Seq.
func (w *Walker) noteSteps(steps pathSteps, n int64) {
	n += w.Seq - w.partSeq
	for _, s := range steps {
		w.result.Steps = append(w.result.Steps, s.After(n))
	}
}

// NoteArrival notes that control came to c from the indirect branch that ends the block at left, n
// instructions after Seq.
func (w *Walker) NoteArrival(left, c Cursor, n int64) { w.noteStep(left.b, taken, c.b, n) }

// stepsAfter returns the steps that were noted last, of those that are more than n instructions after Seq.
func (w *Walker) stepsAfter(n int64) []decode.Step {
	first := len(w.result.Steps)
	for first > w.placed && w.result.Steps[first-1].At() > w.Seq+n-w.partSeq {
		first--
	}
	return w.result.Steps[first:]
}

// addStep adds that control leaves b for next to steps of a path, n instructions after its
// start, if it is a step.
func (w *Walker) addStep(to *pathSteps, b *block, e uint8, next *block, n uint32) {
	if w.functionOf == nil {
		return
	}
	if x := w.exit(b, e, next); x > noExit {
		*to = append(*to, decode.NewStep(int64(n), x-firstExit))
	}
}
