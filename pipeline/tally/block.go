package tally

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// A block counts the runs through a code block. Its slices are as long as runs
// reached, not as the code is.
type block struct {
	lo, hi int // these positions have a first time
	at     []position
	code   *schema.Block
	size   int    // instructions
	entry  uint32 // address of the first
	leaves leaves // the last one has edges
	mid    bool   // one before it has
	ways   [4]way // those that the last one took last, by its outcome

	others []way      // that it took before
	silent []position // as at, of runs that have at most the outcome of their last instruction
	passed []int64    // by position: how often that outcome was that it passed
	first  []int64    // by position: ordinal of its first time; -1: none yet
	costs  []edge     // by position: own cycles, if there were any

	ran       shape // the shape it ran last, of runs with cycles
	ranCycles int64 // of that, as far as they are not in counter.spread
}

// A position counts executions of an instruction.
type position struct {
	starts int64 // runs that begin here less runs that ended before
	failed int64
}

// A way is an edge from the last instruction of a block, as often as it is not in
// counter.edges.
type way struct {
	to      uint32
	outcome schema.Outcome
	edge
}

// maxOthers is how many ways a block counts by itself, beside those it took last.
const maxOthers = 7

// A shape is where a run ran, whatever became of it.
type shape struct {
	block        uint32 // number of the block in the source
	first, count uint16
}

func (s shape) compare(t shape) int {
	return cmp.Or(cmp.Compare(s.block, t.block), cmp.Compare(s.first, t.first), cmp.Compare(s.count, t.count))
}

func newBlock(number uint32, code *schema.Block) *block {
	last := len(code.Address) - 1
	b := &block{code: code, entry: code.Address[0], size: last + 1, ran: shape{block: number}}
	for o := range b.ways {
		b.ways[o].outcome = schema.Outcome(o)
	}
	if hasEdges(schema.Kind(code.Kind[last])) {
		b.leaves = leavesEnd
	}
	b.mid = slices.ContainsFunc(code.Kind[:last], func(k uint8) bool { return hasEdges(schema.Kind(k)) })
	return b
}

// visit counts the executions of a run.
func (b *block) visit(run *schema.Run, first, end int) {
	if run.Flags&schema.RunHasFailed == 0 {
		b.visitSilent(run.Outcome, first, end)
		return
	}
	if end >= len(b.at) {
		b.at = append(b.at, make([]position, end+1-len(b.at))...)
	}
	at := b.at[first : end+1]
	at[0].starts++
	at[len(at)-1].starts--
	for f := run.Failed; f != 0; f &= f - 1 {
		at[bits.TrailingZeros64(f)].failed++
	}
}

// visitSilent counts the executions of a run that has at most the outcome of its
// last instruction.
func (b *block) visitSilent(last schema.Outcome, first, end int) {
	if end >= len(b.silent) {
		b.silent = append(b.silent, make([]position, end+1-len(b.silent))...)
		b.passed = append(b.passed, make([]int64, end+1-len(b.passed))...)
	}
	b.silent[first].starts++
	b.silent[end].starts--
	switch last {
	case schema.Taken, schema.Passed:
		b.passed[end-1]++
	case schema.NotTaken:
		b.silent[end-1].failed++
	case schema.Untold:
	}
}

// see notes the first time of instructions, some of which may have had none. One
// range of positions is known to have had theirs: runs mostly begin where the one
// before ended, so it soon is the whole block.
func (b *block) see(seq int64, first, end int) {
	for len(b.first) < end {
		b.first = append(b.first, -1)
	}
	for i := first; i < end; i++ {
		if b.first[i] < 0 {
			b.first[i] = seq + int64(i-first)
		}
	}
	switch {
	case first <= b.hi && b.lo <= end:
		b.lo, b.hi = min(b.lo, first), max(b.hi, end)
	case end-first > b.hi-b.lo:
		b.lo, b.hi = first, end
	}
}

// costsTo returns the own cycles of instructions, with room for those before a
// position.
func (b *block) costsTo(end int) []edge {
	if n := end - len(b.costs); n > 0 {
		b.costs = append(b.costs, make([]edge, n)...)
	}
	return b.costs
}
