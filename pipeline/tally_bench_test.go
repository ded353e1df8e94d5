package pipeline

import (
	"bytes"
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/pipeline/stitch"
	"github.com/tracelake/tracelake/pipeline/tally"
	"github.com/tracelake/tracelake/schema"
)

// A recording is what the stitcher emits of a trace, in order, as far as a tally
// looks at it.
type recording []func(to *stitch.Sinks) error

// A recorder notes rows of one kind.
type recorder[T any] struct {
	to   *recording
	sink func(to *stitch.Sinks) stitch.Sink[T]
}

func (r recorder[T]) Add(b stitch.Base, rows []T) error {
	*r.to = append(*r.to, func(to *stitch.Sinks) error { return r.sink(to).Add(b, rows) })
	return nil
}

// Add implements [stitch.RunSink].
func (r *recording) Add(runs stitch.Runs) error {
	*r = append(*r, func(to *stitch.Sinks) error { return to.Runs.Add(runs) })
	return nil
}

// record returns what the stitcher emits of the trace, and how many instructions.
func (tr *trace) record(t testing.TB) (*recording, int64) {
	t.Helper()
	r := &recording{}
	st := stitch.New(tr.id, tr.protocol.TimestampCode(), stitch.Sinks{
		Runs:       r,
		Exceptions: recorder[stitch.Exception]{r, func(to *stitch.Sinks) stitch.Sink[stitch.Exception] { return to.Exceptions }},
		Events:     recorder[schema.Event]{r, func(to *stitch.Sinks) stitch.Sink[schema.Event] { return to.Events }},
		Losses:     recorder[schema.Loss]{r, func(to *stitch.Sinks) stitch.Sink[schema.Loss] { return to.Losses }},
	})
	d := &decoders{new: func() decode.Decoder { return tr.protocol.NewDecoder(tr.memory, false) }}
	for u, err := range split(tr.stream(wholePieces), tr.protocol) {
		if err != nil {
			t.Fatal(err)
		}
		unit, err := d.decode(context.Background(), u)
		if err != nil {
			t.Fatal(err)
		}
		if err := st.Stitch(unit.Unit); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Finish(); err != nil {
		t.Fatal(err)
	}
	return r, st.Outcome.Totals.Instructions
}

// replay has a tally count a recording.
func (r recording) replay(t testing.TB) ([]tally.Count, []tally.Edge) {
	t.Helper()
	counts := tally.New(nil)
	sinks := counts.Sinks(stitch.Sinks{})
	for _, add := range r {
		if err := add(&sinks); err != nil {
			t.Fatal(err)
		}
	}
	c, e, err := counts.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return c, e
}

// BenchmarkTally counts what ran in captures of silicon, in the sample, and in
// what is generated, and says what an instruction costs.
func BenchmarkTally(b *testing.B) {
	traces := []*trace{sampleTrace(b)}
	for _, c := range []struct {
		name string
		id   uint8
	}{
		{"am243x-r5f-etmv3-freertos-002b37c", 0x10}, {"am243x-r5f-etmv3-threadx-ce42d22", 0x10}, {"opencsd-tc2-ptm-rstk-t32", 0x02},
		{"opencsd-TC2", 0x10},
	} {
		if dir, ok := shared.Find(b, "captures/"+c.name); ok {
			traces = append(traces, openTrace(b, dir, c.id))
		}
	}
	traces = append(traces, macrocellOf("PFT 1.1, cycles").generate(b, largeRun).trace, macrocellOf("ETMv3.5").generate(b, largeRun).trace)
	for i, tr := range traces {
		if tr.name == "" {
			tr.name = []string{"PFT, cycles", "ETMv3"}[i-len(traces)+2]
		}
		b.Run(tr.name, func(b *testing.B) {
			if n := len(tr.data); n < tallyBytes {
				tr = tr.with(bytes.Repeat(tr.data, tallyBytes/n))
			}
			r, instructions := tr.record(b)
			least := time.Hour
			runtime.LockOSThread()
			for b.Loop() {
				counts := tally.New(nil)
				sinks := counts.Sinks(stitch.Sinks{})
				for range 12 {
					start := cpuTime()
					for _, add := range *r {
						if err := add(&sinks); err != nil {
							b.Fatal(err)
						}
					}
					least = min(least, cpuTime()-start)
				}
			}
			b.ReportMetric(float64(least.Nanoseconds())/float64(instructions), "least-cpu-ns/instruction")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// tallyBytes is how long a trace is at least: short ones are repeated.
const tallyBytes = 64 << 10

// largeRun is a stream of much code that is entered often.
var largeRun = generatedRun{id: 0x10, seed: 1, bytes: 2 << 20, sync: 16384, eventful: 1}
