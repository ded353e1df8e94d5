package durations

import "math"

const (
	// LeastOfRank is how many durations there have to be for a 99th percentile.
	LeastOfRank = 100
	// leastOfHistogram is how many durations are more than one looks at one by one.
	leastOfHistogram = 20

	mostBins     = 40
	fewestBins   = 10
	leastOfRatio = 30 // the longest by the shortest, from which on the axis is logarithmic
)

// A Histogram counts durations between edges, of which it has one more than counts. A duration
// at an edge is above it, but for the longest.
type Histogram struct {
	Log    bool // edges are in geometric proportion
	Edges  []float64
	Counts []int64
}

// A weighted is a duration, and how many took it.
type weighted struct{ took, n int64 }

// each returns durations, each once.
func each(all []int64) []weighted {
	list := make([]weighted, len(all))
	for i, n := range all {
		list[i] = weighted{n, 1}
	}
	return list
}

// newHistogram counts durations, which ascend.
func newHistogram(all []weighted) *Histogram {
	least, most, n := all[0].took, all[len(all)-1].took, int64(0)
	for _, x := range all {
		n += x.n
	}
	bins := min(mostBins, max(fewestBins, 2*int64(math.Sqrt(float64(n)))))
	h := &Histogram{Log: float64(most) > leastOfRatio*float64(max(1, least))}
	if !h.Log {
		bins = min(bins, most-least+1)
	}
	first, last := float64(least), float64(most)
	if h.Log {
		first = max(1, first)
	}
	for i := range bins + 1 {
		share := float64(i) / float64(bins)
		edge := first + share*(last-first)
		if h.Log {
			edge = first * math.Pow(last/first, share)
		}
		h.Edges = append(h.Edges, edge)
	}
	h.Edges[0], h.Edges[bins] = float64(least), last
	h.Counts = make([]int64, bins)
	bin := 0
	for _, x := range all {
		for bin < len(h.Counts)-1 && float64(x.took) >= h.Edges[bin+1] {
			bin++
		}
		h.Counts[bin] += x.n
	}
	return h
}
