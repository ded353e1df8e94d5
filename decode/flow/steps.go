package flow

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// This file adds to what count.go counts where control leaves functions (see [decode.Step]).
// Blocks that have instructions of several functions are not counted in: they become runs.

// CountSteps is called once where steps are wanted. functionOf is that of [decode.Wanted].
func (w *Walker) CountSteps(functionOf func(address uint32) int32) { w.functionOf = functionOf }

// locate finds out which functions b has instructions of.
func (w *Walker) locate(b *block) {
	b.located = true
	b.function = w.functionOf(uint32(b.at))
	for _, a := range b.code.Address {
		b.mixed = b.mixed || w.functionOf(a) != b.function
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
	if w.leaves(b, e, next) {
		w.result.Steps = append(w.result.Steps, w.stepTo(b, e, next, n))
	} else if next == b.links[e&1] && e&b.special == 0 {
		b.closed &^= 1 << (e & 1)
	}
}

func (w *Walker) stepTo(b *block, e uint8, next *block, n int64) decode.Step {
	kind := schema.KindOther
	if b.outcomes[e&1] != schema.NotTaken {
		kind = b.last.Kind
	}
	return decode.Step{
		At: w.Seq + n - w.partSeq, Block: b.index, To: uint32(next.at), Function: next.function, Outcome: b.outcomes[e&1], Kind: kind,
	}
}

// unstep takes back the step by which control left b, n instructions after Seq, if it was one.
func (w *Walker) unstep(b *block, n int64) {
	if last := w.lastStep(n); last != nil && last.Block == b.index {
		w.result.Steps = w.result.Steps[:len(w.result.Steps)-1]
	}
}

// lastStep returns the last step if it was n instructions after Seq.
func (w *Walker) lastStep(n int64) *decode.Step {
	if k := len(w.result.Steps); k > w.partSteps && w.result.Steps[k-1].At == w.Seq+n-w.partSeq {
		return &w.result.Steps[k-1]
	}
	return nil
}

// TimeStep gives the step n instructions after Seq, if there is one, the cycle of the instruction
// that it left.
func (w *Walker) TimeStep(n, cycle int64) {
	if w.functionOf == nil {
		return
	}
	if last := w.lastStep(n); last != nil {
		last.Cycle = cycle
	}
}

// pathSteps are the steps of a path: At counts from its start.
type pathSteps []decode.Step

// PathSteps notes the steps of a path that was taken n instructions after Seq.
func (w *Walker) PathSteps(p *Path, n int64) { w.noteSteps(w.paths.steps[p.slot], n) }

// noteSteps notes steps, which begin n instructions after Seq.
func (w *Walker) noteSteps(steps pathSteps, n int64) {
	n += w.Seq - w.partSeq
	for _, s := range steps {
		s.At += n
		w.result.Steps = append(w.result.Steps, s)
	}
}

// addStep adds that control leaves b for next to steps of a path, n instructions after its
// start, if it is a step.
func (w *Walker) addStep(to *pathSteps, b *block, e uint8, next *block, n uint32) {
	if w.functionOf != nil && w.leaves(b, e, next) {
		s := w.stepTo(b, e, next, 0)
		s.At = int64(n)
		*to = append(*to, s)
	}
}
