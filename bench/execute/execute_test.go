package execute

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"github.com/tracelake/tracelake/bench/internal/benchtest"
	"github.com/tracelake/tracelake/bench/internal/splitmix"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/program/codegen"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// busy are options under which everything happens that can happen to g.
func busy(g *codegen.Program, o codegen.Options, seed uint64, instructions int64) Options {
	second, third := g.Targets[len(g.Targets)/3], g.Targets[len(g.Targets)/2]
	if o.SMC {
		third.Security = otherWorld(g.Entry.Security)
	}
	x := Options{
		Seed: seed, Instructions: instructions, Arch: o.Arch,
		Tasks:   []Task{{g.Entry, 1, 0}, {second, 2, 0}, {third, 0xDEADBEEF, 3}},
		Targets: g.Targets, Handlers: g.Handlers, Interrupts: 40,
		Rates: make(map[schema.ExceptionType]float64), Switches: 300,
		TraceOff: Windows{Rate: 100, Steps: 50}, Overflow: Windows{Rate: 100, Steps: 20}, Triggers: 50, Data: true,
	}
	e := executor{o: &x}
	for t := range schema.ExceptionType(exceptionTypes) {
		if _, ok := g.Handlers[t]; e.byChance().has(t) && (ok || t == schema.ExcDebug) {
			x.Rates[t] = 400
		}
	}
	x.Rates[schema.ExcReset] = 20
	return x
}

// otherWorld is a security state that only the monitor leads to.
func otherWorld(s schema.Security) schema.Security {
	if s == schema.NonSecure {
		return schema.Secure
	}
	return schema.NonSecure
}

// A walker holds steps against each other and the program.
type walker struct {
	t        testing.TB
	program  *program.Program
	profileM bool
	last     *step.Step
	restart  *step.Place // of the transaction the core is in
}

// see fails the test if s cannot follow the step before.
func (w *walker) see(s *step.Step) {
	w.t.Helper()
	switch {
	case s.Entered:
		w.entered(s)
	case s.Transaction == step.Fails:
		w.undone(s)
	default:
		w.instruction(s)
	}
	w.transaction(s)
	w.last = s
}

func (w *walker) instruction(s *step.Step) {
	w.t.Helper()
	if w.last != nil && w.last.Next != s.At {
		w.t.Fatalf("after %+v comes %+v", *w.last, *s)
	}
	if err := s.Check(); err != nil {
		w.t.Fatal(err)
	}
	if in, err := w.program.Instruction(s.At); err != nil || in != s.Instruction {
		w.t.Fatalf("%+v, in the program %+v, %v", *s, in, err)
	}
	if data := isa.DataOf(s.Instruction.Opcode, s.Instruction.Size, s.At.ISA); s.Failed && len(s.Transfers) > 0 ||
		len(s.Transfers) > 0 && !s.Returns && len(s.Transfers) != int(data.Count) {
		w.t.Fatalf("%d transfers of %+v", len(s.Transfers), *s)
	}
	if s.Failed && s.At.ISA == schema.T32 && s.Instruction.Size == 2 && s.Instruction.Opcode>>8 == 0xBF {
		if s.Instruction.Opcode&15 != 0 {
			w.t.Fatalf("an IT instruction fails: %+v", *s)
		}
	}
	if exceptionReturn := s.Instruction.Kind == schema.KindExceptionReturn && !s.Failed; w.profileM && exceptionReturn ||
		!w.profileM && exceptionReturn != s.Returns {
		w.t.Fatalf("a return or none: %+v", *s)
	}
}

// transaction follows transactions: nothing is entered or left in one.
func (w *walker) transaction(s *step.Step) {
	w.t.Helper()
	inside := w.restart != nil
	if inside && (s.Entered || s.Returns) || s.Transaction != step.Keeps && inside == (s.Transaction == step.Starts) {
		w.t.Fatalf("in a transaction: %v; %+v", inside, *s)
	}
	switch s.Transaction {
	case step.Starts:
		w.restart = &s.Next
	case step.Commits, step.Fails:
		w.restart = nil
	}
}

func (w *walker) undone(s *step.Step) {
	w.t.Helper()
	if w.last == nil || w.restart == nil || s.At != w.last.Next || s.Next != *w.restart {
		w.t.Fatalf("undone: %+v", *s)
	}
}

func (w *walker) entered(s *step.Step) {
	w.t.Helper()
	var from step.Place
	switch {
	case w.last == nil:
		return
	case s.Exception == schema.ExcUndefined:
		if w.last.Entered || w.last.At != s.At || w.last.Next != w.last.Following() || w.last.Failed {
			w.t.Fatalf("undefined instruction after %+v: %+v", *w.last, *s)
		}
		return
	default:
		from = w.last.Next
	}
	if s.At != from {
		w.t.Fatalf("after %+v comes %+v", *w.last, *s)
	}
}

// walk holds an execution against itself and hands on its steps.
func walk(t testing.TB, p *program.Program, o Options, visit func(*step.Step)) {
	t.Helper()
	w := walker{t: t, program: p, profileM: o.Arch.ProfileM()}
	var n int64
	for s, err := range Run(p, o) {
		if err != nil {
			t.Fatal(err)
		}
		w.see(&s)
		if !s.Entered && s.Transaction != step.Fails {
			n++
		}
		if visit != nil {
			visit(&s)
		}
	}
	if n < o.Instructions || n > o.Instructions+1 {
		t.Fatalf("%d instructions, asked for %d", n, o.Instructions)
	}
}

// Whatever the seed and the program: each step follows from the one before.
func TestExecuteIsConsistent(t *testing.T) {
	seeds := uint64(100)
	if testing.Short() {
		seeds = 10
	}
	for _, o := range benchtest.Programs {
		for seed := range seeds {
			o.Seed, o.Bytes = seed, 16<<10
			g := benchtest.Generate(t, o)
			walk(t, g.Program(), busy(g, o, seed, 5000), nil)
		}
	}
}

// fingerprint is a hash of an execution, Transfers and all.
func fingerprint(t testing.TB, p *program.Program, o Options) uint64 {
	h := fnv.New64a()
	for s, err := range Run(p, o) {
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(h, "%+v", s)
	}
	return h.Sum64()
}

func TestExecuteIsDeterministic(t *testing.T) {
	for _, o := range benchtest.Programs {
		g := benchtest.Generate(t, o)
		x := busy(g, o, 5, 20_000)
		p := g.Program()
		first := fingerprint(t, p, x)
		if second := fingerprint(t, p, x); second != first {
			t.Errorf("%+v: a second execution differs", o)
		}
		if other := fingerprint(t, benchtest.Generate(t, o).Program(), x); other != first {
			t.Errorf("%+v: an execution of the same program anew differs", o)
		}
		x.Seed++
		if fingerprint(t, p, x) == first {
			t.Errorf("%+v: the execution of another seed is the same", o)
		}
	}
}

// Whatever lies in memory is executed: at worst nothing of it is code.
func FuzzExecute(f *testing.F) {
	random := rand.New(rand.NewPCG(1, 2))
	for seed := range uint64(30) {
		code := make([]byte, 2+random.IntN(2000))
		for i := range code {
			code[i] = byte(random.Uint32())
		}
		f.Add(code, seed, uint8(seed))
	}
	for _, o := range benchtest.Programs {
		g := benchtest.Generate(f, o)
		f.Add(g.Code[:4000], o.Seed, uint8(o.Arch))
	}
	f.Fuzz(func(t *testing.T, code []byte, seed uint64, arch uint8) {
		if len(code) == 0 || len(code) > 1<<16 {
			return
		}
		const base = 0x8000
		memory := image.New(image.Region{Address: base, Bytes: code})
		p := program.For(program.Arch(arch%5), memory)
		places := make([]step.Place, 8)
		for i := range places {
			places[i].Address = base + schema.Address(splitmix.Hash(seed, uint64(i))%uint64(len(code)))&^3
			switch a := program.Arch(arch % 5); {
			case a == program.V8A && i > 2:
				places[i].ISA = schema.A64
			case a.ProfileM() || i%2 == 0:
				places[i].ISA = schema.T32
			}
			if e := (executor{program: p, o: &Options{Arch: program.Arch(arch % 3)}}); !e.mapped(places[i]) {
				return
			}
		}
		o := Options{
			Seed: seed, Instructions: 3000, Tasks: []Task{{places[0], 1, 1}, {places[1], 2, 2}},
			Targets: places, Arch: program.Arch(arch % 3), VectorBranches: float64(arch / 5), Data: true, Interrupts: 2,
			Handlers: make(map[schema.ExceptionType]step.Place), Rates: make(map[schema.ExceptionType]float64),
		}
		e := executor{o: &o}
		for x := range schema.ExceptionType(exceptionTypes) {
			o.Handlers[x] = places[int(x)%len(places)]
			if e.byChance().has(x) {
				o.Rates[x] = 1000
			}
		}
		walk(t, p, o, nil)
	})
}
