package tally

import (
	"math/bits"

	"github.com/tracelake/tracelake/schema"
)

// A shape is a run, whatever became of it: where it ran in the code of its source.
type shape struct {
	block        uint32 // its number in the source
	first, count uint16
}

// A block counts the runs through a code block.
type block struct {
	lo, hi int // positions that have a first time
	at     []position
	code   *schema.Block
	size   int    // instructions
	entry  uint32 // its first address
	leaves leaves // its last instruction has edges
	inner  bool   // one before it has
	ways   [4]way // those that its last instruction took last, by its outcome

	others []way      // taken before those
	silent []position // as at, of runs that have the outcome of their last instruction at most
	passed []int64    // by position: how often that outcome was that it passed
	first  []int64    // by position: ordinal of its first time; -1: none yet
	costs  []edge     // by position: own cycles, if there are any

	ran       shape // the latest run that has a cost
	ranCycles int64 // of such runs, as far as they are not in counter.spread
}

// A position counts the executions of an instruction.
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

// otherWays is how many edges a block counts for itself, beside those it took last.
const otherWays = 7

func newBlock(number uint32, code *schema.Block) *block {
	b := &block{code: code, entry: code.Address[0], size: len(code.Address)}
	b.ran.block = number
	for o := range b.ways {
		b.ways[o].outcome = schema.Outcome(o)
	}
	if hasEdges(schema.Kind(code.Kind[b.size-1])) {
		b.leaves = leavesBlock
	}
	for _, kind := range code.Kind[:b.size-1] {
		b.inner = b.inner || hasEdges(schema.Kind(kind))
	}
	return b
}

// leavesAt says how the instruction at a position leaves.
func (b *block) leavesAt(i int) leaves {
	switch {
	case i == b.size-1:
		return b.leaves
	case hasEdges(schema.Kind(b.code.Kind[i])):
		return leavesOdd
	}
	return leavesNot
}

// visit counts the executions of a run.
func (b *block) visit(run *schema.Run, first, end int) {
	if run.Flags&schema.RunHasFailed == 0 {
		b.visitSilent(run, first, end)
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

// visitSilent counts the executions of a run that has the outcome of its last
// instruction at most.
func (b *block) visitSilent(run *schema.Run, first, end int) {
	if end >= len(b.silent) {
		b.silent = append(b.silent, make([]position, end+1-len(b.silent))...)
		b.passed = append(b.passed, make([]int64, end+1-len(b.passed))...)
	}
	b.silent[first].starts++
	b.silent[end].starts--
	switch run.Outcome {
	case schema.Taken, schema.Passed:
		b.passed[end-1]++
	case schema.NotTaken:
		b.silent[end-1].failed++
	case schema.Untold:
	}
}

// see notes the first time of instructions, of which some may have had none. It
// keeps one range of positions that have: as runs begin where the one before
// ended, that is soon the whole block.
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

// cost adds own cycles of an instruction.
func (b *block) cost(i int, cycles uint32) {
	for len(b.costs) <= i {
		b.costs = append(b.costs, edge{})
	}
	b.costs[i].cycles += int64(cycles)
	b.costs[i].costs++
}
