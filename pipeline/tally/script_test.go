package tally

import (
	"fmt"
	"testing"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/pipeline/stitch/stitchtest"
)

// play plays a script to a tally.
func play(t testing.TB, s stitchtest.Script, to *Tally) {
	t.Helper()
	s.Play(t, to.Sinks(stitch.Sinks{}))
}

// playStretches plays a script to a tally, as a decoder has it that says where functions are left: the runs of
// a part but for the last are a stretch.
func playStretches(t testing.TB, s stitchtest.Script, to *Tally) {
	t.Helper()
	sinks := to.Sinks(stitch.Sinks{})
	runs := sinks.Runs
	sinks.Runs = stitch.TeeRuns(nil, func(r stitch.Runs) error {
		if n := r.To - r.From - 1; n > 0 {
			x := decode.Stretch{Run: r.To - 1, Runs: n, Block: r.Unit.Runs[r.From].Block}
			for _, run := range r.Unit.Runs[r.From : r.To-1] {
				x.Instructions += int64(run.Count)
			}
			r.Stretches = []decode.Stretch{x}
		}
		return runs.Add(r)
	})
	s.Play(t, sinks)
}

// words are the rows of counts and edges as a test writes them.
func words(counts []Count, edges []Edge) (c, e []string) {
	for _, x := range counts {
		text := fmt.Sprintf("%x %s executed=%d failed=%d unknown=%d first=%d", x.Address, x.ISA, x.Executed, x.Failed, x.Unknown, x.FirstSeq)
		if x.Timed > 0 {
			text += fmt.Sprintf(" timed=%d", x.Timed)
		}
		if x.Cycles.OK {
			text += fmt.Sprintf(" cycles=%d", x.Cycles.V)
		}
		if x.CyclesSpread.OK {
			text += fmt.Sprintf(" spread=%v", x.CyclesSpread.V)
		}
		c = append(c, text)
	}
	for _, x := range edges {
		text := fmt.Sprintf("%x→%x %s %s n=%d", x.From, x.To, x.Kind, x.Outcome, x.N)
		if x.Cycles.OK {
			text += fmt.Sprintf(" cycles=%d", x.Cycles.V)
		}
		e = append(e, text)
	}
	return c, e
}
