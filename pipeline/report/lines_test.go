package report_test

import (
	"testing"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// A line ran as often as that of its instructions which ran most often, and took what all of them
// took. Predicated instructions whose outcome is untold are told from branches.
func TestLines(t *testing.T) {
	m := merged(t, report.Options{}, `
source 0x10
file fw.elf 0x1000 0x100 match=1
function 0x1000 0x20 main at=src/main.c:1
code 0x1000 a32 other  at=src/main.c:2 executed=5 timed=5 cycles=10
code 0x1004 a32 branch at=src/main.c:2 conditional executed=3 failed=6 timed=9 cycles=20.5
code 0x1008 a32 branch at=src/main.c:2 conditional untold=4
code 0x100c a32 other  at=src/main.c:2 conditional untold=4
code 0x1010 a32 other  at=src/main.c:9 conditional failed=7
code 0x1014 a32 other  at=src/main.c:4
code 0x1018 a32 other  at=a.h:3 executed=1 of=helper
inlined 0x1018 1 src/main.c:5
code 0x101c a32 other  executed=1
`)
	equal(t, []report.LineCounts{
		{Path: "a.h", Lines: []report.LineCount{{Number: 3, Code: tally(1, 1, 0), Executions: 1, Instructions: 1}}},
		{Path: "src/main.c", Lines: []report.LineCount{
			{
				Number: 2, Code: tally(4, 4, 0), Executions: 5, Instructions: 22, Cycles: 30.5, Untold: 1,
				Branches: []report.LineBranch{{Address: 0x1004, Taken: 3, NotTaken: 6}, {Address: 0x1008, Untold: 4}},
			},
			{Number: 4, Code: tally(0, 1, 0)},
			{Number: 9, Code: tally(0, 1, 1), Instructions: 7},
		}},
	}, m.Lines())
}

// Without names the instructions that ran one after another are one stretch, up to the end of a
// page of memory.
func TestStretches(t *testing.T) {
	m := merged(t, report.Options{}, `
source 0x10
memory mem.bin 0x1000 0x2000
code 0x1ff8 a32 other executed=5 timed=5 cycles=10
code 0x1ffc a32 branch conditional executed=2 failed=3
code 0x2000 a32 other executed=2
code 0x2008 a32 other executed=1
code 0x200c a32 other conditional failed=1
code 0x2010 a32 other
code 0x2014 a32 other executed=4
`)
	equal(t, []report.Stretch{
		{Address: 0x1ff8, Bytes: 8, Code: tally(2, 2, 0), Branches: 1, Both: 1, Instructions: 10, Entries: 5, Timed: 5,
			Cycles: 10},
		{Address: 0x2000, Bytes: 4, Code: tally(1, 1, 0), Instructions: 2, Entries: 2},
		{Address: 0x2008, Bytes: 8, Code: tally(1, 2, 1), Instructions: 2, Entries: 1},
		{Address: 0x2014, Bytes: 4, Code: tally(1, 1, 0), Instructions: 4, Entries: 4},
	}, m.Stretches())
}

// The growth of a source is when each address was executed first.
func TestGrowth(t *testing.T) {
	dirs := datasettest.Datasets(t, `
source 0x10
source 0x11
file fw.elf 0x1000 0x100 match=1
function 0x1000 0x20 main
code 0x1000 a32 other executed=5 first=70
code 0x1004 a32 other executed=5 first=0
code 0x1008 a32 other executed=5 first=20
run 0x100c a32 executed=5 first=4
run 0x1000 a32 source=0x11 executed=1 first=2
code 0x1010 a32 other
`)
	got, err := report.ReadGrowth(dirs, "")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, []report.Growth{
		{Dir: dirs[0], Source: 0x10, Instructions: 20, Seqs: []int64{0, 4, 20, 70}},
		{Dir: dirs[0], Source: 0x11, Instructions: 1, Seqs: []int64{2}},
	}, got)
	for share, want := range map[float64]int64{0: 0, 0.25: 0, 0.26: 4, 0.5: 4, 0.75: 20, 1: 70} {
		if at := got[0].At(share); at != want {
			t.Errorf("%v of the addresses had been executed at %d, want %d", share, at, want)
		}
	}
}

// Of few durations there is each one, of more a histogram, whose axis is logarithmic if the longest
// is more than 30 times the shortest.
func TestHistograms(t *testing.T) {
	for _, tt := range []struct {
		name     string
		duration func(i int) int64
		n        int
		want     report.Histogram // without edges between
		bins     int
	}{
		{name: "few", n: 19, duration: func(i int) int64 { return int64(100 - i) }},
		{name: "even", n: 100, duration: func(i int) int64 { return int64(100 + i) },
			want: report.Histogram{Edges: []float64{100, 199}}, bins: 20},
		{name: "all equal", n: 50, duration: func(int) int64 { return 7 }, want: report.Histogram{Edges: []float64{7, 7}},
			bins: 1},
		{name: "two values", n: 50, duration: func(i int) int64 { return int64(7 + i%2) },
			want: report.Histogram{Edges: []float64{7, 8}}, bins: 2},
		{name: "ratio 30", n: 50, duration: func(i int) int64 { return 10 + int64(i)*290/49 },
			want: report.Histogram{Edges: []float64{10, 300}}, bins: 14},
		{name: "ratio above 30", n: 50, duration: func(i int) int64 { return 10 + int64(i)*291/49 },
			want: report.Histogram{Log: true, Edges: []float64{10, 301}}, bins: 14},
		{name: "from nothing", n: 1000, duration: func(i int) int64 { return int64(i * 40) },
			want: report.Histogram{Log: true, Edges: []float64{0, 39960}}, bins: 40},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := report.NewDurations(tt.n, tt.duration)
			if tt.n < report.LeastOfHistogram {
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
			equal(t, counted, h.Counts)
		})
	}
}
