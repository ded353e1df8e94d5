package report_test

import (
	"testing"

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
			{Name: report.Name{Function: "wait", Address: 0x1008}, Instructions: 3, Entries: 3, Timed: 3, Cycles: 99.5, Seconds: 99.5e-6},
			{Name: report.Name{Function: "main", Address: 0x1000}, Instructions: 20, Entries: 10, Timed: 20, Cycles: 20, Seconds: 20e-6},
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
