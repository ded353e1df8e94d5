package flow

import (
	"slices"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file counts, as count.go does, walks whose atoms trace each instruction: the walk of
// inside.go. Counted are executions of whole blocks. An instruction inside a block that
// failed its condition counts apart (see [decode.Failure]).

// Visits are what was counted from a position on: what a loop over packets holds beside
// the block, the position in it, and how many instructions were before the block.
type Visits struct {
	first  Cursor // the first block that was entered at its start
	begin  int    // the position, in another block before; 0: none, or the walk left it
	start  int64  // instructions before first
	offset int64  // of a packet, for runs
	runs   int    // in the result, before

	// Of the blocks that the walk left since: the last two, and the outcome of the last.
	Last, Prev Cursor
	E          uint8
	History    uint64 // the last atoms, the latest in bit 0; 1 is N
}

// BeginVisits begins to count at a position, as LendInside has it, where there may be no
// block, at a packet.
func (w *Walker) BeginVisits(c Cursor, pos int, offset int64) Visits {
	w.told = true
	return Visits{first: c, begin: pos, offset: offset, runs: len(w.result.Runs)}
}

// Ready returns the part for [Cursor.Ready]: none if not even the first block is.
func (v *Visits) Ready(part uint32) uint32 {
	if v.begin > 0 {
		return ^uint32(0)
	}
	return part
}

// Counts reports whether there is a block at c, and it counts in a part.
func (c Cursor) Counts(part uint32) bool { return c.b != nil && c.b.counted == part }

// MayEnter reports whether there is a block at c, and it can be counted in.
func (w *Walker) MayEnter(c Cursor) bool {
	b := c.b
	return b != nil && (b.ready == w.partStamp || b.end == atWaypoint && w.unitWeight+b.len() <= unitInstructions) && !w.isMixed(b)
}

// LeaveInside leaves the block at c by the atom of its last instruction, where Ready says
// no. n instructions were before the block. The Cursor that it returns is zero if the next
// block is not cached, or not known.
func (w *Walker) LeaveInside(v *Visits, c Cursor, e uint8, n int64) (next Cursor) {
	b := c.b
	if v.begin == 0 {
		if b.counted != w.partStamp {
			if b.ready != w.partStamp {
				w.include(b)
			}
			w.beginCounting(b, n)
		}
		if b.flow != isa.Indirect || e == fallThrough {
			b.left[e]++
		}
	} else {
		w.wholeRuns(b, v.begin, e, v.offset)
	}
	next.b = b.links[e]
	if next.b == nil {
		next.b = w.link(b, e)
	}
	if v.begin > 0 {
		v.first, v.begin, v.start = next, 0, n+int64(b.count)
	} else {
		w.noteStep(b, e, next.b, n+int64(b.count))
	}
	return next
}

// ArriveAt counts that control came to c from the indirect branch that ends Last, after n
// instructions.
func (w *Walker) ArriveAt(v *Visits, c Cursor, n int64) {
	if n > v.start {
		w.arrive(v.Last.b, c.b)
		w.noteStep(v.Last.b, taken, c.b, n)
	} else { // from before, or from a block that is a run
		v.first = c
	}
}

// Fail counts that the instruction at a position in the block at c, not its last one,
// failed its condition.
func (w *Walker) Fail(c Cursor, pos int) { w.fail(c.b, pos, 1) }

// A failing is how often an instruction inside a block failed its condition.
type failing struct {
	pos int
	n   int64
}

// maxFailing is how many instructions of a block have a count of their own.
const maxFailing = 16

func (w *Walker) fail(b *block, pos int, n int64) {
	for i := range b.failing {
		if x := &b.failing[i]; x.pos == pos {
			x.n += n
			return
		}
	}
	if len(b.failing) == 0 {
		w.failing = append(w.failing, b)
	}
	if len(b.failing) < maxFailing {
		b.failing = append(b.failing, failing{pos, n})
		return
	}
	w.includeWhole(b)
	w.failure(b, failing{pos, n})
}

func (w *Walker) failure(b *block, x failing) {
	w.result.Failures = append(w.result.Failures, decode.Failure{Block: b.index, Position: uint16(x.pos), N: x.n})
}

// EndVisits ends what BeginVisits began, at a position in the block at at, if there is one,
// before which there are n instructions. What follows may take back the last instruction, or not be where control
// went: so the last one, and one that comes before it in any case, become runs.
func (w *Walker) EndVisits(v *Visits, at Cursor, pos int, n int64) {
	if n > v.start {
		w.endWhole(v, at, pos, n)
	}
	w.visitRuns(at.b, v.begin, pos, v.offset)
	if n := len(w.result.Runs); n > v.runs {
		w.remember(&w.result.Runs[n-1], v.History)
	}
}

// endWhole makes runs of the last blocks that were left, and a stretch of those before.
func (w *Walker) endWhole(v *Visits, at Cursor, pos int, n int64) {
	last, before := v.Last.b, v.Prev.b
	n -= int64(last.count) // where it begins
	w.uncount(last, v.E, at.b, n)
	if pos > 0 || last.count > 1 || n == v.start {
		before = nil
	}
	e := uint8(v.History>>1&1 ^ 1) // that of before, if last is one instruction
	if before != nil {
		n -= int64(before.count)
		w.uncount(before, e, last, n)
	}
	if n > v.start {
		w.endSteps(decode.Stretch{Run: len(w.result.Runs), Block: v.first.b.index, Instructions: n - v.start})
	}
	if before != nil {
		w.wholeRuns(before, 0, e, v.offset)
	}
	w.wholeRuns(last, 0, v.E, v.offset)
}

// wholeRuns makes runs of the end of b, from a position on, by the outcome of its last
// instruction.
func (w *Walker) wholeRuns(b *block, from int, e uint8, offset int64) {
	w.visitRuns(b, from, b.len(), offset)
	run := &w.result.Runs[len(w.result.Runs)-1]
	run.Outcome = b.outcomes[e]
	run.Failed = uint64(e^1) << (run.Count - 1)
}

// visitRuns makes runs of instructions of b that passed their condition, as far as Fail
// does not say otherwise.
func (w *Walker) visitRuns(b *block, from, to int, offset int64) {
	if from == to {
		return
	}
	if b.ready != w.partStamp {
		w.includeWhole(b)
	}
	for ; from < to; from += schema.MaxBlockRow {
		w.result.Runs = append(w.result.Runs, schema.Run{})
		run := &w.result.Runs[len(w.result.Runs)-1]
		b.fillInside(run, offset, from, min(to-from, schema.MaxBlockRow), 0)
		run.Outcome = schema.Passed
	}
}

// remember sets which instructions of the last run failed their condition, and takes back
// that they count apart.
func (w *Walker) remember(run *schema.Run, history uint64) {
	last := int(run.Count) - 1
	b := w.result.Blocks[run.Block]
	for i := range last + 1 {
		pos := int(run.First) + i
		if history>>(last-i)&1 == 0 {
			continue
		}
		run.Failed |= 1 << i
		if pos < len(b.Address)-1 {
			k := slices.IndexFunc(w.failing, func(b *block) bool { return b.index == run.Block })
			w.fail(w.failing[k], pos, -1)
		}
		if i == last {
			run.Outcome = schema.NotTaken
		}
	}
}
