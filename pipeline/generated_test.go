package pipeline

import (
	"bytes"
	"slices"
	"testing"

	encodeetmv3 "github.com/tracelake/tracelake/bench/encode/etmv3"
	encodeetmv4 "github.com/tracelake/tracelake/bench/encode/etmv4"
	encodepft "github.com/tracelake/tracelake/bench/encode/pft"
	"github.com/tracelake/tracelake/bench/execute"
	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/program/codegen"
	"github.com/tracelake/tracelake/bench/snapshot"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/etmv3"
	"github.com/tracelake/tracelake/decode/etmv4"
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
	dataOnly      bool // of those, nothing else
	anyOrder      bool // of those, values that come late, out of order or not at all
	profileM      bool
	speculation   uint32 // ETE: MAXSPEC
}

// arch is the architecture of the core.
func (m *macrocell) arch() program.Arch {
	if m.v8() {
		return program.V8A
	}
	return program.ARMv7(m.profileM)
}

func (m *macrocell) v8() bool { return m.protocol == "etmv4" || m.protocol == "ete" }

// macrocells are those whose streams are damaged.
var macrocells = []macrocell{
	{name: "PFT 1.1", protocol: "pft", minor: 1},
	{name: "PFT 1.1, cycles", protocol: "pft", minor: 1, cycleAccurate: true},
	{name: "PFT 1.1, return stack", protocol: "pft", minor: 1, returnStack: true},
	{name: "PFT 1.1, return stack, cycles", protocol: "pft", minor: 1, returnStack: true, cycleAccurate: true},
	{name: "ETMv3.3", protocol: "etmv3", minor: 3},
	{name: "ETMv3.3, cycles", protocol: "etmv3", minor: 3, cycleAccurate: true},
	{name: "ETMv3.5", protocol: "etmv3", minor: 5},
	{name: "ETMv3.5, cycles", protocol: "etmv3", minor: 5, cycleAccurate: true},
	{name: "ETMv3.5, data", protocol: "etmv3", minor: 5, data: true},
	{name: "ETMv3.5, data in any order, cycles", protocol: "etmv3", minor: 5, cycleAccurate: true, data: true, anyOrder: true},
	{name: "ETMv3.5, data only", protocol: "etmv3", minor: 5, data: true, dataOnly: true, anyOrder: true},
	{name: "ETMv3.5 of v7-M, data in any order", protocol: "etmv3", minor: 5, data: true, anyOrder: true, profileM: true},
	{name: "ETMv4.6, return stack, cycles", protocol: "etmv4", minor: 6, returnStack: true, cycleAccurate: true},
	{name: "ETE 1.3, speculation", protocol: "ete", minor: 3, speculation: 8},
}

// macrocellOf returns the macrocell of a name.
func macrocellOf(name string) *macrocell {
	return &macrocells[slices.IndexFunc(macrocells, func(m macrocell) bool { return m.name == name })]
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
func (m *macrocell) encoder(b *bytes.Buffer, rows truth.Rows, run *generatedRun, program *program.Program) (stepEncoder, []snapshot.Register) {
	if m.protocol == "pft" {
		o := encodepft.Options{
			Config: pft.Config{
				Minor: m.minor, CycleAccurate: m.cycleAccurate, ReturnStack: m.returnStack, ContextIDBytes: 1, Timestamp64: true,
			},
			Source: run.id, SyncBytes: run.sync, ReturnStackDepth: 8, TraceVMID: true,
			Timestamps: true, TimestampBase: generatedTimestampBase, CyclesPerTick: generatedCyclesPerTick,
		}
		return encodepft.New(b, rows, o), o.Registers()
	}
	if m.v8() {
		o := encodeetmv4.Options{
			Config: etmv4.Config{
				ETE: m.protocol == "ete", Minor: m.minor, Profile: "A", CommOpt: true, CycleBits: 12,
				CycleCounting: m.cycleAccurate, ReturnStack: m.returnStack, MaxSpec: m.speculation, Timestamps: true, Timestamp64: true,
				ContextIDBytes: 4, TracesContextID: true, VMIDBytes: 1, TracesVMID: true,
			},
			Source: run.id, SyncBytes: run.sync, ReturnStackDepth: 8,
			TimestampBase: generatedTimestampBase, CyclesPerTick: generatedCyclesPerTick,
		}
		return encodeetmv4.New(b, rows, o), o.Registers()
	}
	latest := m.minor >= 5
	o := encodeetmv3.Options{
		Config: etmv3.Config{
			Minor: m.minor, ProfileM: m.profileM, CycleAccurate: m.cycleAccurate, ContextIDBytes: 1, Security: !m.profileM, OneT32: true,
			AltBranch: latest, Timestamp64: latest, Virtualization: latest && !m.profileM,
			DataAddress: m.data, DataValue: m.data, DataOnly: m.dataOnly, DataSuppress: m.anyOrder && !m.dataOnly,
		},
		Source: run.id, Program: program, SyncPeriod: run.sync, TraceVMID: latest && !m.profileM,
		Timestamps: latest, TimestampBase: generatedTimestampBase, CyclesPerTick: generatedCyclesPerTick,
	}
	if m.anyOrder {
		o.Variation = &encodeetmv3.Variation{
			Seed: run.seed, OutOfOrder: anyOrderRate, NotTraced: anyOrderRate, Suppress: anyOrderRate / 10, Cancel: anyOrderRate,
			Delay: 3 * anyOrderRate, // some over a cut
		}
	}
	return encodeetmv3.New(b, rows, o), o.Registers()
}

// anyOrderRate is how often data in any order is not in order.
const anyOrderRate = 0.2

// A stepEncoder makes a stream of steps.
type stepEncoder interface {
	Step(*step.Step) error
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

// generatedBase is where programs lie.
const generatedBase = 0x80000000

// smallRun is a stream that is damaged in very many ways.
var smallRun = generatedRun{id: 0x10, seed: 1, bytes: 12 << 10, sync: 1024, eventful: 20}

// A generated is the trace of a generated execution. Its offsets are positions.
type generated struct {
	*trace
	cell    macrocell
	truth   generatedTruth
	program *program.Program
	region  image.Region // where it lies
}

// generate traces an execution of a program that is made up.
func (m *macrocell) generate(t testing.TB, run generatedRun) *generated {
	t.Helper()
	o := codegen.Options{Seed: run.seed, Bytes: 64 << 10, Base: generatedBase, Arch: m.arch()}
	if !m.profileM {
		o.Security = schema.NonSecure
	}
	g, err := codegen.Generate(o)
	if err != nil {
		t.Fatal(err)
	}
	rates := m.rates()
	for x := range rates {
		rates[x] *= run.eventful
	}
	steps := execute.Run(g.Program(), execute.Options{
		Seed: run.seed, Instructions: 1 << 40, Targets: g.Targets, Handlers: g.Handlers, Rates: rates,
		Tasks: []execute.Task{
			{Entry: g.Entry, ContextID: 1, VMID: 1},
			{Entry: g.Targets[len(g.Targets)/2], ContextID: 2, VMID: 2},
		},
		Switches: 50 * run.eventful, Triggers: 20 * run.eventful, Data: m.data, Arch: m.arch(), Interrupts: 8,
		TraceOff: execute.Windows{Rate: 20 * run.eventful, Steps: 50}, Overflow: execute.Windows{Rate: 20 * run.eventful, Steps: 50},
	})
	var b bytes.Buffer
	made := &generated{cell: *m, program: g.Program(), region: g.Region()}
	encoder, registers := m.encoder(&b, &made.truth, &run, g.Program())
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
	tr := &trace{name: m.name, id: run.id, protocol: m.bind(t, registers), memory: image.New(g.Region())}
	made.trace = tr.with(b.Bytes())
	return made
}

// rates are how often exceptions happen per million instructions.
func (m *macrocell) rates() map[schema.ExceptionType]float64 {
	if m.profileM {
		return map[schema.ExceptionType]float64{
			schema.ExcIRQ: 300, schema.ExcSysTick: 100, schema.ExcPendSV: 50, schema.ExcDebug: 20,
		}
	}
	undefined := schema.ExcUndefined
	if m.v8() {
		undefined = schema.ExcTrap
	}
	return map[schema.ExceptionType]float64{
		schema.ExcIRQ: 300, schema.ExcFIQ: 50, undefined: 50, schema.ExcDataAbort: 100, schema.ExcDebug: 20,
	}
}

// bind binds the protocol to the registers of an encoder.
func (m *macrocell) bind(t testing.TB, registers []snapshot.Register) decode.Protocol {
	t.Helper()
	s := decode.Source{Profile: "A"}
	if m.profileM {
		s.Profile = "M"
	}
	var all capture.Registers
	for _, r := range registers {
		all = append(all, capture.Register{Name: r.Name, Bits: 32, Value: uint64(r.Value)})
	}
	s.Registers = all
	p, _, err := bindTo(m.protocol, s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A tracedInstruction has the fields of an instruction that damage elsewhere must
// not change.
type tracedInstruction struct {
	offset   uint32 // of the packet that reported it, in the stream
	address  schema.Address
	isa      schema.ISA
	executed uint8 // 0: no, 1: yes, 2: unknown
}

// outcomeUnknown is an outcome that no packet reports.
const outcomeUnknown = 2

// A generatedTruth takes the truth from an encoder, as far as recovery is
// measured by it.
type generatedTruth struct {
	instructions []tracedInstruction
	accesses     []truth.DataAccess
	exceptions   int
	isyncs       []int64 // that begin segments
}

// Instruction implements [truth.Rows], as do the others.
func (r *generatedTruth) Instruction(x *truth.Instruction) {
	traced := tracedInstruction{offset: uint32(x.Offset), address: x.Address, isa: x.ISA, executed: outcomeUnknown}
	if x.Executed.OK {
		traced.executed = validity(x.Executed.V)
	}
	r.instructions = append(r.instructions, traced)
}

func (r *generatedTruth) Exception(x *truth.Exception) {
	if x.Event == schema.ExceptionEntry {
		r.exceptions++
	}
}

func (r *generatedTruth) DataAccess(x *truth.DataAccess) { r.accesses = append(r.accesses, *x) }

func (r *generatedTruth) Segment(x *truth.Segment) { r.isyncs = append(r.isyncs, x.Offset) }

func (*generatedTruth) CycleCount(*truth.CycleCount) {}
func (*generatedTruth) Timestamp(*truth.Timestamp)   {}
func (*generatedTruth) Context(*truth.Context)       {}
func (*generatedTruth) Event(*truth.Event)           {}
func (*generatedTruth) Loss(*truth.Loss)             {}

// tracedInstructions returns the instructions of a decode.
func (d *decodedTables) tracedInstructions() []tracedInstruction {
	b := d.tables[schema.Instructions.Name]
	all := make([]tracedInstruction, b.Rows())
	offset, address := d.column(&schema.Instructions, "byte_offset"), d.column(&schema.Instructions, "address")
	set, executed := d.column(&schema.Instructions, "isa"), d.column(&schema.Instructions, "executed")
	for i := range all {
		all[i] = tracedInstruction{uint32(offset.U64[i]), schema.Address(address.U64[i]), schema.ISA(set.U8[i]), outcomeUnknown}
		if !null(executed, i) {
			all[i].executed = executed.U8[i]
		}
	}
	return all
}

// Generated streams decode to their truth. So the decodes that damaged streams are
// compared with are known to be right.
func TestGeneratedTruth(t *testing.T) {
	need.FullRun(t, oneWorker)
	t.Parallel()
	eachMacrocell(t, func(t *testing.T, m macrocell) {
		g := m.generate(t, smallRun)
		got := g.decode(t)
		got.checkAccounts(t, len(g.data))
		got.checkTruth(t, &g.truth)
		t.Logf("%d bytes, %d instructions, %d data accesses, %d exceptions, %d segments", len(g.data), len(g.truth.instructions),
			len(g.truth.accesses), g.truth.exceptions, len(g.truth.isyncs))
	})
}

// accesses returns the rows of `data_accesses` of a decode.
func (d *decodedTables) accesses() []truth.DataAccess {
	table := &schema.DataAccesses
	all := make([]truth.DataAccess, d.rows(table))
	column := func(name string) *schema.Vector { return d.column(table, name) }
	seq, segment, offset, position := column("seq"), column("segment"), column("byte_offset"), column("position")
	address, value, size := column("address"), column("value"), column("size")
	access, tag, state := column("access"), column("tag"), column("state")
	for i := range all {
		x := &all[i]
		if x.NoInstruction = null(seq, i); !x.NoInstruction {
			x.Seq = integer(seq, i)
		}
		x.Segment, x.Offset, x.Position = schema.Of(int32(integer(segment, i))), integer(offset, i), position.U16[i]
		x.Address = schema.Null[schema.Address]{V: schema.Address(address.U64[i]), OK: !null(address, i)}
		x.Value = schema.Null[uint64]{V: value.U64[i], OK: !null(value, i)}
		x.Size = schema.Null[uint8]{V: size.U8[i], OK: !null(size, i)}
		x.Access = schema.Null[schema.Access]{V: schema.Access(access.U8[i]), OK: !null(access, i)}
		x.Tag = schema.Null[uint8]{V: tag.U8[i], OK: !null(tag, i)}
		x.State = schema.DataState(state.U8[i])
	}
	return all
}

// checkTruth demands the instructions, data accesses, exceptions and segments of
// the truth.
func (d *decodedTables) checkTruth(t testing.TB, truth *generatedTruth) {
	t.Helper()
	got := d.tracedInstructions()
	if len(got) != len(truth.instructions) || len(got)+len(truth.accesses) == 0 {
		t.Errorf("%d instructions, want %d", len(got), len(truth.instructions))
	}
	for i := range min(len(got), len(truth.instructions)) {
		if got[i] != truth.instructions[i] {
			t.Errorf("instruction %d: %+v, want %+v", i, got[i], truth.instructions[i])
			break
		}
	}
	accesses := d.accesses()
	if len(accesses) != len(truth.accesses) || d.totals.DataAccesses != int64(len(accesses)) {
		t.Errorf("%d data accesses, %d counted, want %d", len(accesses), d.totals.DataAccesses, len(truth.accesses))
	}
	for i := range min(len(accesses), len(truth.accesses)) {
		want := truth.accesses[i]
		if want.NoInstruction {
			want.Seq = 0
		}
		if accesses[i] != want {
			t.Errorf("data access %d: %+v, want %+v", i, accesses[i], want)
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
