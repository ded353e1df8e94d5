package tally

import (
	"fmt"
	"testing"

	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/pipeline/stitch/stitchtest"
)

// play plays a script to a tally.
func play(t testing.TB, s stitchtest.Script, to *Tally) {
	t.Helper()
	s.Play(t, to.Sinks(stitch.Sinks{}))
}

// playPaths plays a script to a tally, as a decoder has it that knows its runs: as paths.
func playPaths(t testing.TB, s stitchtest.Script, to *Tally, most int) {
	t.Helper()
	sinks := to.Sinks(stitch.Sinks{})
	sinks.Runs = stitchtest.AsPaths(sinks.Runs, most)
	s.Play(t, sinks)
}

// words are the rows of counts and edges as a test writes them.
func words(counts []Count, edges []Edge) (c, e []string) {
	for _, x := range counts {
		text := fmt.Sprintf("%x %s executed=%d failed=%d untold=%d first=%d", x.Address, x.ISA, x.Executed, x.Failed, x.Untold, x.FirstSeq)
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
