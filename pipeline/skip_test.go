package pipeline

import (
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/pipeline/engine"

	"github.com/tracelake/tracelake/decode"
)

// A plainProtocol hides that cuts can be looked for anywhere, so the splitter finds all
// of them itself.
type plainProtocol struct{ decode.Protocol }

func (p plainProtocol) NewCutter() decode.Cutter {
	return struct{ decode.Cutter }{p.Protocol.NewCutter()}
}

// A splitter that skips bytes finds the same segments and parts as one that looks
// at each: wherever it skips to, and whether or not there is a cut after it.
func TestSkips(t *testing.T) {
	parts := func(lines []string) []string {
		return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return line == "unit" })
	}
	skipped := 0
	for _, tr := range moreTraces(t) {
		for _, g := range []engine.Grain{usualGrain, grainOf(3000, 1001, engine.ChunkBytes), grainOf(700, 5000, 100),
			grainOf(100, 300, 1000)} {
			for _, breaks := range [][]int{nil, {len(tr.data) / 3, len(tr.data) / 2}} {
				got := units(t, tr.stream(1000, breaks...), tr.protocol, g)
				want := units(t, tr.stream(1000, breaks...), plainProtocol{tr.protocol}, g)
				if !slices.Equal(parts(got), parts(want)) {
					t.Errorf("%s, %+v, breaks at %d: other parts\n got %s\nwant %s", tr.name, g, breaks, strings.Join(got, "; "),
						strings.Join(want, "; "))
				}
				skipped += len(got)
			}
		}
	}
	if skipped == 0 {
		t.Error("no unit")
	}
}
