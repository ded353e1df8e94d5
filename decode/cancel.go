package decode

import "github.com/tracelake/tracelake/schema"

// This file removes from a result what a later packet cancels. A range of a
// result is the rows between two Ends.

// TakeBack removes the last instruction of a range of r, moves the end of the
// range, and returns the instruction's address and cost. It fails if the range
// has no instruction. Cancels of any depth take back one after another.
func (r *Result) TakeBack(from Ends, to *Ends) (address, cost uint32, ok bool) {
	last := r.last(from, *to)
	if last == nil {
		return 0, 0, false
	}
	address = r.lastAddress(last)
	named := r.namedIn(from, *to)
	if e := to[Entries] - 1; to[Runs] == named && r.Entries[e].Path != OwnRuns {
		if path := r.Entries[e].Path; r.Paths[path].Instructions > 1 {
			r.Entries[e].Path = r.shorten(path)
		} else {
			to[Entries]--
		}
		return address, 0, true
	}
	cost = r.takeBackRun(to)
	if to[Runs] < named {
		to[Entries] = r.unnameRun(to[Entries])
	}
	return address, cost, true
}

// takeBackRun removes the last instruction of the last run before an end.
func (r *Result) takeBackRun(to *Ends) (cost uint32) {
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
	if run.Count == 1 {
		to[Runs]--
	} else {
		dropLast(run)
	}
	return cost
}

// unnameRun takes a run from the entry before an end, and returns the end of those that are left.
func (r *Result) unnameRun(end int) int {
	if e := &r.Entries[end-1]; e.Offset > 1 {
		e.Offset--
		return end
	}
	return end - 1
}

// LastAddress returns the address of the last instruction of a range of r. It
// fails if the range has no instruction.
func (r *Result) LastAddress(from, to Ends) (address uint32, ok bool) {
	last := r.last(from, to)
	if last == nil {
		return 0, false
	}
	return r.lastAddress(last), true
}

func (r *Result) lastAddress(last *schema.Run) uint32 {
	return r.Blocks[last.Block].Address[int(last.First)+int(last.Count)-1]
}

// Last returns what ran last since the rows had an end: a run, or a shape of a path; nil if nothing did.
func (r *Result) Last(from Ends) *schema.Run { return r.last(from, r.Ends()) }

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
