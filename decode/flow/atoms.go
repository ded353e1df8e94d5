package flow

import (
	"math"
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file walks by ETMv3 atoms: one instruction each, with its outcome (IHI
// 0014Q §7.3.1). The runs have the outcome of every instruction and, with
// RunHasCosts, its cost.

// Executed walks n instructions that passed their condition, those in one block at
// once, and returns how many it walked. It stops where Atom does, and with t.Unsplit
// before a 32-bit T32 instruction. t must not have RunHasCosts.
func (w *Walker) Executed(t *Source, n int) (walked int, stop Stop) {
	for walked < n {
		if stop := w.atInstruction(); stop != Arrived {
			return walked, stop
		}
		end := w.cur.len()
		if t.Unsplit {
			end = int(w.cur.split)
		}
		if w.pos >= end {
			return walked, Arrived
		}
		run := w.run(t)
		k := w.place(t, run, min(n-walked, end-w.pos, schema.MaxBlockRow-int(run.Count)))
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

// Atom walks one instruction; cost is its cost, if t has RunHasCosts. It returns
// AtIndirect after an executed indirect branch: only Goto and Lose may follow,
// since the target is in the trace. With Missing, nothing was walked.
func (w *Walker) Atom(t *Source, executed bool, cost uint32) Stop {
	if stop := w.atInstruction(); stop != Arrived {
		return stop
	}
	run := w.run(t)
	run.Outcome = schema.Passed
	if !executed {
		run.Outcome = schema.NotTaken
		run.Failed |= 1 << run.Count
	}
	w.place(t, run, 1)
	run.Count++
	if t.Flags&schema.RunHasCosts != 0 {
		run.Cycles += cost
		run.Cycle = t.Cycle
		w.result.Costs = append(w.result.Costs, cost)
	}
	w.Seq++
	if w.pos++; w.pos == w.cur.len() {
		return w.endBlock(run, executed)
	}
	return Arrived
}

// Next returns the size in bytes of the next instruction, 0 if there is no memory
// to read it from.
func (w *Walker) Next() uint8 {
	if w.atInstruction() != Arrived {
		return 0
	}
	return w.cur.code.Size[w.pos]
}

// Peek returns the next instruction, without its target unless it ends its block. It
// fails if there is no memory to read it from.
func (w *Walker) Peek() (in isa.Instruction, ok bool) {
	if w.atInstruction() != Arrived {
		return isa.Instruction{}, false
	}
	if c := w.cur.code; w.pos < w.cur.len()-1 || w.cur.end != atWaypoint {
		return isa.Instruction{Opcode: c.Opcode[w.pos], Size: c.Size[w.pos], Kind: schema.Kind(c.Kind[w.pos])}, true
	}
	return w.cur.last, true
}

// atInstruction sets cur and pos to the next instruction.
func (w *Walker) atInstruction() Stop {
	w.enter()
	if w.cur.len() == 0 {
		return Missing
	}
	return Arrived
}

// run returns the run for the next instruction, in cur: the last run if it is of the
// same packet and the walk took no branch since, otherwise a new one.
func (w *Walker) run(t *Source) *schema.Run {
	if n := len(w.result.Runs); w.open {
		if run := &w.result.Runs[n-1]; t.continues(run) && run.Count < schema.MaxBlockRow {
			return run
		}
	}
	w.result.Runs = append(w.result.Runs, schema.Run{
		Offset: t.at(), Block: w.include(w.cur), First: uint16(w.pos), Flags: t.Flags | schema.RunHasFailed,
	})
	w.open = true
	return &w.result.Runs[len(w.result.Runs)-1]
}

// EndRun makes the next instruction begin a run.
func (w *Walker) EndRun() { w.open = false }

// place notes the capture offsets of the next n instructions, which are of the run, and
// returns of how many: fewer where a ring begins again, but of one at least.
func (w *Walker) place(t *Source, run *schema.Run, n int) int {
	if t.Flags&schema.RunHasOffsets == 0 {
		return n
	}
	placed := 0
	for placed < n {
		at, step, k := t.Offsets.Adjacent(t.Unit)
		d := int64(at) - run.Offset
		if d < 0 || d > math.MaxUint32 {
			break
		}
		k = min(k, n-placed, int((math.MaxUint32-d)/int64(step))+1)
		w.result.Offsets = appendRamp(w.result.Offsets, uint32(d), uint32(step), k)
		t.Unit += k
		placed += k
	}
	return placed
}

// appendRamp appends n numbers: from, and each a step above the one before.
func appendRamp(dst decode.Rows[uint32], from, step uint32, n int) decode.Rows[uint32] {
	end := len(dst) + n
	dst = slices.Grow(dst, n)[:end]
	for i := range dst[end-n:] {
		dst[end-n+i] = from + uint32(i)*step
	}
	return dst
}

// at returns the capture offset of the next instruction.
func (t *Source) at() int64 {
	if t.Flags&schema.RunHasOffsets != 0 {
		return int64(t.Offsets.At(t.Unit))
	}
	return t.Offset
}

// continues reports whether the next instruction may continue a run: it is of the
// same packet or, where instructions have offsets of their own, not far from it and
// without a cost: the cost of a run is spread over its instructions.
func (t *Source) continues(run *schema.Run) bool {
	if t.Flags&schema.RunHasOffsets != 0 {
		d := int64(t.Offsets.At(t.Unit)) - run.Offset
		const plain = schema.RunHasOffsets | schema.RunHasFailed
		return d >= 0 && d <= math.MaxUint32 && run.Flags == plain && t.Flags == schema.RunHasOffsets
	}
	return run.Offset == t.Offset
}

// include returns the index of the block in the result. Once the result exceeds
// unitInstructions, new blocks are short.
func (w *Walker) include(b *block) uint32 {
	if b.unit != w.prog.unit {
		w.unitWeight += b.len()
		w.prog.short = w.unitWeight > unitInstructions
	}
	return w.index(b)
}

// endBlock continues after the last instruction of a block.
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

// TakeBack removes the last instruction of the result's runs after from, and
// returns its address and cost. The position does not change. It fails if there is
// no instruction.
func (w *Walker) TakeBack(from decode.Ends) (address schema.Address, cost uint32, ok bool) {
	to := w.result.Ends()
	if address, cost, ok = w.result.TakeBack(from, &to); !ok {
		return 0, 0, false
	}
	w.result.Runs, w.result.Costs = w.result.Runs[:to[decode.Runs]], w.result.Costs[:to[decode.Costs]]
	w.result.Offsets = w.result.Offsets[:to[decode.Offsets]]
	w.open = false
	w.dataMark.clamp(w.result.Runs)
	w.Seq--
	return address, cost, true
}
