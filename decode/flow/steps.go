package flow

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/isa"
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
	if x := w.exit(b, e, next); x >= 0 {
		w.result.Steps = append(w.result.Steps, decode.NewStep(w.Seq+n-w.partSeq, uint32(x)))
		if w.timed {
			w.result.StepCycles = append(w.result.StepCycles, 0)
		}
	} else if next == b.links[e&1] && e&b.special == 0 {
		b.closed &^= 1 << (e & 1)
	}
}

// noExit is the number of a way that is no step; exits are numbered from 1 more on, and 0 is
// one that is not known yet.
const noExit = 1

// exit returns the index in the result of the exit from b by an outcome to next, -1 if control
// does not leave a function there. A block that is counted in remembers it: the one that it leaves, or after
// an indirect branch the one it comes to, which counts that, too.
func (w *Walker) exit(b *block, e uint8, next *block) int {
	var unknown uint32
	known := &b.exits[e&1]
	if e == taken && b.flow == isa.Indirect {
		known = &unknown
		if x := next.arrivalsFrom(b, w.partStamp); x != nil {
			known = &x.exit
		}
	}
	if *known == 0 {
		if *known = noExit; w.leaves(b, e, next) {
			*known += 1 + uint32(len(w.result.Exits))
			w.result.Exits = append(w.result.Exits, w.exitTo(b, e, next))
		}
	}
	return int(*known) - noExit - 1
}

func (w *Walker) exitTo(b *block, e uint8, next *block) decode.Exit {
	kind := schema.KindOther
	if b.outcomes[e&1] != schema.NotTaken {
		kind = b.last.Kind
	}
	return decode.Exit{Block: b.index, To: uint32(next.at), Function: next.function, Outcome: b.outcomes[e&1], Kind: kind}
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
	if k := len(w.result.Steps) - 1; k >= w.partSteps && w.result.Steps[k].At() == w.Seq+n-w.partSeq {
		return k
	}
	return -1
}

// TimeStep gives the step n instructions after Seq, if there is one, the cycle of the instruction
// that it left.
func (w *Walker) TimeStep(n, cycle int64) {
	if w.functionOf == nil {
		return
	}
	if k := w.lastStep(n); k >= 0 {
		w.result.StepCycles[k] = cycle
	}
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

// addStep adds that control leaves b for next to steps of a path, n instructions after its
// start, if it is a step.
func (w *Walker) addStep(to *pathSteps, b *block, e uint8, next *block, n uint32) {
	if w.functionOf == nil {
		return
	}
	if x := w.exit(b, e, next); x >= 0 {
		*to = append(*to, decode.NewStep(int64(n), uint32(x)))
	}
}
