package decode

import "github.com/tracelake/tracelake/schema"

// This file takes back what a later packet cancels. A stretch of a unit is what
// lies between two Ends.

// TakeBack takes the last instruction from a stretch of u, whose end it moves,
// and returns its address and its cost. It fails if the stretch has none.
func (u *Result) TakeBack(from Ends, to *Ends) (address, cost uint32, ok bool) {
	if address, ok = u.LastAddress(from, *to); !ok {
		return 0, 0, false
	}
	run := &u.Runs[to[Runs]-1]
	if run.Flags&schema.RunHasCosts != 0 {
		to[Costs]--
		cost = u.Costs[to[Costs]]
		run.Cycles -= cost
		run.Cycle -= int64(cost)
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

// LastAddress returns the address of the last instruction of a stretch of u. It
// fails if it has none.
func (u *Result) LastAddress(from, to Ends) (address uint32, ok bool) {
	if to[Runs] == from[Runs] {
		return 0, false
	}
	run := &u.Runs[to[Runs]-1]
	return u.Blocks[run.Block].Address[int(run.First)+int(run.Count)-1], true
}

// RemoveException takes a row of `exceptions` from the stretch that ends at to.
func (u *Result) RemoveException(i int, to *Ends) {
	copy(u.Exceptions[i:to[Exceptions]], u.Exceptions[i+1:to[Exceptions]])
	to[Exceptions]--
}

// RemoveEvent takes a row of `events` from the stretch that ends at to.
func (u *Result) RemoveEvent(i int, to *Ends) {
	copy(u.Events[i:to[Events]], u.Events[i+1:to[Events]])
	to[Events]--
	for n := to[Data]; n > 0 && u.Data[n-1].Events > i; n-- {
		u.Data[n-1].Events--
	}
}
