package report_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tracelake/tracelake/pipeline/report"
)

// Rows are in the order of cycles only if all that ran has them; entries are those
// through the first instruction.
func TestHotspots(t *testing.T) {
	const program = `
file fw.elf 0x1000 0x100 match=1
function 0x1000 8 main
function 0x1008 8 wait
`
	for _, tt := range []struct {
		name, text string
		want       report.Hotspots
	}{
		{"cycles", "source 0x10 hz=1000000" + program + `
code 0x1000 a32 other executed=10 timed=10 cycles=10
code 0x1004 a32 other conditional executed=4 failed=6 timed=10 cycles=10
code 0x1008 a32 other executed=3 timed=3 cycles=99.5
`, report.Hotspots{Named: true, Instructions: 23, Cycles: 119.5, ByCycles: true, Clocked: true, Seconds: 119.5e-6, Rows: []report.HotspotRow{
			{Name: report.Name{Function: "wait", Address: 0x1008}, Instructions: 3, Entries: 3, Timed: 3, Cycles: 99.5,
				Seconds: 99.5e-6},
			{Name: report.Name{Function: "main", Address: 0x1000}, Instructions: 20, Entries: 10, Timed: 20, Cycles: 20,
				Seconds: 20e-6},
		}}},
		{"cycles in part, no clock", "source 0x10" + program + `
code 0x1000 a32 other executed=10
code 0x1008 a32 other conditional executed=3 failed=1 timed=4 cycles=99
`, report.Hotspots{Named: true, Instructions: 14, Cycles: 99, Rows: []report.HotspotRow{
			{Name: report.Name{Function: "main", Address: 0x1000}, Instructions: 10, Entries: 10},
			{Name: report.Name{Function: "wait", Address: 0x1008}, Instructions: 4, Entries: 3, Timed: 4, Cycles: 99},
		}}},
		{"no cycles", "source 0x10" + program + `
code 0x1004 a32 other executed=2
code 0x100c a32 other executed=3
`, report.Hotspots{Named: true, Instructions: 5, Rows: []report.HotspotRow{
			{Name: report.Name{Function: "wait", Address: 0x1008}, Instructions: 3},
			{Name: report.Name{Function: "main", Address: 0x1000}, Instructions: 2},
		}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			equal(t, &tt.want, merged(t, report.Options{}, tt.text).Hotspots(report.ByFunction), cmpopts.EquateApprox(1e-12, 0))
		})
	}
}

// Instructions per cycle are those of epochs that have cycles, no others.
func TestIPC(t *testing.T) {
	h := merged(t, report.Options{}, `
source 0x10
file fw.elf 0x1000 0x100 match=1
function 0x1000 8 main
function 0x1008 8 wait
code 0x1000 a32 other executed=10 failed=2 timed=6 cycles=4
code 0x1004 a32 other executed=100
code 0x1008 a32 other executed=5
`).Hotspots(report.ByFunction)
	if main, wait := h.Rows[0].IPC(), h.Rows[1].IPC(); main != 1.5 || wait != 0 {
		t.Errorf("%v and %v, want 1.5 and 0", main, wait)
	}
}

// One of two clocks is not enough for times.
func TestHotspotsClocks(t *testing.T) {
	h := merged(t, report.Options{}, `
source 0x10 hz=1000000
source 0x11
file fw.elf 0x1000 0x100 match=1
function 0x1000 8 main
code 0x1000 a32 other executed=1 timed=1 cycles=2
run 0x1000 a32 source=0x11 executed=1 timed=1 cycles=2
`).Hotspots(report.ByFunction)
	if h.Clocked || !h.ByCycles {
		t.Errorf("%+v", h)
	}
}

// A line takes the sum of its instructions, not the greatest.
func TestHotspotsByLine(t *testing.T) {
	h := merged(t, report.Options{}, small).Hotspots(report.ByLine)
	equal(t, report.HotspotRow{Name: report.Name{File: "src/main.c", Line: 12}, Instructions: 10}, h.Rows[0])
}

// Against a baseline shares are compared, not counts, in cycles only if both have them
// for all that ran; rows of the same share are left out.
func TestHotspotsAgainst(t *testing.T) {
	const program = `
source 0x10
file fw.elf 0x1000 0x100 match=1
function 0x1000 8 main
function 0x1008 8 wait
function 0x1010 8 idle
function 0x1018 8 start
`
	base := merged(t, report.Options{}, program+`
code 0x1000 a32 other executed=10 timed=10 cycles=10
code 0x1008 a32 other executed=5 timed=5 cycles=80
code 0x1018 a32 other executed=5 timed=5 cycles=10
`)
	type change struct {
		name        string
		now, before float64 // shares; -1: did not run
	}
	for _, tt := range []struct {
		name, text string
		by         report.By
		cycles     bool
		lost, new  int64
		want       []change
	}{
		{"twice as long", program + `
code 0x1000 a32 other executed=20 timed=20 cycles=20
code 0x1008 a32 other executed=10 timed=10 cycles=160
code 0x1018 a32 other executed=10 timed=10 cycles=20
`, report.ByFunction, true, 0, 0, nil},
		{"cycles", program + `
code 0x1000 a32 other executed=10 timed=10 cycles=20
code 0x1008 a32 other executed=5 timed=5 cycles=40
code 0x1010 a32 other executed=5 timed=5 cycles=20
run 0x5000 a32 executed=1 timed=1 cycles=20
`, report.ByFunction, true, 1, 2, []change{{"wait", .4, .8}, {"outside", .2, -1}, {"idle", .2, -1}, {"main", .2, .1}, {"start", -1, .1}}},
		{"instructions, as cycles are not of all", program + `
code 0x1000 a32 other executed=10 timed=10 cycles=20
code 0x1008 a32 other executed=30
`, report.ByFunction, false, 1, 0, []change{{"wait", .75, .25}, {"main", .25, .5}, {"start", -1, .25}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := merged(t, report.Options{}, tt.text).HotspotsAgainst(base, tt.by)
			if !c.SameProgram || c.ByCycles != tt.cycles || c.New != tt.new || c.Lost != tt.lost {
				t.Errorf("same %v, by cycles %v, %d new, %d lost", c.SameProgram, c.ByCycles, c.New, c.Lost)
			}
			var got []change
			for i := range c.Rows {
				r := &c.Rows[i]
				x := change{r.Row().Function, -1, -1}
				if r.Row().Outside {
					x.name = "outside"
				}
				if r.Now != nil {
					x.now = c.Share(c.Now, r.Now)
				}
				if r.Before != nil {
					x.before = c.Share(c.Before, r.Before)
				}
				got = append(got, x)
			}
			equal(t, tt.want, got, cmp.AllowUnexported(change{}), cmpopts.EquateApprox(1e-12, 0))
		})
	}
}

// In another program functions are compared by name and file, several of one name as
// one; where nothing has names nothing is.
func TestHotspotsAgainstAnotherProgram(t *testing.T) {
	base := merged(t, report.Options{}, `
source 0x10
file fw.elf 0x1000 0x100 match=1
function 0x1000 8 main at=a.c:1
function 0x1008 8 init at=b.c:1
function 0x1010 8 init at=b.c:7
code 0x1000 a32 other executed=8
code 0x1008 a32 other executed=1
code 0x1010 a32 other executed=1
`)
	c := merged(t, report.Options{}, `
source 0x10
file fw.elf 0x1000 0x100 match=1 code=beef
function 0x2000 8 main at=a.c:3
function 0x2008 8 init at=b.c:9
code 0x2000 a32 other executed=5
code 0x2008 a32 other executed=5
`).HotspotsAgainst(base, report.ByLine)
	if c.SameProgram || len(c.Rows) != 2 || c.New != 0 || c.Lost != 0 {
		t.Fatalf("%+v", c)
	}
	equal(t, &report.HotspotRow{Name: report.Name{Function: "init", File: "b.c"}, Instructions: 2, Entries: 2},
		c.Rows[1].Before)
	if x := merged(t, report.Options{},
		"source 0x10\nmemory flash.bin 0x1000 0x100\ncode 0x1000 a32 other executed=1").HotspotsAgainst(base,
		report.ByFunction); len(x.Rows) != 0 || x.SameProgram {
		t.Errorf("%+v", x)
	}
}
