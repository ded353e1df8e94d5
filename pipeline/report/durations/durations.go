// Package durations says of how long things took what one looks at: of few each one, of many the median,
// the 99th percentile, the longest and a histogram; and how that changed.
//
// Its API is not stable (docs/guide/library.md).
package durations

import (
	"math"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
)

// A Unit is what durations are counted in.
type Unit uint8

// The units, the best first.
const (
	InCycles Unit = iota
	InTicks       // of the timestamps
	InInstructions
)

func (u Unit) String() string { return [...]string{"cycles", "ticks", "instructions"}[u] }

// One is how long one thing took: what is known of it, by unit.
type One [3]schema.Null[int64]

// A Summary is how long things of one kind took.
type Summary struct {
	Unit Unit // the best one that all have
	Figures
	Each      []int64    // ascending, if they are fewer than leastOfHistogram
	Histogram *Histogram // else
	Ranked    Ranking

	all    [3][]int64 // by unit
	lost   [3]bool    // one of them has none
	ranked [3]Ranking
	sum    [3]int64
	by     [3]Figures
}

// Figures are how long things took, in one unit.
type Figures struct {
	Ended    int64 // how many: those whose end is known
	Median   int64
	P99      int64 // of few it says little: see LeastOfRank
	Shortest int64
	Longest  int64
	Worst    read.Place // of the longest, the first one
	About    bool       // the median is within 1.6 percent
	P99About bool       // likewise
	Sum      int64      // of those that are within no other one
}

// Possible says whether a trace can have it.
func (x *One) Possible() bool {
	return !slices.ContainsFunc(x[:], func(n schema.Null[int64]) bool { return n.V < 0 })
}

// Add adds the duration of what began at a place. Where that was within another one of its kind, the
// sum has its duration already.
func (s *Summary) Add(x *One, at read.Place, within bool) {
	s.Ended++
	for u, n := range x {
		switch {
		case !n.OK:
			s.lost[u], s.all[u] = true, nil
		case !s.lost[u]:
			s.ranked[u].Add(Lasted{n.V, at})
			s.all[u] = append(s.all[u], n.V)
			if !within {
				s.sum[u] += min(n.V, math.MaxInt64-s.sum[u])
			}
		}
	}
}

// Conclude works out the figures: those of rank n of N are the least that n/N of all do not
// exceed.
func (s *Summary) Conclude() {
	for s.Unit = InCycles; s.Unit < InInstructions && (s.lost[s.Unit] || s.Ended == 0); s.Unit++ {
	}
	for u, all := range s.all {
		f := &s.by[u]
		if f.Ended = s.Ended; len(all) == 0 {
			continue
		}
		slices.Sort(all)
		rank := func(percent int) int64 { return all[max(0, (len(all)*percent+99)/100-1)] }
		f.Median, f.P99, f.Worst, f.Sum = rank(50), rank(99), s.ranked[u][0].At, s.sum[u]
		f.Shortest, f.Longest = all[0], all[len(all)-1]
	}
	if all := s.all[s.Unit]; len(all) < leastOfHistogram {
		s.Each = all
	} else {
		s.Histogram = newHistogram(each(all))
	}
	s.Figures, s.Ranked = s.by[s.Unit], s.ranked[s.Unit]
	s.all, s.ranked = [3][]int64{}, [3]Ranking{}
}
