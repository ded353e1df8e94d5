package pipeline

import (
	"context"
	"testing"

	"github.com/tracelake/tracelake/pipeline/engine"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/pipeline/tally"
)

// BenchmarkTally counts again and again what ran in the sample, in captures of
// silicon, and in what is made up, and says what an instruction costs.
func BenchmarkTally(b *testing.B) {
	traces := []*trace{sampleTrace(b)}
	for _, name := range []string{"am243x-r5f-etmv3-freertos-002b37c", "am243x-r5f-etmv3-threadx-ce42d22"} {
		if dir, ok := shared.Find(b, "captures/"+name); ok {
			traces = append(traces, openTrace(b, dir, 0x10))
		}
	}
	for _, name := range []string{"PFT 1.1", "PFT 1.1, cycles", "ETMv3.5", "ETMv3.5, cycles"} {
		tr := macrocellOf(name).generate(b, generatedRun{id: 0x10, seed: 1, bytes: 256 << 10, sync: 16384, eventful: 1}).trace
		tr.name = name
		traces = append(traces, tr)
	}
	for _, tr := range traces {
		b.Run(tr.name, func(b *testing.B) {
			parts, instructions := tr.runs(b)
			sinks := tally.New(nil, nil).Sinks(stitch.Sinks{})
			for b.Loop() {
				for i := range parts {
					if err := sinks.Runs.Add(parts[i]); err != nil {
						b.Fatal(err)
					}
					parts[i].Seq += instructions
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(instructions), "ns/instruction")
		})
	}
}

// A runCollector collects runs.
type runCollector []stitch.Runs

// Add implements [stitch.RunSink].
func (c *runCollector) Add(r stitch.Runs) error {
	r.Unit.Retain()
	*c = append(*c, r)
	return nil
}

// runs returns the runs of a trace, and how many instructions they have.
func (tr *trace) runs(t testing.TB) ([]stitch.Runs, int64) {
	t.Helper()
	var parts runCollector
	st := stitch.New(tr.id, tr.protocol.TimestampCode(), stitch.Sinks{Runs: parts.Add})
	d := engine.NewDecoders(&decode.Pool{}, func() decode.Decoder { return tr.protocol.NewDecoder(tr.memory, decode.Wanted{}) })
	err := engine.Ordered(context.Background(), engine.NewWorkers(1), engine.Split(tr.stream(wholePieces), tr.protocol, engine.NoLead), d.Decode, func(d engine.Decoded) error {
		return st.Stitch(d.Unit)
	})
	if err == nil {
		err = st.Finish()
	}
	if err != nil {
		t.Fatal(err)
	}
	return parts, st.Outcome.Totals.Instructions
}
