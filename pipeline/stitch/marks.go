package stitch

import (
	"cmp"
	"math"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// A Mark is something between two instructions of a source, for those who are given its runs.
type Mark[T any] struct {
	schema.Key // in the source
	Means      T
}

// Marks are those of a source, in the order of the trace once they are cut.
type Marks[T any] []Mark[T]

// Add adds a mark at a place in the trace. Of more than most between two instructions, the last one means beyond.
func (m *Marks[T]) Add(b *Base, at schema.Key, means T, most int, beyond T) {
	key := schema.Key{Seq: b.Keys(at).Seq, Offset: at.Offset}
	if n := len(*m); n >= most && (*m)[n-most].Seq == key.Seq {
		(*m)[n-1].Means = beyond
		return
	}
	*m = append(*m, Mark[T]{key, means})
}

// Cut sorts the marks, and returns those before the instruction of an ordinal and the others.
func (m Marks[T]) Cut(seq int64) (before, after Marks[T]) {
	slices.SortStableFunc(m, func(a, b Mark[T]) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Offset, b.Offset))
	})
	n, _ := slices.BinarySearchFunc(m, seq, func(x Mark[T], seq int64) int { return cmp.Compare(x.Seq, seq) })
	return m[:n], m[n:]
}

// Pass takes the marks right before the instruction of an ordinal, and all before them, from the first on.
func (m *Marks[T]) Pass(seq int64) (passed Marks[T]) {
	n := 0
	for n < len(*m) && (*m)[n].Seq <= seq { // mostly none are
		n++
	}
	passed, *m = (*m)[:n], (*m)[n:]
	return passed
}

// Next returns the ordinal of the instruction after the first mark.
func (m Marks[T]) Next() int64 {
	if len(m) == 0 {
		return math.MaxInt64
	}
	return m[0].Seq
}
