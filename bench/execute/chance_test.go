package execute

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/internal/benchtest"
	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/program/codegen"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// Exceptions come as often as asked for, and those instructions call for with
// each such instruction: nothing else enters one.
func TestExecuteRates(t *testing.T) {
	need.FullRun(t, "millions of steps")
	const instructions = 1_000_000
	for _, o := range benchtest.Programs {
		g := benchtest.Generate(t, o)
		x := busy(g, o, 9, instructions)
		x.Switches = 200
		for e := range x.Rates {
			x.Rates[e] = 1500
		}
		x.Rates[schema.ExcReset] = 20
		got := make(map[schema.ExceptionType]float64)
		var off, overflow, triggers, switches float64
		var before step.Tracing
		contextID := uint32(1)
		walk(t, g.Program(), x, func(s *step.Step) {
			if s.Entered {
				got[s.Exception]++
			}
			if s.Instruction.Kind == schema.KindHVC && !s.Failed && s.At.Security == schema.Secure && o.Arch != program.V8A {
				got[schema.ExcUndefined]-- // there it is
			}
			if s.Trace != before {
				off += count(s.Trace == step.TraceOff)
				overflow += count(s.Trace == step.Overflowed)
			}
			triggers += count(s.Trigger)
			switches += count(s.ContextID != contextID)
			before, contextID = s.Trace, s.ContextID
		})
		per := instructions / 1e6
		x.Rates[schema.ExcIRQ] += x.Switches * count(!o.Arch.ProfileM())
		x.Rates[schema.ExcPendSV] += x.Switches * count(o.Arch.ProfileM())
		for name, v := range map[string]struct{ got, want float64 }{
			"off": {off, x.TraceOff.Rate}, "overflow": {overflow, x.Overflow.Rate},
			"triggers": {triggers, x.Triggers}, "switches": {switches, x.Switches},
		} {
			if o.SMC && name == "switches" {
				continue // by SMC and HVC, too
			}
			if !near(v.got, v.want*per) {
				t.Errorf("%+v: %v %s, want some %v", o, v.got, name, v.want*per)
			}
		}
		for e := range schema.ExceptionType(exceptionTypes) {
			want := x.Rates[e] * per
			switch {
			case o.SMC && (e == schema.ExcIRQ || e == schema.ExcFIQ || e == hypCall[o.Arch] || e == schema.ExcSMC):
				if got[e] == 0 {
					t.Errorf("%+v: %v of %s", o, got[e], e)
				}
			case e == schema.ExcSVC:
				if got[e] == 0 {
					t.Errorf("%+v: %v of %s", o, got[e], e)
				}
			case !near(got[e], want):
				t.Errorf("%+v: %v of %s, want some %v", o, got[e], e, want)
			}
		}
	}
}

// hypCall is what HVC enters.
var hypCall = map[program.Arch]schema.ExceptionType{program.V7A: schema.ExcHyp, program.V8A: schema.ExcHVC}

func count(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// near says whether so many events are what is expected of a Poisson process,
// less a tenth that comes too fast to be served.
func near(got, want float64) bool {
	return got <= want+5*math.Sqrt(want) && got >= 0.9*want-5*math.Sqrt(want)
}

// Loops go round a number of times that differs, and end.
func TestExecuteLoops(t *testing.T) {
	g := benchtest.Generate(t, benchtest.Programs[0])
	x := Options{Seed: 1, Instructions: 500_000, Tasks: []Task{{Entry: g.Entry}}, Targets: g.Targets}
	trips := make(map[step.Place]int)
	var entries, sum, longest, twice int
	for s, err := range Run(g.Program(), x) {
		if err != nil {
			t.Fatal(err)
		}
		if s.Instruction.Kind != schema.KindBranch || s.Instruction.Target > s.At.Address ||
			s.At.ISA == schema.A32 && s.Instruction.Opcode>>28 == 14 {
			continue
		}
		trips[s.At]++
		if s.Failed {
			n := trips[s.At]
			entries++
			sum += n
			longest = max(longest, n)
			twice += int(count(n > 1))
			trips[s.At] = 0
		}
	}
	if mean := float64(sum) / float64(entries); entries < 1000 || mean < 2 || mean > 60 || longest > maxTrips || longest < 50 || twice < entries/3 {
		t.Errorf("%d loops, %d trips, the longest %d, %d more than one", entries, sum, longest, twice)
	}
}

func TestLength(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, tt := range []struct {
		mean        float64
		limit       int
		least, most float64
	}{
		{1, 1000, 1, 1.5}, {20, 1000, 19, 21}, {1000, 10, 9.5, 10},
	} {
		sum := 0
		for range 10_000 {
			n := length(random, tt.mean, tt.limit)
			if n < 1 || n > tt.limit {
				t.Errorf("%d of at most %d", n, tt.limit)
			}
			sum += n
		}
		if mean := float64(sum) / 10_000; mean < tt.least || mean > tt.most {
			t.Errorf("mean %v of %v", mean, tt.mean)
		}
	}
}

// Each conditional branch has a bias of its own.
func TestExecuteBias(t *testing.T) {
	need.FullRun(t, "millions of steps")
	g := benchtest.Generate(t, benchtest.Programs[0])
	x := Options{Seed: 1, Instructions: 2_000_000, Tasks: []Task{{Entry: g.Entry}}, Targets: g.Targets}
	type outcomes struct{ passed, all float64 }
	seen := make(map[step.Place]outcomes)
	for s, err := range Run(g.Program(), x) {
		if err != nil {
			t.Fatal(err)
		}
		if s.Instruction.Kind == schema.KindBranch && s.Instruction.Target > s.At.Address && hasCondition(s.Instruction, s.At.ISA) {
			o := seen[s.At]
			seen[s.At] = outcomes{o.passed + count(!s.Failed), o.all + 1}
		}
	}
	var rare, even, often int
	for _, o := range seen {
		switch share := o.passed / o.all; {
		case o.all < 100:
		case share < 0.2:
			rare++
		case share > 0.8:
			often++
		default:
			even++
		}
	}
	if rare < 10 || even < 10 || often < 10 {
		t.Errorf("%d branches are rarely taken, %d often, %d neither", rare, often, even)
	}
}

// A long execution needs the memory of a short one.
func TestExecuteMemory(t *testing.T) {
	need.FullRun(t, "millions of steps")
	o := benchtest.Programs[0]
	g := benchtest.Generate(t, o)
	p := g.Program()
	heap := func(instructions int64) uint64 {
		x := busy(g, o, 1, instructions)
		var last uint64
		n := int64(0)
		for _, err := range Run(p, x) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n == instructions { // while the executor is alive
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				last = m.HeapAlloc
			}
		}
		return last
	}
	short, long := heap(1_000_000), heap(5_000_000)
	if long > short+1<<20 {
		t.Errorf("%d bytes after a million steps, %d after five", short, long)
	}
}

func TestExecuteTables(t *testing.T) {
	place := func(at schema.Address, set schema.ISA) step.Place { return step.Place{Address: at, ISA: set} }
	tests := []struct {
		name   string
		memory image.Region
		entry  step.Place
		want   []step.Place
	}{
		{
			"LDR PC,[PC,R0,LSL #2]", benchtest.A32(0x8000, 0xE79FF100, 0, 0x8014, 0x8015, 0x8014, 0xE1A00000, 0xE1A00000),
			place(0x8000, schema.A32),
			[]step.Place{place(0x8014, schema.A32), place(0x8014, schema.T32), place(0x8014, schema.A32)},
		},
		{
			"LDR PC,[PC,#4]", benchtest.A32(0x8000, 0xE59FF004, 0, 0, 0x8001),
			place(0x8000, schema.A32),
			[]step.Place{place(0x8000, schema.T32)},
		},
		{
			"ADD PC,PC,R0,LSL #2", benchtest.A32(0x8000, 0xE08FF100, 0xE1A00000, 0xEA000000, 0xEA000000, 0xE1A00000),
			place(0x8000, schema.A32),
			[]step.Place{place(0x8008, schema.A32), place(0x800C, schema.A32)},
		},
		{
			// Offsets 2 and 3: the table is the first four bytes after TBB.
			"TBB [PC,R0]", benchtest.T32(0x8000, 0xE8DFF000, 0x0302, 0x0202, 0xBF00, 0xBF00),
			place(0x8000, schema.T32),
			[]step.Place{place(0x8008, schema.T32), place(0x800A, schema.T32), place(0x8008, schema.T32), place(0x8008, schema.T32)},
		},
		{
			"TBH [PC,R0]", benchtest.T32(0x8000, 0xE8DFF010, 2, 3, 0xBF00, 0xBF00),
			place(0x8000, schema.T32),
			[]step.Place{place(0x8008, schema.T32), place(0x800A, schema.T32)},
		},
		{
			"TBB with padding", benchtest.T32(0x8000, 0xE8DFF000, 0x0202, 0x0002, 0xBF00),
			place(0x8000, schema.T32),
			[]step.Place{place(0x8008, schema.T32), place(0x8008, schema.T32), place(0x8008, schema.T32)},
		},
	}
	for _, tt := range tests {
		e, err := newExecutor(program.New(image.New(tt.memory)), &Options{Tasks: []Task{{Entry: tt.entry}}})
		if err != nil {
			t.Fatal(err)
		}
		got := e.site(tt.entry).table
		if len(got) != len(tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
			continue
		}
		for i := range got {
			if got[i] != tt.want[i] {
				t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
			}
		}
	}
}

// ITTEE: where the condition holds the first two execute, else the others.
func TestExecuteITBlock(t *testing.T) {
	// ITTEE EQ, as DDI 0406C A8.8.54 has it: mask 0 1 1 1 for firstcond 0000.
	memory := benchtest.T32(0x8000, 0xBF07, 0x2000, 0x2001, 0x2002, 0x2003, 0xE7F9) // 5 back: B 0x8000
	x := Options{Seed: 4, Instructions: 600, Tasks: []Task{{Entry: step.Place{Address: 0x8000, ISA: schema.T32}}}}
	passes := make(map[string]int)
	var outcomes strings.Builder
	for s, err := range Run(program.New(image.New(memory)), x) {
		if err != nil {
			t.Fatal(err)
		}
		if s.At.Address == 0x8000 {
			passes[outcomes.String()]++
			outcomes.Reset()
		}
		outcomes.WriteByte("TF"[int(count(s.Failed))])
	}
	delete(passes, "")
	if len(passes) != 2 || passes["TTTFFT"] == 0 || passes["TFFTTT"] == 0 {
		t.Errorf("outcomes %v", passes)
	}
}

// Code that is not there, code that goes nowhere, handlers that do not return:
// the core continues.
func TestExecuteEscapes(t *testing.T) {
	a32 := func(at schema.Address) step.Place { return step.Place{Address: at, ISA: schema.A32} }
	memory := image.New(
		benchtest.A32(0x8000, 0xE1A00000, 0xE1A00000), // runs off its end
		benchtest.A32(0x9000, 0xEAFFFFFE),             // B .
		benchtest.A32(0xA000, 0xE1B0F00E),             // MOVS PC,LR
		benchtest.A32(0xB000, 0xE1A00000, 0xEAFFFFFD), // a loop of two
	)
	for _, tt := range []struct {
		name     string
		entry    schema.Address
		handlers map[schema.ExceptionType]step.Place
		want     schema.ExceptionType
		least    int
	}{
		{"unmapped, aborts", 0x8000, map[schema.ExceptionType]step.Place{schema.ExcPrefetchAbort: a32(0xA000)}, schema.ExcPrefetchAbort, 100},
		{"unmapped, no handler", 0x8000, nil, schema.ExcDebug, 100},
		{"stuck, is interrupted", 0x9000, map[schema.ExceptionType]step.Place{schema.ExcIRQ: a32(0xA000)}, schema.ExcIRQ, 100},
		{"stuck, no handler", 0x9000, nil, schema.ExcDebug, 100},
		{"stuck in a loop", 0xB000, nil, schema.ExcDebug, 100},
		{"a handler that does not return", 0x8000, map[schema.ExceptionType]step.Place{schema.ExcPrefetchAbort: a32(0xB000)}, schema.ExcDebug, 50},
	} {
		x := Options{Instructions: 100_000, Tasks: []Task{{Entry: a32(tt.entry)}}, Handlers: tt.handlers}
		found := 0
		walk(t, program.New(memory), x, func(s *step.Step) {
			if s.Entered && s.Exception == tt.want {
				found++
			}
		})
		if found < tt.least {
			t.Errorf("%s: %d times %s", tt.name, found, tt.want)
		}
	}
}

func TestExecuteTransfers(t *testing.T) {
	g := benchtest.Generate(t, benchtest.Programs[0])
	x := Options{Instructions: 500_000, Tasks: []Task{{Entry: g.Entry}}, Targets: g.Targets, Data: true}
	var swaps, failures, registers, strides, none int
	lastAddress := make(map[step.Place]schema.Address)
	var kept []step.Step
	var values []uint32 // of the first transfers of those
	walk(t, g.Program(), x, func(s *step.Step) {
		data := isa.DataOf(s.Instruction.Opcode, s.Instruction.Size, s.At.ISA)
		if !s.Failed && len(s.Transfers) != int(data.Count) {
			t.Fatalf("%d transfers, want %d: %+v", len(s.Transfers), data.Count, *s)
		}
		for i, tr := range s.Transfers {
			switch {
			case tr.Size != data.Size || tr.Register != data.Register || tr.Access != data.At(uint16(i)):
				t.Fatalf("%+v of %+v", tr, *s)
			case tr.Size < 4 && tr.Value>>(8*tr.Size) != 0:
				t.Fatalf("value 0x%x of %d bytes", tr.Value, tr.Size)
			case tr.StoreFailed && s.Instruction.Size == 4 && tr.Access != schema.AccessWrite:
				t.Fatalf("a load that did not store: %+v", *s)
			}
			failures += int(count(tr.StoreFailed))
			registers += int(count(tr.Register))
			none += int(count(tr.Value == 0))
		}
		if len(s.Transfers) == 0 {
			return
		}
		if len(kept) < 10_000 {
			kept, values = append(kept, *s), append(values, s.Transfers[0].Value)
		}
		swaps += int(count(data.Access == isa.Swap))
		if first := s.Transfers[0].Address; lastAddress[s.At] != 0 && first == lastAddress[s.At]+schema.Address(data.Size)*schema.Address(data.Count) {
			strides++
		}
		lastAddress[s.At] = s.Transfers[0].Address
		if last := s.Transfers[len(s.Transfers)-1]; s.Instruction.Kind == schema.KindReturn && last.Value != uint32(s.Next.Address)|uint32(s.Next.ISA) {
			t.Fatalf("loads 0x%x into the PC: %+v", last.Value, *s)
		}
	})
	for i := range kept {
		if kept[i].Transfers[0].Value != values[i] {
			t.Fatal("transfers of a step that was kept have changed")
		}
	}
	if swaps == 0 || failures == 0 || registers == 0 || strides < 1000 || none < 1000 {
		t.Errorf("%d swaps, %d failed stores, %d registers, %d strides, %d zeros", swaps, failures, registers, strides, none)
	}
}

func TestExecuteRefuses(t *testing.T) {
	g := benchtest.Generate(t, benchtest.Programs[0])
	p := g.Program()
	task := Task{Entry: g.Entry}
	for _, tt := range []struct {
		name string
		o    Options
		want string
	}{
		{"no task", Options{}, "name a task"},
		{"a task that is not there", Options{Tasks: []Task{{}}}, "no program memory"},
		{"SVC at a rate", Options{Tasks: []Task{task}, Handlers: g.Handlers, Rates: map[schema.ExceptionType]float64{schema.ExcSVC: 1}}, "by chance"},
		{"no handler", Options{Tasks: []Task{task}, Rates: map[schema.ExceptionType]float64{schema.ExcIRQ: 1}}, "no handler"},
		{"a negative rate", Options{Tasks: []Task{task}, Triggers: -1}, "rates are"},
		{"no rate", Options{Tasks: []Task{task}, Triggers: math.NaN()}, "rates are"},
		{"one task to switch", Options{Tasks: []Task{task}, Switches: 1}, "one task"},
		{"no handler to switch", Options{Tasks: []Task{task, task}, Switches: 1}, "no handler of irq"},
		{"empty windows", Options{Tasks: []Task{task}, TraceOff: Windows{Rate: 1}}, "windows"},
		{"an unknown exception", Options{Tasks: []Task{task}, Rates: map[schema.ExceptionType]float64{77: 1}}, "by chance"},
	} {
		tt.o.Instructions = 1
		err := errors.New("no step at all")
		for _, err = range Run(p, tt.o) {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}

func BenchmarkExecute(b *testing.B) {
	o := codegen.Options{Seed: 1, Bytes: 1 << 20, Base: 0x8000, Security: schema.NonSecure}
	g := benchtest.Generate(b, o)
	for _, data := range []bool{false, true} {
		name := map[bool]string{false: "Plain", true: "Data"}[data]
		b.Run(name, func(b *testing.B) {
			x := busy(g, o, 1, int64(b.N))
			x.Data = data
			b.ReportAllocs()
			for _, err := range Run(g.Program(), x) {
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
