package tally

import (
	"cmp"

	"github.com/tracelake/tracelake/schema"
)

// A block has what was counted of a code block, by position. Its slices are as long
// as runs reached, not as the code is.
type block struct {
	code   *schema.Block
	first  []int64         // ordinal of its first time; -1: none yet
	at     grown[position] // of runs that have the outcome of each instruction
	silent grown[position] // of those that have at most that of their last one
	passed grown[int64]    // how often that outcome was that it passed
	costs  grown[edge]     // own cycles

	ways []way // not settled yet
	came bool  // likewise, since the ordinal from
	from int64
}

// A position counts executions of an instruction.
type position struct {
	starts int64 // runs that begin here less runs that ended before
	failed int64
}

// An extent is where a run ran, whatever became of it.
type extent struct {
	block        uint32 // number of the block in the source
	first, count uint16
}

func (x extent) compare(y extent) int {
	return cmp.Or(cmp.Compare(x.block, y.block), cmp.Compare(x.first, y.first), cmp.Compare(x.count, y.count))
}

// visit counts the executions of a shape.
func (b *block) visit(s *shape) {
	if s.flags&schema.RunHasFailed == 0 {
		b.visitSilent(s)
		return
	}
	at := b.at.to(s.end() + 1)
	at[s.first].starts += s.n
	at[s.end()].starts -= s.n
	s.failures(func(p int) { at[p].failed += s.n })
}

// visitSilent counts those of a shape that has at most the outcome of its last
// instruction.
func (b *block) visitSilent(s *shape) {
	at := b.silent.to(s.end() + 1)
	at[s.first].starts += s.n
	at[s.end()].starts -= s.n
	passed := b.passed.to(s.end())
	switch s.outcome {
	case schema.Taken, schema.Passed:
		passed[s.last()] += s.n
	case schema.NotTaken:
		at[s.last()].failed += s.n
	case schema.Unknown:
	}
}

// see notes the first time of the instructions of a shape.
func (b *block) see(s *shape) {
	for len(b.first) < s.end() {
		b.first = append(b.first, -1)
	}
	for i, first := range b.first[s.first:s.end()] {
		if seq := s.seq + int64(i); first < 0 || seq < first {
			b.first[int(s.first)+i] = seq
		}
	}
}

// A grown is a slice that is as long as was needed so far.
type grown[T any] []T

// to returns the slice with at least n elements.
func (g *grown[T]) to(n int) []T {
	if more := n - len(*g); more > 0 {
		*g = append(*g, make([]T, more)...)
	}
	return *g
}
