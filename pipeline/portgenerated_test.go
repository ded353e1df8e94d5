package pipeline

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/pipeline/engine"

	"github.com/tracelake/tracelake/bench/generate"
	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/program/codegen"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/port"
)

// Captures of samples that were made are decoded to the same rows in parts of a
// thousand samples, and each of their segments alone, with what it may see before and
// after it, to the instructions it has in the whole (docs/etmv2.md §7.1).
func TestSamplesInParts(t *testing.T) {
	t.Parallel()
	seeds := need.Size[uint64](12, 2000)
	if testing.Short() {
		seeds = 2
	}
	for _, protocol := range []string{"etmv1", "etmv2"} {
		for seed := range seeds {
			t.Run(fmt.Sprintf("%s/%d", protocol, seed), func(t *testing.T) {
				c := madeSamples(t, protocol, seed)
				whole := c.rows(t, 0, c.samples(), usualGrain)
				const thousand = 1 << 10
				equalTables(t, "in parts of 1,024 samples",
					c.rows(t, 0, c.samples(), engine.Grain{Unit: 1, Part: thousand * port.SampleBytes, Chunk: 3 * thousand * port.SampleBytes}), whole)
				c.checkSegments(t, whole)
			})
		}
	}
}

// A madeCapture is the samples of a capture that was made, and what decodes them.
type madeCapture struct {
	protocol decode.Protocol
	memory   *image.Memory
	records  []byte
}

// samplesFile makes a capture of a few thousand samples, and says how to open it.
func samplesFile(t *testing.T, protocol string, seed uint64) (path string, opt capture.Options) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 'p'))
	w, err := generate.GeneratedWorkload(codegen.Options{Seed: seed, Bytes: 4000, Base: 0x8000, Arch: program.V5TE})
	if err != nil {
		t.Fatal(err)
	}
	r := generate.Recipe{
		Seed: seed, Instructions: 3000, Protocol: protocol, CycleAccurate: random.IntN(3) == 0, Data: generate.Data(random.IntN(4)),
		Exceptions: 5000, TraceOff: 500, Overflow: 500, Debug: 300, Triggers: 300, Variation: float64(random.IntN(3)) / 10,
		Samples: generate.Samples{Pins: 4 << random.IntN(3), Sync: 200 + random.IntN(3000)},
	}
	c, err := r.Capture(w)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := c.Write(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	in := c.Input(dir)
	return in.Path, capture.Options{Regs: in.Regs, Images: in.Images}
}

// madeSamples makes a capture of a few thousand samples.
func madeSamples(t *testing.T, protocol string, seed uint64) *madeCapture {
	t.Helper()
	path, opt := samplesFile(t, protocol, seed)
	s, err := open(t.Context(), path, Options{Capture: opt, Workers: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	src := s.plan.Sources[0]
	made := &madeCapture{protocol: src.Bound, memory: src.Memory}
	for stream := src.Stream(nil); ; {
		var p decode.Piece
		_, err := stream.Next(&p)
		if errors.Is(err, io.EOF) {
			return made
		}
		if err != nil {
			t.Fatal(err)
		}
		made.records = append(made.records, p.Data...)
	}
}

func (c *madeCapture) samples() int { return len(c.records) / port.SampleBytes }

// rows decodes the samples from one to before another. The offset of a sample is its
// number.
func (c *madeCapture) rows(t *testing.T, from, to int, g engine.Grain) *rowSet {
	t.Helper()
	records := c.records[from*port.SampleBytes : to*port.SampleBytes]
	return decodeGrains(t, &sampleStream{records: records, first: from, piece: 5000}, c.protocol, c.memory, false, 2, g)
}

// checkSegments decodes some segments alone.
func (c *madeCapture) checkSegments(t *testing.T, whole *rowSet) {
	t.Helper()
	const window, ahead, some = 3, 1024, 20
	segments := whole.rows["segments"]
	for i := 0; i < len(segments); i += 1 + len(segments)/some {
		from, to := number(segments[i]["byte_offset"]), c.samples()
		if i+1 < len(segments) {
			to = number(segments[i+1]["byte_offset"])
		}
		// A segment that a TFO in the midst of a byte precedes begins where that byte shows.
		begin := number(segments[number(segments[i]["decode_from"])]["byte_offset"])
		alone := c.rows(t, max(0, begin-window), min(to+ahead, c.samples()), usualGrain)
		got, want := instructionsIn(alone, from, to), instructionsIn(whole, from, to)
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("the segment of samples %d to %d has %d instructions alone, want %d:\n%v\n%v", from, to, len(got), len(want), got, want)
		}
	}
}

// instructionsIn are the instructions of the samples from one to before another.
func instructionsIn(set *rowSet, from, to int) (rows [][]string) {
	for _, row := range set.rows["instructions"] {
		if at := number(row["byte_offset"]); from <= at && at < to {
			rows = append(rows, cells(row, vectorColumns["instructions"]))
		}
	}
	return rows
}
