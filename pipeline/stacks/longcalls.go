package stacks

import (
	"cmp"
	"math"
	"slices"
)

// longCalls keep rows of the longest calls, for as many as there may be: all of them, or else those of at least so
// many instructions that they are no more.
type longCalls struct {
	most  int      // rows
	short int64    // instructions: where calls are left out, it is those of fewer, or of fewer than twice, four times that
	least int64    // instructions of a call that is kept; 0: all are
	rows  [][]Call // in order of their end
	n     int
}

// noCalls is more instructions than any call has.
const noCalls = math.MaxInt64

// add takes calls that ended later. Those that are as short as what was left out are, too.
func (l *longCalls) add(calls []Call) {
	if calls = l.trim(calls); len(calls) > 0 {
		l.rows, l.n = append(l.rows, calls), l.n+len(calls)
	}
	for l.n > l.most {
		l.least, l.n = cmp.Or(2*l.least, l.short), 0
		for i := range l.rows {
			l.rows[i] = l.trim(l.rows[i])
			l.n += len(l.rows[i])
		}
		l.rows = slices.DeleteFunc(l.rows, func(calls []Call) bool { return len(calls) == 0 })
	}
}

// trim returns what is not too short of calls, in little more memory than that takes.
func (l *longCalls) trim(calls []Call) []Call {
	if l.least > 0 {
		calls = slices.DeleteFunc(calls, func(c Call) bool { return c.all.instructions < l.least })
	}
	if cap(calls) > 2*len(calls) {
		calls = slices.Clone(calls)
	}
	return calls
}
