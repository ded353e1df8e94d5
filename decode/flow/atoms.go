package flow

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file walks by atoms that are one instruction each, with its outcome (IHI
// 0014Q §7.3.1). Runs then tell the outcome of every instruction, and with
// RunHasCosts what each of them cost.

// Executed walks n instructions that passed their condition, in one step as far
// as they lie in a block, and returns how many it came to walk. It stops where
// Atom does. t must not have RunHasCosts.
func (w *Walker) Executed(t *Source, n int) (walked int, stop Stop) {
	for walked < n {
		run, stop := w.extend(t)
		if stop != Arrived {
			return walked, stop
		}
		k := min(n-walked, w.cur.len()-w.pos, schema.MaxBlockRow-int(run.Count))
		run.Count += uint16(k)
		run.Outcome = schema.Passed
		w.Seq += int64(k)
		w.pos += k
		walked += k
		if w.pos == w.cur.len() {
			if stop := w.endBlock(run, true); stop != Arrived {
				return walked, stop
			}
		}
	}
	return walked, Arrived
}

// Atom walks one instruction; cost is what it cost, if t has RunHasCosts.
// It reports AtIndirect behind an indirect branch that was executed: only Goto
// and Lose may follow, since the trace tells its target. With Missing nothing was
// walked.
func (w *Walker) Atom(t *Source, executed bool, cost uint32) Stop {
	run, stop := w.extend(t)
	if stop != Arrived {
		return stop
	}
	run.Outcome = schema.Passed
	if !executed {
		run.Outcome = schema.NotTaken
		run.Failed |= 1 << run.Count
	}
	run.Count++
	if t.Flags&schema.RunHasCosts != 0 {
		run.Cycles += cost
		run.Cycle = t.Cycle
		w.unit.Costs = append(w.unit.Costs, cost)
	}
	w.Seq++
	if w.pos++; w.pos == w.cur.len() {
		return w.endBlock(run, executed)
	}
	return Arrived
}

// Next returns the size in bytes of the instruction at the position, 0 if there
// is no memory to read it from.
func (w *Walker) Next() uint8 {
	if w.atInstruction() != Arrived {
		return 0
	}
	return w.cur.code.Size[w.pos]
}

// atInstruction makes cur and pos those of the next instruction.
func (w *Walker) atInstruction() Stop {
	w.enter()
	if w.cur.len() == 0 {
		return Missing
	}
	return Arrived
}

// extend returns the run of the next instruction: the last one if the same
// packet told it and the walk went straight on, else a new one.
func (w *Walker) extend(t *Source) (*schema.Run, Stop) {
	if stop := w.atInstruction(); stop != Arrived {
		return nil, stop
	}
	if n := len(w.unit.Runs); w.open {
		if run := &w.unit.Runs[n-1]; run.Offset == t.Offset && run.Count < schema.MaxBlockRow {
			return run, Arrived
		}
	}
	w.unit.Runs = append(w.unit.Runs, schema.Run{
		Offset: t.Offset, Block: w.include(w.cur), First: uint16(w.pos), Flags: t.Flags | schema.RunHasFailed,
	})
	w.open = true
	return &w.unit.Runs[len(w.unit.Runs)-1], Arrived
}

// include gives the index of the block in the unit. If the unit then holds too
// much, other blocks that it gets are short.
func (w *Walker) include(b *block) uint32 {
	if b.unit != w.prog.unit {
		w.unitWeight += b.len()
		w.prog.short = w.unitWeight > unitInstructions
	}
	return w.index(b)
}

// endBlock goes on behind the last instruction of a block.
func (w *Walker) endBlock(run *schema.Run, executed bool) Stop {
	b := w.cur
	w.open = false
	switch {
	case b.end != atWaypoint || !executed:
		w.Pass()
	case b.last.Flow == isa.Indirect:
		run.Outcome = schema.Taken
		return AtIndirect
	case b.last.Flow == isa.Direct:
		run.Outcome = schema.Taken
		w.Take()
	default:
		w.Pass()
	}
	return Arrived
}

// TakeBack takes back the last instruction of the unit's runs from one on, and
// returns its address and cost. The position stays. It fails if there is none.
func (w *Walker) TakeBack(from decode.Ends) (address, cost uint32, ok bool) {
	to := w.unit.Ends()
	if address, cost, ok = w.unit.TakeBack(from, &to); !ok {
		return 0, 0, false
	}
	w.unit.Runs, w.unit.Costs = w.unit.Runs[:to[decode.Runs]], w.unit.Costs[:to[decode.Costs]]
	w.open = false
	w.dataMark.clamp(w.unit.Runs)
	w.Seq--
	return address, cost, true
}
