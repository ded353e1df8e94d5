package report

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

// A Duration is how long something took: what is known of it, by unit.
type Duration [3]schema.Null[int64]

// Durations are how long things of one kind took.
type Durations struct {
	Unit  Unit  // the best one that all have
	Ended int64 // how many: those whose end is known
	Figures
	Each      []int64    // ascending, if they are fewer than leastOfHistogram
	Histogram *Histogram // else

	all  [3][]int64 // by unit
	lost [3]bool    // one of them has none
	most [3]int64
	at   [3]read.Place // of that
	by   [3]Figures
}

// Figures are how long things took, in one unit.
type Figures struct {
	Median  int64
	P99     int64 // of few it says little: see LeastOfRank
	Longest int64
	Worst   read.Place // of the longest, the first one
	Sum     int64
}

// Possible says whether a trace can have it.
func (x *Duration) Possible() bool {
	return !slices.ContainsFunc(x[:], func(n schema.Null[int64]) bool { return n.V < 0 })
}

// Add adds the duration of what began at a place.
func (d *Durations) Add(x *Duration, at read.Place) {
	d.Ended++
	for u, n := range x {
		switch {
		case !n.OK:
			d.lost[u], d.all[u] = true, nil
		case !d.lost[u]:
			if len(d.all[u]) == 0 || n.V > d.most[u] {
				d.most[u], d.at[u] = n.V, at
			}
			d.all[u] = append(d.all[u], n.V)
		}
	}
}

// Conclude works out the figures: those of rank n of N are the least that n/N of all do not
// exceed.
func (d *Durations) Conclude() {
	for d.Unit = InCycles; d.Unit < InInstructions && (d.lost[d.Unit] || d.Ended == 0); d.Unit++ {
	}
	for u, all := range d.all {
		if len(all) == 0 {
			continue
		}
		slices.Sort(all)
		rank := func(percent int) int64 { return all[max(0, (len(all)*percent+99)/100-1)] }
		f := &d.by[u]
		f.Median, f.P99, f.Longest, f.Worst = rank(50), rank(99), all[len(all)-1], d.at[u]
		for _, n := range all {
			f.Sum += min(n, math.MaxInt64-f.Sum)
		}
	}
	if all := d.all[d.Unit]; len(all) < leastOfHistogram {
		d.Each = all
	} else {
		d.Histogram = newHistogram(all)
	}
	d.Figures, d.all = d.by[d.Unit], [3][]int64{}
}
