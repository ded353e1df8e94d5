package durations

import (
	"slices"
	"testing"

	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
)

// Of few durations there is each one, of more a histogram, whose axis is logarithmic if the longest
// is more than 30 times the shortest.
func TestHistograms(t *testing.T) {
	for _, tt := range []struct {
		name     string
		duration func(i int) int64
		n        int
		want     Histogram // without edges between
		bins     int
	}{
		{name: "few", n: 19, duration: func(i int) int64 { return int64(100 - i) }},
		{name: "even", n: 100, duration: func(i int) int64 { return int64(100 + i) }, want: Histogram{Edges: []float64{100, 199}}, bins: 20},
		{name: "all equal", n: 50, duration: func(int) int64 { return 7 }, want: Histogram{Edges: []float64{7, 7}}, bins: 1},
		{name: "two values", n: 50, duration: func(i int) int64 { return int64(7 + i%2) }, want: Histogram{Edges: []float64{7, 8}}, bins: 2},
		{name: "ratio 30", n: 50, duration: func(i int) int64 { return 10 + int64(i)*290/49 }, want: Histogram{Edges: []float64{10, 300}}, bins: 14},
		{name: "ratio above 30", n: 50, duration: func(i int) int64 { return 10 + int64(i)*291/49 }, want: Histogram{Log: true, Edges: []float64{10, 301}}, bins: 14},
		{name: "from nothing", n: 1000, duration: func(i int) int64 { return int64(i * 40) }, want: Histogram{Log: true, Edges: []float64{0, 39960}}, bins: 40},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &Summary{}
			for i := range tt.n {
				d.Add(&One{InInstructions: schema.Of(tt.duration(i))}, read.Place{Seq: int64(i)}, false)
			}
			d.Conclude()
			if tt.n < leastOfHistogram {
				if d.Histogram != nil || len(d.Each) != tt.n || d.Each[0] != tt.duration(tt.n-1) {
					t.Errorf("%+v", d)
				}
				return
			}
			h := d.Histogram
			if d.Each != nil || h.Log != tt.want.Log || len(h.Counts) != tt.bins || len(h.Edges) != tt.bins+1 ||
				h.Edges[0] != tt.want.Edges[0] || h.Edges[tt.bins] != tt.want.Edges[1] {
				t.Fatalf("%+v", h)
			}
			counted := make([]int64, tt.bins) // from the edges, one by one
			for i := range tt.n {
				bin := 0
				for bin < tt.bins-1 && float64(tt.duration(i)) >= h.Edges[bin+1] {
					bin++
				}
				counted[bin]++
			}
			if !slices.Equal(counted, h.Counts) {
				t.Errorf("counted %v, want %v", h.Counts, counted)
			}
		})
	}
}
