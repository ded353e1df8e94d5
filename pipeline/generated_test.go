package pipeline

import (
	"bytes"
	"testing"

	"github.com/tracelake/tracelake/bench/synth"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/etmv3"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/pft"
	"github.com/tracelake/tracelake/schema"
)

// A macrocell is what traces a generated execution, by the name that
// docs/conformance.md gives it.
type macrocell struct {
	name          string
	protocol      string
	minor         uint8 // of the version
	returnStack   bool  // PFT
	cycleAccurate bool
	data          bool // ETMv3: values and addresses
}

// macrocells are those whose streams are damaged.
var macrocells = []macrocell{
	{name: "PFT 1.1", protocol: capture.PFT, minor: 1},
	{name: "PFT 1.1, cycles", protocol: capture.PFT, minor: 1, cycleAccurate: true},
	{name: "PFT 1.1, return stack", protocol: capture.PFT, minor: 1, returnStack: true},
	{name: "PFT 1.1, return stack, cycles", protocol: capture.PFT, minor: 1, returnStack: true, cycleAccurate: true},
	{name: "ETMv3.3", protocol: capture.ETMv3, minor: 3},
	{name: "ETMv3.3, cycles", protocol: capture.ETMv3, minor: 3, cycleAccurate: true},
	{name: "ETMv3.5", protocol: capture.ETMv3, minor: 5},
	{name: "ETMv3.5, cycles", protocol: capture.ETMv3, minor: 5, cycleAccurate: true},
	{name: "ETMv3.5, data", protocol: capture.ETMv3, minor: 5, data: true},
}

// eachMacrocell runs a test for all macrocells.
func eachMacrocell(t *testing.T, test func(t *testing.T, m macrocell)) {
	for _, m := range macrocells {
		t.Run(m.name, func(t *testing.T) { test(t, m) })
	}
}

// The clocks of generated traces.
const (
	generatedTimestampBase = 90 * 50_000_000
	generatedCyclesPerTick = 20
)

// encoder returns what traces a program to b, and its registers.
func (m *macrocell) encoder(b *bytes.Buffer, rows synth.Rows, id uint8, program *synth.Program, sync int) (stepEncoder, []synth.Register) {
	if m.protocol == capture.PFT {
		o := synth.PFTOptions{
			Config: pft.Config{
				Minor: m.minor, CycleAccurate: m.cycleAccurate, ReturnStack: m.returnStack, ContextIDBytes: 1, Timestamp64: true,
			},
			Source: id, SyncBytes: sync, ReturnStackDepth: 8, TraceVMID: true,
			Timestamps: true, TimestampBase: generatedTimestampBase, CyclesPerTick: generatedCyclesPerTick,
		}
		return synth.NewPFT(b, rows, o), o.Registers()
	}
	latest := m.minor >= 5
	o := synth.ETMv3Options{
		Config: etmv3.Config{
			Minor: m.minor, CycleAccurate: m.cycleAccurate, ContextIDBytes: 1, Security: true, OneT32: true,
			AltBranch: latest, Timestamp64: latest, Virtualization: latest, DataAddress: m.data, DataValue: m.data,
		},
		Source: id, Program: program, SyncPeriod: sync, TraceVMID: latest,
		Timestamps: latest, TimestampBase: generatedTimestampBase, CyclesPerTick: generatedCyclesPerTick,
	}
	return synth.NewETMv3(b, rows, o), o.Registers()
}

// A stepEncoder makes a stream of steps.
type stepEncoder interface {
	Step(*synth.Step) error
	Close() error
}

// A generatedRun is what is executed and how often it is synchronised.
type generatedRun struct {
	id    uint8
	seed  uint64
	bytes int // of the stream, at least
	sync  int // bytes from A-sync to A-sync, at least
	// eventful is how often anything but plain execution happens: 1 is as often
	// as on a busy core.
	eventful float64
}

// smallRun is a stream that is damaged in very many ways.
var smallRun = generatedRun{id: 0x10, seed: 1, bytes: 12 << 10, sync: 1024, eventful: 20}

// A generated is the trace of a generated execution. Its offsets are positions.
type generated struct {
	*trace
	cell    macrocell
	truth   generatedTruth
	program *synth.Program
}

// generate traces an execution of a program that is made up.
func (m *macrocell) generate(t testing.TB, run generatedRun) *generated {
	t.Helper()
	g, err := synth.GenerateProgram(synth.GenerateOptions{Seed: run.seed, Bytes: 64 << 10, Base: 0x80000000, Security: schema.NonSecure})
	if err != nil {
		t.Fatal(err)
	}
	rates := map[schema.ExceptionType]float64{}
	for x, rate := range map[schema.ExceptionType]float64{
		schema.ExcIRQ: 300, schema.ExcFIQ: 50, schema.ExcUndefined: 50, schema.ExcDataAbort: 100, schema.ExcDebug: 20,
	} {
		rates[x] = rate * run.eventful
	}
	steps := synth.Execute(g.Program(), synth.ExecuteOptions{
		Seed: run.seed, Instructions: 1 << 40, Targets: g.Targets, Handlers: g.Handlers, Rates: rates,
		Tasks: []synth.Task{
			{Entry: g.Entry, ContextID: 1, VMID: 1},
			{Entry: g.Targets[len(g.Targets)/2], ContextID: 2, VMID: 2},
		},
		Switches: 50 * run.eventful, Triggers: 20 * run.eventful, Data: m.data,
		TraceOff: synth.Windows{Rate: 20 * run.eventful, Steps: 50}, Overflow: synth.Windows{Rate: 20 * run.eventful, Steps: 50},
	})
	var b bytes.Buffer
	made := &generated{cell: *m, program: g.Program()}
	encoder, registers := m.encoder(&b, &made.truth, run.id, g.Program(), run.sync)
	for s, err := range steps {
		if err == nil {
			err = encoder.Step(&s)
		}
		if err != nil {
			t.Fatal(err)
		}
		if b.Len() >= run.bytes {
			break
		}
	}
	if err := encoder.Close(); err != nil {
		t.Fatal(err)
	}
	tr := &trace{name: m.name, id: run.id, protocol: bindGenerated(t, m.protocol, registers), memory: image.New(g.Region())}
	made.trace = tr.with(b.Bytes())
	return made
}

// bindGenerated binds a protocol to the registers of an encoder.
func bindGenerated(t testing.TB, protocol string, registers []synth.Register) decode.Protocol {
	t.Helper()
	var all capture.Registers
	for _, r := range registers {
		all = append(all, capture.Register{Name: r.Name, Bits: 32, Value: uint64(r.Value)})
	}
	p, _, err := protocols[protocol](decode.Source{Registers: all})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A toldInstruction is what of an instruction damage is to leave as it was.
type toldInstruction struct {
	offset   uint32 // of the packet that told it, in the stream
	address  uint32
	isa      schema.ISA
	executed uint8 // 0: no, 1: yes, 2: untold
}

// outcomeUntold is what no packet says of an outcome.
const outcomeUntold = 2

// A generatedTruth takes the truth from an encoder, as far as recovery is
// measured by it.
type generatedTruth struct {
	instructions []toldInstruction
	exceptions   int
	isyncs       []int64 // that begin segments
}

// Instruction implements [synth.Rows], as do the others.
func (r *generatedTruth) Instruction(x *synth.Instruction) {
	told := toldInstruction{offset: uint32(x.Offset), address: x.Address, isa: x.ISA, executed: outcomeUntold}
	if x.Executed.OK {
		told.executed = validity(x.Executed.V)
	}
	r.instructions = append(r.instructions, told)
}

func (r *generatedTruth) Exception(x *synth.Exception) {
	if x.Event == schema.ExceptionEntry {
		r.exceptions++
	}
}

func (r *generatedTruth) Segment(x *synth.Segment) { r.isyncs = append(r.isyncs, x.Offset) }

func (*generatedTruth) CycleCount(*synth.CycleCount) {}
func (*generatedTruth) Timestamp(*synth.Timestamp)   {}
func (*generatedTruth) Context(*synth.Context)       {}
func (*generatedTruth) DataAccess(*synth.DataAccess) {}
func (*generatedTruth) Event(*synth.Event)           {}
func (*generatedTruth) Loss(*synth.Loss)             {}

// told returns the instructions of a decode.
func (d *dataset) told() []toldInstruction {
	b := d.tables[schema.Instructions.Name]
	all := make([]toldInstruction, b.Rows())
	offset, address := d.column(&schema.Instructions, "byte_offset"), d.column(&schema.Instructions, "address")
	set, executed := d.column(&schema.Instructions, "isa"), d.column(&schema.Instructions, "executed")
	for i := range all {
		all[i] = toldInstruction{uint32(offset.U64[i]), address.U32[i], schema.ISA(set.U8[i]), outcomeUntold}
		if !null(executed, i) {
			all[i].executed = executed.U8[i]
		}
	}
	return all
}

// What is generated decodes to its truth: what damage is compared with below is
// no decode that nobody knows to be right.
func TestGeneratedTruth(t *testing.T) {
	eachMacrocell(t, func(t *testing.T, m macrocell) {
		g := m.generate(t, smallRun)
		got := g.decode(t)
		got.checkAccounts(t, len(g.data))
		got.checkTruth(t, &g.truth)
		t.Logf("%d bytes, %d instructions, %d exceptions, %d segments", len(g.data), len(g.truth.instructions), g.truth.exceptions, len(g.truth.isyncs))
	})
}

// checkTruth demands the instructions, exceptions and segments of the truth.
func (d *dataset) checkTruth(t testing.TB, truth *generatedTruth) {
	t.Helper()
	got := d.told()
	if len(got) != len(truth.instructions) || len(got) == 0 {
		t.Errorf("%d instructions, want %d", len(got), len(truth.instructions))
	}
	for i := range min(len(got), len(truth.instructions)) {
		if got[i] != truth.instructions[i] {
			t.Errorf("instruction %d: %+v, want %+v", i, got[i], truth.instructions[i])
			break
		}
	}
	if d.totals.Exceptions != int64(truth.exceptions) {
		t.Errorf("%d exceptions, want %d", d.totals.Exceptions, truth.exceptions)
	}
	isyncs := d.integers(&schema.Segments, "byte_offset")
	if len(isyncs) != len(truth.isyncs) {
		t.Fatalf("%d segments, want %d", len(isyncs), len(truth.isyncs))
	}
	for i, at := range isyncs {
		if at != truth.isyncs[i] {
			t.Errorf("segment %d begins at %d, want %d", i, at, truth.isyncs[i])
		}
	}
}
