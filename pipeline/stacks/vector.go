package stacks

import "github.com/tracelake/tracelake/schema"

// The first instruction after the entry to an exception is a vector if it jumps, whatever its opcode is: the
// vectors that the program file has may have been overwritten since, as by a boot loader. The handler is what it
// jumps to. A call is one where the flow shows that the program is another: else it is a handler that calls.

// isVector says whether the instruction before an ordinal is the first of an exception.
func (w *walker) isVector(seq int64) bool { return seq == w.entry.seq+1 }

// vector makes the step of a vector, if the last instruction is one, before marks and an instruction at an address.
// It reports false, and does nothing, if not: so it is where a handler returns at once.
func (w *walker) vector(marks []mark, to schema.Address, function int32) bool {
	l := &w.last
	if !w.isVector(w.step.at.seq) || l.code == nil || l.gone && len(marks) == 0 {
		return false
	}
	kind := schema.Kind(l.code.Kind[l.position])
	for i := range marks {
		switch m := &marks[i]; {
		case m.what == markEntry, m.what == markGap && !m.program:
			return false
		case m.what == markGap:
			kind = schema.KindBranch
		}
	}
	if !w.entry.jumps(kind, l.code.Address[l.position]+schema.Address(l.code.Size[l.position]), to) {
		return false
	}
	for i := range marks {
		if m := &marks[i]; m.what == markContext {
			w.takeContext(m.context)
		}
	}
	w.take(vector, to, function)
	return true
}

// jumps says whether the first instruction of the exception, of a kind, jumps to the handler where control goes to an
// address other than the next.
func (e *lastEntry) jumps(kind schema.Kind, next, to schema.Address) bool {
	f := frame{back: e.returns.V, returns: e.returns.OK}
	return kind != schema.KindCall && kind != schema.KindIndirectCall && to != next && !f.returnsTo(to)
}
