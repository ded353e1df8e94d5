package durations

import (
	"cmp"
	"math"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
)

// A Class is how many things took about as long.
type Class struct{ AtLeast, AtMost, N int64 }

// middle is how long they are taken to have lasted, where the shortest and the longest of all are known.
func (c *Class) middle(shortest, longest int64) int64 {
	return min(max(c.AtLeast+(c.AtMost-c.AtLeast)/2, shortest), longest)
}

// Bounds are what is known exactly of durations that are counted by class.
type Bounds struct {
	Ended             int64
	Shortest, Longest int64
	Worst             read.Place // of the longest, the first one
	Sum               int64      // of those that are within no other one, ended or not
	Ranked            Ranking    // those whose places are known; it may lack even the longest
}

// Join adds what is known of others.
func (b *Bounds) Join(x Bounds) {
	if x.Ended > 0 {
		if b.Ended == 0 || x.Shortest < b.Shortest {
			b.Shortest = x.Shortest
		}
		if b.Ended == 0 || x.Longest > b.Longest || x.Longest == b.Longest && isBefore(&x.Worst, &b.Worst) {
			b.Longest, b.Worst = x.Longest, x.Worst
		}
	}
	for _, l := range x.Ranked {
		b.Ranked.Add(l)
	}
	b.Ended += x.Ended
	b.Sum += min(x.Sum, math.MaxInt64-b.Sum)
}

// ranked returns what took longest, that first.
func (b *Bounds) ranked() Ranking {
	if b.Ended == 0 {
		return nil
	}
	all := Ranking{{b.Longest, b.Worst}}
	for _, l := range b.Ranked {
		if first := &all[0]; l.Took == first.Took && isSame(&l.At, &first.At) {
			*first = l // which has its row
			continue
		}
		all.Add(l)
	}
	return all
}

// isSame says whether places are the same instruction.
func isSame(x, y *read.Place) bool { return x.Dir == y.Dir && x.Source == y.Source && x.Seq == y.Seq }

// OfClasses returns the summary of durations in a unit, which are counted by class. Median and 99th
// percentile are the middle of theirs.
func OfClasses(unit Unit, b Bounds, classes []Class) Summary {
	s := Summary{Unit: unit}
	for u := range s.lost {
		s.lost[u] = Unit(u) != unit
	}
	classes = sortedClasses(classes)
	all := int64(0)
	for _, c := range classes {
		all += c.N
	}
	rank := func(percent float64) (took int64, about bool) {
		least, below := max(1, int64(math.Ceil(float64(all)*percent/100))), int64(0)
		for i := range classes {
			if below += classes[i].N; below >= least {
				c := &classes[i]
				return c.middle(b.Shortest, b.Longest), c.AtLeast < c.AtMost && b.Shortest < b.Longest
			}
		}
		return 0, false
	}
	s.Figures = Figures{Ended: b.Ended, Shortest: b.Shortest, Longest: b.Longest, Worst: b.Worst, Sum: b.Sum}
	if s.Ranked = b.ranked(); len(s.Ranked) > 0 {
		s.Worst = s.Ranked[0].At
	}
	s.Median, s.About = rank(50)
	s.P99, s.P99About = rank(99)
	s.by[unit] = s.Figures
	s.draw(classes)
	return s
}

// sortedClasses joins equal classes, and has the shortest first.
func sortedClasses(classes []Class) (sorted []Class) {
	slices.SortFunc(classes, func(x, y Class) int {
		return cmp.Or(cmp.Compare(x.AtLeast, y.AtLeast), cmp.Compare(x.AtMost, y.AtMost))
	})
	for _, c := range classes {
		if n := len(sorted); n > 0 && sorted[n-1].AtLeast == c.AtLeast && sorted[n-1].AtMost == c.AtMost {
			sorted[n-1].N += c.N
			continue
		}
		sorted = append(sorted, c)
	}
	return sorted
}

// draw lists few durations that are exact; of others it makes a histogram.
func (s *Summary) draw(classes []Class) {
	all, exact := make([]weighted, len(classes)), true
	n := int64(0)
	for i := range classes {
		c := &classes[i]
		all[i] = weighted{c.middle(s.Shortest, s.Longest), c.N}
		exact = exact && c.AtLeast == c.AtMost
		n += c.N
	}
	switch {
	case n >= leastOfHistogram:
		s.Histogram = newHistogram(all)
	case exact:
		for _, x := range all {
			s.Each = append(s.Each, slices.Repeat([]int64{x.took}, int(x.n))...)
		}
	}
}
