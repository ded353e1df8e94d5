package pft_test

import (
	"bytes"
	"compress/gzip"
	"debug/elf"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/cost"
	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/encode/pft"
	"github.com/tracelake/tracelake/bench/execute"
	"github.com/tracelake/tracelake/bench/internal/benchtest"
	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/program/codegen"
	"github.com/tracelake/tracelake/bench/recording"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/bench/snapshot"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/image"
	codec "github.com/tracelake/tracelake/decode/pft"
	"github.com/tracelake/tracelake/schema"
)

// roundTrip traces steps, has the stream decoded, and compares all tables. It
// returns the truth.
func roundTrip(t *testing.T, o pft.Options, steps step.Steps, memory map[schema.Address][]byte) benchtest.Record {
	t.Helper()
	stream, truth := trace(t, o, steps)
	decodes(t, o, stream, memory, truth)
	return truth
}

// trace traces steps.
func trace(t *testing.T, o pft.Options, steps step.Steps) ([]byte, benchtest.Record) {
	t.Helper()
	var stream bytes.Buffer
	truth := benchtest.Record{}
	if err := encode.All(pft.New(&stream, truth, o), steps); err != nil {
		t.Fatal(err)
	}
	return stream.Bytes(), truth
}

// decodes has a stream decoded, and compares all tables with the truth.
func decodes(t *testing.T, o pft.Options, stream []byte, memory map[schema.Address][]byte, truth benchtest.Record) {
	t.Helper()
	source := snapshot.Source{Name: "PTM_0", Type: fmt.Sprintf("PTM1.%d", o.Minor), Registers: o.Registers()}
	decoded, err := benchtest.Decode(t, "Cortex-A15", source, stream, memory)
	if err != nil {
		t.Fatal(err)
	}
	if d := benchtest.Differences(decoded, truth); d != "" {
		t.Error(d)
	}
}

// randomOptions returns options of all kinds.
func randomOptions(seed uint64) pft.Options {
	r := rand.New(rand.NewPCG(seed, 2))
	coin := func() bool { return r.IntN(2) == 0 }
	o := pft.Options{
		Config: codec.Config{
			Minor: pick[uint8](r, 0, 1, 1), CycleAccurate: coin(), ContextIDBytes: pick(r, 0, 1, 2, 4), Timestamp64: coin(),
			TimestampGray: coin(), ReturnStack: coin(), DataBarriers: coin(),
		},
		Source: 0x10, SyncBytes: pick(r, 0, 1, 60, 300), ReturnStackDepth: pick(r, 0, 1, 3, 16, 32), BranchBroadcast: r.IntN(3) == 0,
		Timestamps: r.IntN(3) > 0, TimestampBase: pick(r, 0, 1<<47-9, 1<<48-7, 1<<64-10, r.Uint64()), CyclesPerTick: pick[uint64](r, 1, 40, 1e6),
		TraceVMID: coin(),
	}
	if coin() {
		o.Variation = pft.Vary(seed, pick(r, 0.02, 0.3, 0.7, 1))
	}
	return o
}

// What random executions are traced to is decoded to what their truth says.
func TestPFTRoundTripWandering(t *testing.T) {
	for seed := range need.Size[uint64](60, 2000) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newWander(t, seed)
			o := randomOptions(seed)
			roundTrip(t, o, benchtest.All(w.walk(t, 1500)), w.memory)
			if t.Failed() {
				t.Logf("%+v", o)
			}
		})
	}
}

// Calls of the monitor and the hypervisor, which may return to the caller of the
// function they are in: then an E atom in secure state or Hyp mode takes a
// non-secure entry from the return stack.
func TestPFTRoundTripSecurity(t *testing.T) {
	changes := 0
	for seed := range uint64(6) {
		g := benchtest.Generate(t, codegen.Options{
			Seed: seed, Bytes: 20_000, Base: 0x8000, SMC: true, HVC: true, Security: schema.NonSecure,
		})
		o := randomOptions(seed)
		o.Minor, o.ReturnStack, o.ReturnStackDepth, o.SyncBytes = 1, true, 8, 1024
		stream, truth := trace(t, o, execute.Run(g.Program(), execute.Options{
			Seed: seed, Instructions: 10_000, Tasks: []execute.Task{{Entry: g.Entry}}, Targets: g.Targets, Handlers: g.Handlers, Watchdog: true,
		}))
		decodes(t, o, stream, map[schema.Address][]byte{g.Address: g.Code}, truth)
		for _, row := range truth[schema.Contexts.Name] {
			offset, err := strconv.Atoi(strings.Fields(row)[2])
			if err != nil {
				t.Fatal(err)
			}
			if stream[offset]&0x81 == 0x80 { // the header of an atom
				changes++
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d: %+v", seed, o)
		}
	}
	if changes < 20 {
		t.Errorf("%d E atoms that change the security state", changes)
	}
}

// The vectors are decoded to their truth as well: as they are, and varied.
func TestPFTRoundTripVectors(t *testing.T) {
	type vector struct {
		name, memory, steps string
		options             pft.Options
	}
	var vectors []vector
	for _, v := range golden {
		vectors = append(vectors, vector{v.name, v.memory, v.steps, v.options})
	}
	for _, v := range rowVectors {
		vectors = append(vectors, vector{v.name, v.memory, v.steps, v.options})
	}
	for _, v := range vectors {
		memory := benchtest.Memory(t, v.memory)
		steps := benchtest.ParseSteps(t, v.memory, v.steps)
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			v.options.Source = 0x10
			roundTrip(t, v.options, steps, memory)
			v.options.Variation = pft.Vary(uint64(len(v.name)), 0.5)
			roundTrip(t, v.options, steps, memory)
		})
	}
}

// The sample's execution, traced in other ways and with gaps.
func TestPFTRoundTripRecording(t *testing.T) {
	dir := t.TempDir()
	if err := sample.Extract(dir); err != nil {
		t.Fatal(err)
	}
	memory := loadELF(t, filepath.Join(dir, sample.ELF))
	var regions []image.Region
	for address, code := range memory {
		regions = append(regions, image.Region{Address: address, Bytes: code})
	}
	recorded, err := os.ReadFile(filepath.Join("..", "..", "sample", "recording.txt.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			z, err := gzip.NewReader(bytes.NewReader(recorded))
			if err != nil {
				t.Fatal(err)
			}
			steps := new(cost.Model).Apply(recording.Read(z, program.New(image.New(regions...)), schema.NonSecure))
			o := randomOptions(seed)
			o.SyncBytes = 1024
			if truth := roundTrip(t, o, interrupted(steps, seed, 60_000), memory); len(truth[schema.Instructions.Name]) < 30_000 {
				t.Errorf("%d instructions", len(truth[schema.Instructions.Name]))
			}
			if t.Failed() {
				t.Logf("%+v", o)
			}
		})
	}
}

// interrupted is the first steps of an execution, with trace gaps and triggers,
// and with entries to Debug state.
func interrupted(steps step.Steps, seed uint64, limit int) step.Steps {
	return func(yield func(step.Step, error) bool) {
		r := rand.New(rand.NewPCG(seed, 3))
		left, n := 0, 0
		trace := step.Traced
		for s, err := range steps {
			if left--; left < 0 {
				trace, left = step.Traced, r.IntN(4000)
				if r.IntN(2) == 0 {
					trace, left = pick(r, step.TraceOff, step.Overflowed), r.IntN(100)
				}
			}
			s.Trace, s.Trigger = trace, r.IntN(2000) == 0
			if !s.Entered && r.IntN(2000) == 0 {
				halt := step.Step{
					Entered: true, Exception: schema.ExcDebug, At: s.At, Next: s.At,
					ContextID: s.ContextID, Trace: trace, Cycles: r.Uint32N(1e6),
				}
				if !yield(halt, nil) {
					return
				}
			}
			if n++; n > limit || !yield(s, err) {
				return
			}
		}
	}
}

// loadELF returns what an ELF file loads.
func loadELF(t *testing.T, name string) map[schema.Address][]byte {
	t.Helper()
	f, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	memory := map[schema.Address][]byte{}
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD || p.Filesz == 0 {
			continue
		}
		code := make([]byte, p.Filesz)
		if _, err := p.ReadAt(code, 0); err != nil {
			t.Fatal(err)
		}
		memory[schema.Address(p.Vaddr)] = code
	}
	return memory
}
