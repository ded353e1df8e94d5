package report_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/clock"
	"github.com/tracelake/tracelake/pipeline/report/reporttest"
	"github.com/tracelake/tracelake/schema"
)

// Cycles between timestamps measure the clock of the core where it was not given.
func TestClock(t *testing.T) {
	const program = `
file fw.elf 0x1000 0x100 match=1
function 0x1000 8 main
code 0x1000 a32 other executed=1 timed=1 cycles=1000
`
	for _, tt := range []struct {
		name, source, timestamps string
		want                     clock.Rate
	}{
		{"given", "hz=5000000 ticks=1000000", "timestamp 0 cycle=0\ntimestamp 1000 cycle=9000", clock.Rate{Hz: 5e6}},
		{"timestamps of no known frequency", "", "timestamp 0 cycle=0\ntimestamp 1000 cycle=9000", clock.Rate{}},
		{"measured", "ticks=1000000", "timestamp 5000 cycle=0\ntimestamp 6000 cycle=20000", clock.Rate{Hz: 2e7, Measured: true, Least: 2e7, Most: 2e7, Elapsed: 1e-3}},
		{
			"a tick is right to one, and a stretch has a hundred", "ticks=1000000",
			"timestamp 0 cycle=0\ntimestamp 1 cycle=39\ntimestamp 2 cycle=40\ntimestamp 200 cycle=4010\ntimestamp 300 cycle=6000",
			clock.Rate{Hz: 2e7, Measured: true, Least: 1.99e7, Most: 2.005e7, Elapsed: 3e-4},
		},
		{
			"not steady", "ticks=1000000", "timestamp 0 cycle=0\ntimestamp 1000 cycle=20000\ntimestamp 2000 cycle=30000",
			clock.Rate{Measured: true, Least: 1e7, Most: 2e7, Elapsed: 2e-3},
		},
		{
			"only within an epoch", "ticks=1000000",
			"timestamp 0 cycle=0\ntimestamp 1000 cycle=20000\ntimestamp 5000 epoch=1 cycle=5\ntimestamp 6000 epoch=1 cycle=20005",
			clock.Rate{Hz: 2e7, Measured: true, Least: 2e7, Most: 2e7, Elapsed: 6e-3},
		},
		{"too short", "ticks=1000000", "timestamp 0 cycle=0\ntimestamp 99 cycle=1980", clock.Rate{Elapsed: 99e-6}},
		{"no cycles", "ticks=1000000", "timestamp 7\ntimestamp ?\ntimestamp 1007", clock.Rate{Elapsed: 1e-3}},
		{"one that goes back", "ticks=1000000", "timestamp 5000 cycle=0\ntimestamp 4000 cycle=100\ntimestamp 9000 cycle=200", clock.Rate{Measured: true, Least: 2e4, Most: 2e4, Hz: 2e4}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := merged(t, report.Options{Clocks: true}, "source 0x10 "+tt.source+program+tt.timestamps).Hotspots(report.ByFunction)
			if len(h.Clocks) != 1 {
				t.Fatalf("%d clocks", len(h.Clocks))
			}
			equal(t, tt.want, h.Clocks[0], cmpopts.EquateApprox(1e-9, 0), cmpopts.IgnoreFields(clock.Rate{}, "Dir", "Source"))
			if h.Clocked != (tt.want.Hz != 0) || h.Clocked && math.Abs(h.Seconds-1000/tt.want.Hz) > 1e-12 {
				t.Errorf("clocked %v, %v s", h.Clocked, h.Seconds)
			}
		})
	}
}

// The clock of the sample's core is 1 GHz. In TC2 that of a core stands in a fixed
// proportion to timestamps: 50 to 1 on the A15, and one proportion on the three A7 of
// a cluster, which run from one clock. Its timestamps are taken as 24 MHz.
func TestClockOfCaptures(t *testing.T) {
	const a15, a7 = 1.2e9, 349.2e6
	for _, tt := range []struct {
		name string
		opt  pipeline.Options
		want map[uint8]float64
	}{
		{"sample", pipeline.Options{}, map[uint8]float64{0x10: 1e9}},
		{"opencsd-TC2", pipeline.Options{TimestampHz: 24e6}, map[uint8]float64{0x10: a7, 0x11: a7, 0x12: a7, 0x13: a15}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.opt.Level = schema.LevelBlocks
			dir := reporttest.Export(t, tt.name, "", tt.opt)
			m, err := report.Read([]string{dir}, report.Options{Clocks: true})
			if err != nil {
				t.Fatal(err)
			}
			clocks := m.Hotspots(report.ByFunction).Clocks
			if len(clocks) != len(tt.want) {
				t.Errorf("%d clocks", len(clocks))
			}
			for _, c := range clocks {
				if want := tt.want[c.Source]; !c.Measured || math.Abs(c.Hz-want) > 0.003*want {
					t.Errorf("%+v, want %g Hz", c, want)
				}
			}
		})
	}
}
