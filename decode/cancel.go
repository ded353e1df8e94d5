package decode

import "github.com/tracelake/tracelake/schema"

// This file removes from a result what a later packet cancels. A range of a
// result is the rows between two Ends.

// TakeBack removes the last instruction of a range of r, moves the end of the
// range, and returns the instruction's address and cost. It fails if the range
// has no instruction.
func (r *Result) TakeBack(from Ends, to *Ends) (address schema.Address, cost uint32, ok bool) {
	if address, ok = r.LastAddress(from, *to); !ok {
		return 0, 0, false
	}
	run := &r.Runs[to[Runs]-1]
	if run.Flags&schema.RunHasCosts != 0 {
		to[Costs]--
		cost = r.Costs[to[Costs]]
		run.Cycles -= cost
		run.Cycle -= int64(cost)
	}
	if run.Flags&schema.RunHasOffsets != 0 {
		to[Offsets]--
	}
	run.Count--
	if run.Count == 0 {
		to[Runs]--
		return address, cost, true
	}
	run.Failed &^= 1 << run.Count
	run.Outcome = schema.Passed // no branch: only the last one of a block is
	if run.Failed>>(run.Count-1)&1 == 1 {
		run.Outcome = schema.NotTaken
	}
	return address, cost, true
}

// TakeBackAct removes the last n instructions of a range of r, and moves the end of the range.
// It returns the address of the first of them. It fails if the range has fewer.
func (r *Result) TakeBackAct(from Ends, to *Ends, n int32) (address schema.Null[schema.Address], ok bool) {
	for range n {
		if address.V, _, address.OK = r.TakeBack(from, to); !address.OK {
			return address, false
		}
	}
	return address, true
}

// LastAddress returns the address of the last instruction of a range of r. It
// fails if the range has no instruction.
func (r *Result) LastAddress(from, to Ends) (address schema.Address, ok bool) {
	if to[Runs] == from[Runs] {
		return 0, false
	}
	run := &r.Runs[to[Runs]-1]
	return r.Blocks[run.Block].Address[int(run.First)+int(run.Count)-1], true
}

// RemoveException removes a row of `exceptions` from the range that ends at to.
func (r *Result) RemoveException(i int, to *Ends) {
	copy(r.Exceptions[i:to[Exceptions]], r.Exceptions[i+1:to[Exceptions]])
	to[Exceptions]--
}

// RemoveEvent removes a row of `events` from the range that ends at to.
func (r *Result) RemoveEvent(i int, to *Ends) {
	copy(r.Events[i:to[Events]], r.Events[i+1:to[Events]])
	to[Events]--
	for n := to[Data]; n > 0 && r.Data[n-1].Events > i; n-- {
		r.Data[n-1].Events--
	}
}
