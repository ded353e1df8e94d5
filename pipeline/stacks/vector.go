package stacks

import "github.com/tracelake/tracelake/schema"

// The first instruction after the entry to an exception is a vector if it jumps, whatever its opcode is: the
// vectors that the program file has may have been overwritten since, as by a boot loader. The handler is what it
// jumps to. A call is one where the flow shows that the program is another: else it is a handler that calls.

// A lastEntry is the exception entry that came last.
type lastEntry struct {
	seq     int64                       // ordinal of the first instruction after it; -1: there was none
	returns schema.Null[schema.Address] // return address
}

// isVector says whether the instruction before an ordinal is the first of the exception.
func (e *lastEntry) isVector(seq int64) bool { return seq == e.seq+1 }

// jumps says whether the first instruction of the exception, of a kind, jumps to the handler where control goes to an
// address other than the next, and not back.
func (e *lastEntry) jumps(kind schema.Kind, next, to schema.Address) bool {
	f := frame{back: e.returns.V, returns: e.returns.OK}
	return kind != schema.KindCall && kind != schema.KindIndirectCall && to != next && !f.returnsTo(to)
}
