package stacks

import (
	"cmp"
	"math"
	"slices"
)

// longCalls keep rows of the longest calls, for as many as there may be: all of them, or else those of at least so
// many instructions that they are no more.
type longCalls struct {
	most  int   // rows
	short int64 // instructions: where calls are left out, it is those of fewer, or of fewer than twice, four times that
	least int64 // instructions of a call that is kept; 0: all are
	rows  []Call
}

// noCalls is more instructions than any call has.
const noCalls = math.MaxInt64

// add adds calls that ended later. Those that are as short as what was left out are, too.
func (l *longCalls) add(calls []Call) {
	l.rows = append(l.rows, calls...)
	for l.trim(); len(l.rows) > l.most; l.trim() {
		l.least = cmp.Or(2*l.least, l.short)
	}
}

// trim leaves out what is too short.
func (l *longCalls) trim() {
	l.rows = slices.DeleteFunc(l.rows, func(c Call) bool { return c.all.instructions < l.least })
}
