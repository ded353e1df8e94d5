package generate

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/program/codegen"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/etmv2"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/diff"
)

// To look for what fails, and at it: other seeds, and more failures than one.
var (
	sampleSeed     = flag.Uint64("samples.seed", 0, "run the round trips of samples from this seed on, of 1 and more")
	sampleCount    = flag.Uint64("samples.count", 0, "run so many of them")
	sampleFailures = flag.Int("samples.failures", 1, "stop them after so many failures")
)

// What is made of samples of a trace port, of any kind, is decoded to its truth.
func TestSamplesETMv1(t *testing.T) { testSamples(t, "etmv1") }

func TestSamplesETMv2(t *testing.T) { testSamples(t, "etmv2") }

func testSamples(t *testing.T, protocol string) {
	seen, halves := tally{}, halves{}
	programs := map[uint64]*Workload{}
	failed := 0
	first, n := uint64(0), need.Size[uint64](150, 100_000)
	if *sampleSeed > 0 {
		first, n = *sampleSeed-1, max(1, *sampleCount)
	}
	for seed := first; seed < first+n && failed < *sampleFailures; seed++ {
		r := randomSamples(protocol, seed)
		c, err := r.Capture(sampleProgram(t, programs, protocol, seed))
		if err != nil {
			t.Fatalf("%+v: %v", r, err)
		}
		halves.count(c)
		if problem := c.roundTrip(t, r, seen); problem != "" {
			failed++
			t.Errorf("seed %d: %+v: %s", seed, r, problem)
			t.Logf("again: go test ./bench/generate -run TestSamples -samples.seed %d", seed+1)
		}
	}
	t.Logf("rows compared: %v; %+v", seen, halves)
	if *sampleSeed == 0 && (halves.between == 0 || halves.second == 0) {
		t.Errorf("Thumb BLs in parts: %+v, want some of each", halves)
	}
}

// sampleProgram is one of some programs.
func sampleProgram(t *testing.T, made map[uint64]*Workload, protocol string, seed uint64) *Workload {
	t.Helper()
	n := seed % 16
	if made[n] == nil {
		w, err := GeneratedWorkload(codegen.Options{
			Seed: n, Bytes: 500 << (n % 4 * 2), Base: 0x8000 << (n % 3), Arch: program.V5TE, HighVectors: n%5 == 4, LDC: protocol == "etmv1",
		})
		if err != nil {
			t.Fatal(err)
		}
		made[n] = w
	}
	return made[n]
}

// randomSamples is a recipe of any kind.
func randomSamples(protocol string, seed uint64) *Recipe {
	random := rand.New(rand.NewPCG(seed, 'u'))
	coin := func(p float64) bool { return random.Float64() < p }
	rate := func() float64 { return []float64{0, 500, 5000, 50_000}[random.IntN(4)] }
	p := findProtocol(protocol)
	r := &Recipe{
		Protocol: protocol, Minor: random.IntN(p.newest + 1), Seed: seed, Instructions: int64(20 + random.IntN(600)),
		CycleAccurate: coin(0.4), Broadcast: coin(0.2), Data: []Data{NoData, NoData, DataAddresses, DataValues, DataBoth}[random.IntN(5)],
		Exceptions: rate(), Switches: rate() / 10, TraceOff: rate() / 5, Overflow: rate() / 5, Debug: rate() / 5, Triggers: rate(),
		AtPairs: coin(0.2),
	}
	if r.Minor >= 2 || protocol == "etmv2" {
		r.ContextIDBytes = []int{0, 0, 1, 2, 4}[random.IntN(5)]
	}
	s := &r.Samples
	s.Pins = []int{4, 8, 16}[random.IntN(3)]
	layouts := slices.DeleteFunc(port.Layouts(uint8(p.major)), func(l port.Layout) bool { return l == port.LayoutBytes && s.Pins != 4 })
	s.Layout = layouts[random.IntN(len(layouts))]
	s.DropDisabled = coin(0.3)
	s.FIFO = []int{0, 20, 40, 79}[random.IntN(4)]
	s.Sync = []int{0, 100, 300}[random.IntN(3)]
	s.Idle = []float64{0, 0, 0.1, 0.6}[random.IntN(4)]
	s.BigEndian = coin(0.3)
	if protocol == "etmv1" {
		s.CoprocessorWords = 1 // as in the programs
	}
	if protocol == "etmv2" {
		s.First, s.Gap = etmv2.First(random.IntN(2)), etmv2.Gap(random.IntN(2))
		if !r.CycleAccurate {
			s.TFO = etmv2.TFOCode(random.IntN(2))
		}
	}
	if r.AtPairs { // hardly ever are there idle cycles at them
		r.Exceptions, r.Variation, s.Idle = 50_000, 0.02, 0
	} else if coin(0.6) {
		r.Variation = []float64{0.02, 0.2, 0.5}[random.IntN(3)]
	} else if bytes := s.Layout.String(); coin(0.4) && (bytes == "etms" || bytes[:3] == "etb") {
		r.Ring = 16 * (10 + random.IntN(100))
		s.ETB = bytes != "etms" && coin(0.6)
	}
	return r
}

// roundTrip writes a capture of samples, exports it in some way, and returns how it
// is not its truth.
func (c *Capture) roundTrip(t *testing.T, r *Recipe, seen tally) (problem string) {
	t.Helper()
	dir := t.TempDir()
	m, err := c.Write(t.Context(), dir)
	if err != nil {
		return err.Error()
	}
	out := filepath.Join(dir, "dataset")
	input, opt := c.exportOptions(dir)
	random := rand.New(rand.NewPCG(r.Seed, 'e'))
	opt.Level = schema.LevelInstructions // a row of blocks has one offset for many samples
	opt.Workers = []int{1, 2, 8}[random.IntN(3)]
	opt.Codec = "none"
	_, err = pipeline.Export(t.Context(), input, out, opt)
	if _, nothing := errors.AsType[*pipeline.NothingError](err); nothing && m.Totals.Instructions == 0 {
		return "" // as it should be
	}
	if err != nil {
		return err.Error()
	}
	return differences(compare(t, out, filepath.Join(dir, TruthFolder)), seen)
}

// exportOptions are what the command of a capture says.
func (c *Capture) exportOptions(dir string) (input string, opt pipeline.Options) {
	in := c.Input(dir)
	return in.Path, pipeline.Options{Capture: capture.Options{Protocol: in.Protocol, Regs: in.Regs, Images: in.Images}}
}

// differences says how a dataset is not the truth, and counts the rows.
func differences(v *diff.Result, seen tally) (problem string) {
	for i := range v.Tables {
		x := &v.Tables[i]
		seen[x.Table] += x.Compared
		if x.Compared+x.Missing != x.TruthRows {
			problem += fmt.Sprintf("\n%s: %d rows of %d compared, %d missing", x.Table, x.Compared, x.TruthRows, x.Missing)
		}
	}
	for i := range v.Differences {
		if d := &v.Differences[i]; i < 12 {
			problem += fmt.Sprintf("\n%s, seq %d, at %d, %s: %q, want %q; %s", d.Table, d.Seq.V, d.ByteOffset.V, d.Column, d.Dataset, d.Truth, d.Row)
		}
	}
	return problem
}
