package timeline

import (
	"slices"
	"sort"
)

// gaps are where control may have come from nowhere: where rows say that something was lost, or that trace began
// anew. Where a call or an exception goes on, nothing was lost: trace was off, and went on where it stopped.
type gaps struct {
	at    []int64 // ascending
	cross []int   // how many rows go on there: one less each where rows end
}

// sort puts them in order, each once.
func (g *gaps) sort() {
	slices.Sort(g.at)
	g.at = slices.Compact(g.at)
	g.cross = make([]int, len(g.at)+1)
}

// crossed notes that a row from one instruction to before another goes on where there may be gaps in it.
func (g *gaps) crossed(from, until int64) {
	first := sort.Search(len(g.at), func(i int) bool { return g.at[i] > from })
	last := sort.Search(len(g.at), func(i int) bool { return g.at[i] >= until })
	if first < last {
		g.cross[first]++
		g.cross[last]--
	}
}

// known returns the gaps.
func (g *gaps) known() (seqs []int64) {
	over := 0
	for i, at := range g.at {
		if over += g.cross[i]; over == 0 {
			seqs = append(seqs, at)
		}
	}
	return seqs
}
