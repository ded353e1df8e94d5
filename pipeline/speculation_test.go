package pipeline

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/pipeline/engine"
	"github.com/tracelake/tracelake/schema"
)

// Of a stream with open P0 elements at its sync points a stretch is missing (docs/etmv4.md §9.4). Where
// the input says so, all rows are of the truth; where it does not, all but those of the segment that it is
// missing in.
// Windows, and other grains with several workers, have the rows of the whole.
func TestSpeculationGaps(t *testing.T) {
	need.FullRun(t, "streams are decoded many times")
	after := 0
	for _, depth := range []uint32{2, 16, 255} {
		m := macrocell{name: fmt.Sprintf("%d elements", depth), protocol: "ete", minor: 3, speculation: depth, cycleAccurate: depth == 16}
		t.Run(m.name, func(t *testing.T) {
			run := generatedRun{id: 0x10, seed: uint64(depth), bytes: need.Size(8<<10, 64<<10), sync: 300, eventful: 10}
			g := m.generate(t, run)
			random := rand.New(rand.NewPCG(run.seed, 'g'))
			for range need.Size(2, 200) {
				n := 1 + random.IntN(len(g.data)-2)
				gap := gapped{g, n, n + 1 + random.IntN(min(2000, len(g.data)-n-1))}
				after += gap.check(t, n)
				gap.check(t)
				if t.Failed() {
					t.Fatalf("without bytes %d to %d", gap.from, gap.to)
				}
			}
		})
	}
	if after == 0 {
		t.Error("nothing is decoded after a gap")
	}
}

// A gapped is a generated stream without a stretch of it.
type gapped struct {
	*generated
	from, to int
}

// check checks the stream, which breaks there or nowhere. It returns how many instructions come after
// the first cut behind the gap.
func (g *gapped) check(t *testing.T, breaks ...int) int {
	t.Helper()
	tr := g.with(slices.Concat(g.data[:g.from], g.data[g.to:]))
	tr.offsets = slices.Concat(g.offsets[:g.from], g.offsets[g.to:])
	stream := func() decode.Stream { return tr.stream(wholePieces, breaks...) }
	whole := tr.decodeStream(t, stream(), decodeOptions{})
	whole.checkAccounts(t, len(tr.data))
	fine := engine.Grain{Unit: 1 << 10, Part: 200, Chunk: 1 << 10}
	sameTables(t, whole, tr.decodeStream(t, stream(), decodeOptions{grain: fine, workers: 3}), nil)
	w := windowed{"", g.id, tr.protocol, tr.memory, stream, usualGrain, 3}
	w.check(t)
	trusted, after := 0, len(g.data)
	for _, cut := range whole.integers(&schema.Segments, "byte_offset") {
		if at := int(cut); at < g.from {
			trusted = at
		} else if at >= g.to {
			after = min(after, at)
		}
	}
	if len(breaks) > 0 {
		trusted = after
	}
	return g.checkRows(t, whole.tracedInstructions(), trusted, after)
}

// checkRows checks that instructions of packets that begin before a place, or from another one on, are
// of the truth, in its order. It returns how many there are of the latter.
func (g *gapped) checkRows(t *testing.T, found []tracedInstruction, trusted, after int) (n int) {
	t.Helper()
	truth := g.truth.instructions
	for _, x := range found {
		at := int(x.offset)
		if at >= after {
			n++
		}
		if at >= trusted && at < after {
			continue
		}
		i := slices.Index(truth, x)
		if i < 0 {
			t.Errorf("false: %+v", x)
			return n
		}
		truth = truth[i+1:]
	}
	return n
}
