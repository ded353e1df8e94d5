package pipeline

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/encode"
	encodeetmv3 "github.com/tracelake/tracelake/bench/encode/etmv3"
	encodepft "github.com/tracelake/tracelake/bench/encode/pft"
	"github.com/tracelake/tracelake/bench/execute"
	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/program/codegen"
	"github.com/tracelake/tracelake/bench/snapshot"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth/digest"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/etmv3"
	"github.com/tracelake/tracelake/decode/frame"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/pft"
	"github.com/tracelake/tracelake/schema"
)

// Generated traces have what no available capture has: every packet, and bytes that
// hardware may send but does not.

const (
	synthSync  = 500 // bytes from A-sync to A-sync
	synthClock = 90 * 50_000_000
	// synthRate is how often the streams vary, synthSyncRate how often there is a
	// sync that is not due.
	synthRate     = 0.1
	synthSyncRate = 0.01
)

// pftCells and etmv3Cells are PTMs and ETMs of all kinds.
var (
	pftCells = []encodepft.Options{
		{Config: pft.Config{CycleAccurate: true, ContextIDBytes: 1, TimestampGray: true}, Timestamps: true},
		{Config: pft.Config{Minor: 1, ContextIDBytes: 4, Timestamp64: true, ReturnStack: true}, Timestamps: true,
			TraceVMID: true},
		{Config: pft.Config{Minor: 1, CycleAccurate: true, Timestamp64: true}, Timestamps: true, BranchBroadcast: true},
	}
	etmv3Cells = []encodeetmv3.Options{
		{Config: etmv3.Config{CycleAccurate: true, ContextIDBytes: 2, Security: true}},
		{Config: etmv3.Config{Minor: 2, OneT32: true, DataOnly: true, DataAddress: true, DataValue: true}},
		{Config: etmv3.Config{Minor: 3, OneT32: true, Security: true, DataAddress: true, DataValue: true,
			DataSuppress: true}},
		{Config: etmv3.Config{Minor: 4, OneT32: true, ProfileM: true, CycleAccurate: true, AltBranch: true, DataValue: true}},
		{Config: etmv3.Config{
			Minor: 5, OneT32: true, ContextIDBytes: 1, Security: true, Virtualization: true, AltBranch: true,
			Timestamp64: true, DataAddress: true,
		}, Timestamps: true, TraceVMID: true},
		{Config: etmv3.Config{Minor: 5, OneT32: true, CycleAccurate: true, Security: true, Timestamp64: true},
			Timestamps: true},
	}
)

// A synthRun is an execution and what is traced of it.
type synthRun struct {
	id     uint8
	seed   uint64
	code   *codegen.Program
	steps  step.Steps
	stream bytes.Buffer

	protocol, core, profile, cell string // types of the core and of what traces it
	registers                     []snapshot.Register
}

// newSynthRun makes an execution in which much happens.
func newSynthRun(t testing.TB, id uint8, seed uint64, v7m, data bool) *synthRun {
	t.Helper()
	code, err := codegen.Generate(codegen.Options{Seed: seed, Bytes: 8000, Base: 0x8000, Arch: program.ARMv7(v7m),
		SMC: !v7m})
	if err != nil {
		t.Fatal(err)
	}
	rates := map[schema.ExceptionType]float64{schema.ExcIRQ: 5000, schema.ExcDataAbort: 2000, schema.ExcUndefined: 1000,
		schema.ExcDebug: 1000}
	if v7m {
		rates = map[schema.ExceptionType]float64{schema.ExcIRQ: 5000, schema.ExcSysTick: 2000, schema.ExcPendSV: 2000,
			schema.ExcDebug: 1000}
	}
	windows := execute.Windows{Rate: 1000, Steps: 30}
	return &synthRun{id: id, seed: seed, code: code, steps: execute.Run(code.Program(), execute.Options{
		Seed: seed, Instructions: 3000, Targets: code.Targets, Handlers: code.Handlers, Arch: program.ARMv7(v7m),
		Interrupts: 8, Rates: rates, Switches: 1000,
		Tasks: []execute.Task{{Entry: code.Entry, ContextID: 1, VMID: 1},
			{Entry: code.Targets[len(code.Targets)/2], ContextID: 2, VMID: 2}},
		TraceOff: windows, Overflow: windows, Triggers: 1000, Data: data,
	})}
}

// runPFT returns what a PTM traces of an execution.
func runPFT(t testing.TB, id uint8, o encodepft.Options, v encodepft.Variation) *synthRun {
	t.Helper()
	o.Source, o.SyncBytes, o.ReturnStackDepth, o.TimestampBase, o.CyclesPerTick, o.Variation = id, synthSync, 8,
		synthClock, 20, v
	r := newSynthRun(t, id, v.Seed, false, false)
	r.protocol, r.core, r.profile, r.cell, r.registers = "pft", "Cortex-A15", "A", "PTM"+o.Version(), o.Registers()
	if err := encode.All(encodepft.New(&r.stream, digest.New(id), o), r.steps); err != nil {
		t.Fatal(err)
	}
	return r
}

// runETMv3 returns what an ETM traces of an execution.
func runETMv3(t testing.TB, id uint8, o encodeetmv3.Options, v *encodeetmv3.Variation) *synthRun {
	t.Helper()
	r := newSynthRun(t, id, v.Seed, o.ProfileM, o.DataAddress || o.DataValue)
	o.Source, o.SyncPeriod, o.TimestampBase, o.CyclesPerTick, o.Program, o.Variation = id, synthSync, synthClock, 20,
		r.code.Program(), v
	r.protocol, r.core, r.profile, r.cell, r.registers = "etmv3", o.Core(), "R", o.Type(), o.Registers()
	if o.ProfileM {
		r.profile = "M"
	}
	if err := encode.All(encodeetmv3.New(&r.stream, digest.New(id), o), r.steps); err != nil {
		t.Fatal(err)
	}
	return r
}

// synthRuns are executions traced by all of them, in all ways they may be.
func synthRuns(t testing.TB, seed uint64) []*synthRun {
	t.Helper()
	var runs []*synthRun
	for i, o := range pftCells {
		v := encodepft.Vary(seed<<8+uint64(i), synthRate)
		v.ASyncs, v.ISyncs = synthSyncRate, synthSyncRate
		runs = append(runs, runPFT(t, uint8(1+i), o, v))
	}
	for i, o := range etmv3Cells {
		v := encodeetmv3.Vary(seed<<8+uint64(i), synthRate)
		v.Sync = synthSyncRate
		v.Halves = 0 // a tail does not know of a half that was traced before it
		runs = append(runs, runETMv3(t, uint8(0x20+i), o, v))
	}
	return runs
}

// synthTails are executions with streams whose tails decode by themselves: nothing
// in a tail refers to what was before it, and no D-sync lies between A-sync and
// I-sync.
func synthTails(t testing.TB, seed uint64) []*synthRun {
	t.Helper()
	var runs []*synthRun
	for i, o := range pftCells {
		runs = append(runs, runPFT(t, uint8(1+i), o, encodepft.Vary(seed<<8+uint64(i), synthRate)))
	}
	for i, o := range etmv3Cells {
		runs = append(runs, runETMv3(t, uint8(0x20+i), o, &encodeetmv3.Variation{
			Seed: seed<<8 + uint64(i), Packing: synthRate, Longer: synthRate, Ignore: synthRate, Timestamps: synthRate,
			Branch: synthRate, OldForm: synthRate, LSiP: synthRate, NotTraced: synthRate,
		}))
	}
	return runs
}

// trace returns the trace of the execution.
func (r *synthRun) trace(t testing.TB) *trace {
	t.Helper()
	var registers capture.Registers
	for _, x := range r.registers {
		registers = append(registers, capture.Register{Name: x.Name, Bits: 32, Value: uint64(x.Value)})
	}
	bound, _, err := bindTo(r.protocol, decode.Source{CoreType: r.core, Profile: r.profile, Registers: registers})
	if err != nil {
		t.Fatal(err)
	}
	tr := &trace{name: fmt.Sprintf("synth-%02x-%s-%d", r.id, r.cell, r.seed>>8), id: r.id, protocol: bound,
		memory: image.New(r.code.Region()), made: true}
	return tr.with(r.stream.Bytes())
}

// withSynth are traces, and those of executions of some seeds.
func withSynth(t testing.TB, traces []*trace, runs func(testing.TB, uint64) []*synthRun) []*trace {
	t.Helper()
	for seed := range need.Size[uint64](1, 20) {
		for _, r := range runs(t, seed) {
			traces = append(traces, r.trace(t))
		}
	}
	return traces
}

// moreTraces are all of [pftTraces], and those that are made.
func moreTraces(t testing.TB) []*trace {
	t.Helper()
	return withSynth(t, pftTraces(t), synthRuns)
}

// synthSnapshot returns a snapshot directory with all executions in one buffer.
func synthSnapshot(t testing.TB) string {
	t.Helper()
	var buffer bytes.Buffer
	return synthFrames(t, synthRuns(t, 0), frame.NewWriter(&buffer), &buffer, "coresight")
}

// synthFrames returns one of some executions, in whose buffer w writes frames of a format.
func synthFrames(t testing.TB, runs []*synthRun, w *frame.Writer, buffer *bytes.Buffer, format string) string {
	t.Helper()
	s := snapshot.Snapshot{Buffers: []snapshot.Buffer{{Name: "ETB_0", File: "trace.bin", Format: format}}}
	files := map[string][]byte{}
	left := make([][]byte, len(runs))
	for i, r := range runs {
		r.describe(&s, files)
		left[i] = r.stream.Bytes()
	}
	random := rand.New(rand.NewPCG(1, 's'))
	for rest := slices.Clone(runs); len(rest) > 0; {
		i := random.IntN(len(rest))
		n := min(1+random.IntN(100), len(left[i]))
		if err := w.Write(rest[i].id, left[i][:n]); err != nil {
			t.Fatal(err)
		}
		if left[i] = left[i][n:]; len(left[i]) == 0 {
			rest, left = slices.Delete(rest, i, i+1), slices.Delete(left, i, i+1)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	files["trace.bin"] = buffer.Bytes()
	return writeSnapshot(t, &s, files)
}

// synthRaw returns a snapshot directory with one execution in a buffer without frames.
func synthRaw(t testing.TB, r *synthRun) string {
	t.Helper()
	s := snapshot.Snapshot{Buffers: []snapshot.Buffer{{Name: "ETB_0", File: "trace.bin", Format: "source_data"}}}
	files := map[string][]byte{"trace.bin": r.stream.Bytes()}
	r.describe(&s, files)
	return writeSnapshot(t, &s, files)
}

// describe adds the execution to a snapshot with its files.
func (r *synthRun) describe(s *snapshot.Snapshot, files map[string][]byte) {
	core, code := fmt.Sprintf("cpu_%02x", r.id), fmt.Sprintf("code_%02x.bin", r.id)
	files[code] = r.code.Code
	dump := snapshot.Dump{File: code, Address: r.code.Address, Length: uint32(len(r.code.Code))}
	s.Cores = append(s.Cores, snapshot.Core{Name: core, Type: r.core, Dumps: []snapshot.Dump{dump}})
	s.Sources = append(s.Sources, snapshot.Source{
		Name: fmt.Sprintf("%s_%02x", r.cell[:3], r.id), Type: r.cell, Core: core, Buffer: "ETB_0", Registers: r.registers,
	})
}

func writeSnapshot(t testing.TB, s *snapshot.Snapshot, files map[string][]byte) string {
	t.Helper()
	maps.Copy(files, s.Files())
	dir := t.TempDir()
	if err := snapshot.WriteFiles(dir, files); err != nil {
		t.Fatal(err)
	}
	return dir
}
