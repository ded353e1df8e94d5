package durations

import (
	"slices"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
)

// mostRanked is how many places are kept of what took longest.
const mostRanked = 5

// A Lasted is how long one thing took, and where it began.
type Lasted struct {
	Took int64
	At   read.Place
}

// A Ranking is what took longest: at most five things of one unit, the longest first. Of equal ones of a source the
// earlier is first, of others the one that was added first.
type Ranking []Lasted

// Add adds a thing, if it is among the longest.
func (r *Ranking) Add(x Lasted) {
	i := 0
	for i < len(*r) && ((*r)[i].Took > x.Took || (*r)[i].Took == x.Took && !isBefore(&x.At, &(*r)[i].At)) {
		i++
	}
	if i < mostRanked {
		*r = slices.Insert((*r)[:min(len(*r), mostRanked-1)], i, x)
	}
}

// isBefore orders places of a source.
func isBefore(x, y *read.Place) bool { return x.Dir == y.Dir && x.Source == y.Source && x.Seq < y.Seq }
