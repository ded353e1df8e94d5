package generate

import (
	"io"
	"testing"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/encode/etmv3"
	"github.com/tracelake/tracelake/bench/encode/pft"
	"github.com/tracelake/tracelake/bench/truth"
)

// What the specification allows beside what hardware does, and what is rare,
// differs by the listed faults, and by them alone.
func TestOutsideVariation(t *testing.T) {
	skipShort(t)
	lister, p := findLister(t), newPrograms(t)
	const rate = 0.2
	// OpenCSD stops at an A-sync that is too long, and forgets an instruction set that
	// no branch packet has: there is nothing to compare then.
	ptm := pft.Vary(1, rate)
	ptm.Information, ptm.Zeros = 0, 0
	information := ptm
	information.Information = rate
	etm := *etmv3.Vary(1, rate)
	etm.Longer, etm.Branch, etm.Cancel, etm.LSiP, etm.OldForm, etm.LateCounts = 0, 0, 0, 0, 0, 0
	cancel, inProgress, old, unpacked := etm, etm, etm, etm
	unpacked.Packing = 0 // there are P-headers 80, else
	cancel.Cancel, inProgress.LSiP, old.OldForm = rate, 1, 1

	for _, tt := range []struct {
		name   string
		w      *Workload
		r      Recipe
		pft    pft.Variation
		etmv3  etmv3.Variation
		faults []adjustment
	}{
		{name: "pft", w: p.made, r: Recipe{Protocol: "pft", Minor: 1, ReturnStack: true, CycleAccurate: true,
			Timestamps: true}, pft: ptm},
		{name: "pft, packed", w: p.demo, r: Recipe{Protocol: "pft", Minor: 1, Broadcast: true, VMID: true, TraceOff: 1000,
			Debug: 1000}, pft: ptm},
		{name: "pft, information", w: p.made, r: Recipe{Protocol: "pft", Minor: 1, CycleAccurate: true}, pft: information,
			faults: []adjustment{informationBytes}},
		{
			name: "pft, unknown counts", w: p.demo, r: Recipe{Protocol: "pft", Minor: 1, CycleAccurate: true, Overflow: 1000,
				Debug: 1000},
			faults: []adjustment{unknownCounts},
		},
		{
			name: "pft, security", w: p.worlds, r: Recipe{Protocol: "pft", Minor: 1, CycleAccurate: true, VMID: true,
				Switches: 1000},
			faults: []adjustment{informationBytes, noSecurity},
		},
		{
			name: "pft, security by the return stack", w: p.worlds,
			r:      Recipe{Protocol: "pft", Minor: 1, ReturnStack: true, CycleAccurate: true},
			faults: []adjustment{informationBytes, noSecurity},
		},
		{name: "pft 1.0, timestamps", w: p.demo, r: Recipe{Protocol: "pft", Timestamps: true},
			faults: []adjustment{grayTimestamps}},
		{
			name: "pft 1.0, varied timestamps", w: p.demo, r: Recipe{Protocol: "pft", CycleAccurate: true, Timestamps: true},
			pft:    ptm,
			faults: []adjustment{grayTimestamps},
		},
		{
			name: "etmv3", w: p.made, r: Recipe{Protocol: "etmv3", Minor: 5, CycleAccurate: true, VMID: true, ContextIDBytes: 4,
				Switches: 1000},
			etmv3: etm, faults: []adjustment{cancelsNothing},
		},
		{name: "etmv3 3.0", w: p.made, r: Recipe{Protocol: "etmv3", CycleAccurate: true}, etmv3: unpacked},
		{
			name: "etmv3, unknown counts", w: p.demo, r: Recipe{Protocol: "etmv3", Minor: 5, CycleAccurate: true,
				Overflow: 1000},
			faults: []adjustment{unknownCounts},
		},
		{
			name: "etmv3 3.0, unknown counts", w: p.demo, r: Recipe{Protocol: "etmv3", CycleAccurate: true, Overflow: 1000},
			faults: []adjustment{unknownCounts},
		},
		{name: "etmv3, cancels", w: p.made, r: Recipe{Protocol: "etmv3", Minor: 5}, etmv3: cancel,
			faults: []adjustment{cancelsNothing}},
		{name: "etmv3 3.3, cancels", w: p.demo, r: Recipe{Protocol: "etmv3", Minor: 3, Debug: 1000}, etmv3: cancel,
			faults: []adjustment{cancelsNothing}},
		{name: "etmv3, LSiP", w: p.made, r: Recipe{Protocol: "etmv3", Minor: 4, TraceOff: 20_000, Overflow: 1000},
			etmv3: inProgress, faults: []adjustment{lsip}},
		{name: "etmv3 3.2, old form", w: p.demo, r: Recipe{Protocol: "etmv3", Minor: 2}, etmv3: old,
			faults: []adjustment{oldForm, cancelsNothing}},
		{
			name: "etmv3, timestamps", w: p.demo, r: Recipe{Protocol: "etmv3", Minor: 5, Timestamps: true}, etmv3: etm,
			faults: []adjustment{partialTimestamps, cancelsNothing},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.r.Seed, tt.r.Instructions, tt.r.Exceptions, tt.r.Framing = 2, 20_000, 2000, NoFrames
			c, err := tt.r.Capture(tt.w)
			if err != nil {
				t.Fatal(err)
			}
			core := &c.Cores[0]
			core.Encoder = func(w io.Writer, rows truth.Rows, _ int64) encode.Encoder {
				if tt.r.Protocol == "pft" {
					o := tt.r.pftOptions(core.Source)
					o.Variation = tt.pft
					return pft.New(w, rows, o)
				}
				o := tt.r.etmv3Options(core.Source, tt.w)
				o.Variation = &tt.etmv3
				o.CancelledAlone = tt.etmv3.Cancel == 0
				return etmv3.New(w, rows, o)
			}
			compareOutside(t, lister, c, tt.w, tt.faults...)
		})
	}
}
