package execute

import (
	"testing"

	"github.com/tracelake/tracelake/bench/internal/benchtest"
	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/program/codegen"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// v8aPrograms are those of [benchtest.Programs] for V8A.
func v8aPrograms() []codegen.Options {
	var all []codegen.Options
	for _, o := range benchtest.Programs {
		if o.Arch == program.V8A {
			all = append(all, o)
		}
	}
	return all
}

// vectorsV8A are the offsets of vectors in a group, by exception.
var vectorsV8A = map[schema.ExceptionType]schema.Address{
	schema.ExcSVC: 0, schema.ExcHVC: 0, schema.ExcSMC: 0, schema.ExcTrap: 0, schema.ExcPrefetchAbort: 0,
	schema.ExcDataAbort: 0, schema.ExcAlignment: 0, schema.ExcDebugInstruction: 0, schema.ExcDebugData: 0,
	schema.ExcIRQ: 0x80, schema.ExcFIQ: 0x100, schema.ExcSystemError: 0x180,
}

// Exceptions go to the vector of where they come from, at the level they are taken to.
func TestExecuteV8AVectors(t *testing.T) {
	for _, o := range v8aPrograms() {
		g := benchtest.Generate(t, o)
		entered := make(map[schema.ExceptionType]int)
		groups := make(map[schema.Address]int)
		x := busy(g, o, 1, int64(need.Size(200_000, 1_000_000)))
		walk(t, g.Program(), x, func(s *step.Step) {
			if !s.Entered || s.Exception == schema.ExcDebug {
				return
			}
			entered[s.Exception]++
			if want := takenTo(s); s.Next.Level != want.Level || s.Next.Security != want.Security {
				t.Fatalf("seed %d: %s from %+v to %+v, want level %d %s", o.Seed, s.Exception, s.At, s.Next, want.Level, want.Security)
			}
			if o.AArch32 == codegen.All || s.Exception == schema.ExcReset {
				return
			}
			group := schema.Address(0x200)
			switch {
			case s.At.Level == s.Next.Level:
			case s.At.ISA == schema.A64:
				group = 0x400
			default:
				group = 0x600
			}
			groups[group]++
			if got := s.Next.Address % 0x800; s.Next.ISA != schema.A64 || got != group+vectorsV8A[s.Exception] {
				t.Fatalf("seed %d: %s from %s, level %d, to vector 0x%x", o.Seed, s.Exception, s.At, s.At.Level, got)
			}
		})
		for e := range g.Handlers {
			if entered[e] < 2 {
				t.Errorf("seed %d: %s %d times", o.Seed, e, entered[e])
			}
		}
		if o.AArch32 != codegen.All && (groups[0x200] < 20 || groups[0x400]+groups[0x600] < 20) {
			t.Errorf("seed %d: vectors used by group: %v", o.Seed, groups)
		}
	}
}

// takenTo has the level and the state that an exception is taken to.
func takenTo(s *step.Step) step.Place {
	to := s.At
	switch s.Exception {
	case schema.ExcHVC:
		to.Level = max(to.Level, 2)
	case schema.ExcSMC, schema.ExcReset:
		to.Level, to.Security = 3, s.Next.Security // that of the core, whatever the world
	case schema.ExcFIQ:
		if s.Next.Level == 3 && to.Level < 3 { // the monitor's, which leads to another world
			to.Level, to.Security = 3, map[bool]schema.Security{true: schema.Root}[to.Security > schema.Hyp]
		}
	}
	to.Level = max(to.Level, 1)
	return to
}

// The return address is behind what calls for an exception, and is what does not execute:
// that is no step. Levels, worlds and AArch32 change with exceptions, with returns from them,
// and where a debugger leads the core elsewhere.
func TestExecuteV8AReturnAddresses(t *testing.T) {
	calls := map[schema.ExceptionType]schema.Kind{
		schema.ExcSVC: schema.KindSVC, schema.ExcHVC: schema.KindHVC, schema.ExcSMC: schema.KindSMC,
	}
	for _, o := range v8aPrograms() {
		g := benchtest.Generate(t, o)
		p := g.Program()
		called, traps := 0, 0
		var last step.Step
		walk(t, p, busy(g, o, 2, int64(need.Size(200_000, 1_000_000))), func(s *step.Step) {
			kind, call := calls[s.Exception]
			switch {
			case !s.Entered:
				moved := s.At.Level != s.Next.Level || s.At.Security != s.Next.Security || (s.At.ISA == schema.A64) != (s.Next.ISA == schema.A64)
				if moved && !s.Returns {
					t.Fatalf("seed %d: from %+v to %+v", o.Seed, s.At, s.Next)
				}
			case call:
				if last.Entered || last.Instruction.Kind != kind || s.At != last.Following() {
					t.Fatalf("seed %d: %s at %s after %+v", o.Seed, s.Exception, s.At, last)
				}
				called++
			case s.Exception == schema.ExcDataAbort, s.Exception == schema.ExcDebugData:
				if in, err := p.Instruction(s.At); err != nil || s.At.ISA == schema.A64 && !program.TouchesMemory(in) {
					t.Fatalf("seed %d: %s of %s: %+v", o.Seed, s.Exception, s.At, in)
				}
			case s.Exception == schema.ExcTrap:
				traps++
			}
			last = *s
		})
		if called < 30 || traps < 30 {
			t.Errorf("seed %d: %d calls, %d traps", o.Seed, called, traps)
		}
	}
}

// Switches of tasks write the Context ID, or it changes with the return; the program of a
// kernel goes through its tables, all of whose cases are in reach.
func TestExecuteV8ATasks(t *testing.T) {
	o := v8aPrograms()[0]
	o.Switches = true
	g := benchtest.Generate(t, o)
	var last step.Step
	written, tables := 0, 0
	walk(t, g.Program(), busy(g, o, 3, int64(need.Size(200_000, 1_000_000))), func(s *step.Step) {
		if s.ContextID != last.ContextID && last.ContextID != 0 {
			writes := last.Instruction.Opcode&^31 == 0xD518D020
			if !writes && !last.Returns && last.Exception != schema.ExcReset {
				t.Fatalf("context ID changes after %+v", last)
			}
			written += int(count(writes))
		}
		if s.Instruction.Opcode == 0xD61F0200 && last.Instruction.Opcode == 0x8B110210 { // ADD X16,X16,X17; BR X16
			if d := s.Next.Address - s.At.Address; d < 4*3 || d > 400 {
				t.Fatalf("a switch at %s goes to %s", s.At, s.Next)
			}
			tables++
		}
		last = *s
	})
	if written < 20 || tables < 20 {
		t.Errorf("%d writes of the Context ID, %d switches", written, tables)
	}
}

// Transactions commit, are cancelled, and fail for what comes in between: then the branch
// after TSTART is taken. [walker] holds that none has an exception.
func TestExecuteV8ATransactions(t *testing.T) {
	o := v8aPrograms()[1]
	g := benchtest.Generate(t, o)
	seen := make(map[step.Transaction]int)
	var last step.Step
	cancelled := 0
	walk(t, g.Program(), busy(g, o, 4, int64(need.Size(200_000, 1_000_000))), func(s *step.Step) {
		seen[s.Transaction]++
		cancelled += int(count(s.Transaction == step.Fails && last.Instruction.Opcode&^(0xFFFF<<5) == 0xD4600000))
		if !s.Entered && s.Transaction == step.Keeps &&
			(last.Transaction == step.Starts && !s.Failed || last.Transaction == step.Fails && s.Failed) {
			t.Fatalf("after %+v comes %+v", last, *s)
		}
		last = *s
	})
	if seen[step.Commits] < 30 || seen[step.Fails] < 30 || cancelled < 5 || seen[step.Starts] < seen[step.Commits]+seen[step.Fails] {
		t.Errorf("%v, cancelled %d", seen, cancelled)
	}
}

// A32 and T32 of V8A are read as ETMv4 does: DSB and DMB are no waypoint to it, WFI may be.
func TestExecuteV8ADialect(t *testing.T) {
	flows := make(map[schema.ISA]map[isa.Flow]int)
	for _, set := range []schema.ISA{schema.A32, schema.T32, schema.A64} {
		flows[set] = make(map[isa.Flow]int)
	}
	for _, o := range v8aPrograms() {
		g := benchtest.Generate(t, o)
		walk(t, g.Program(), busy(g, o, 5, 100_000), func(s *step.Step) {
			if !s.Entered && s.Transaction != step.Fails {
				flows[s.At.ISA][s.Instruction.Flow]++
			}
		})
	}
	for set, seen := range flows {
		for f := isa.None; f <= isa.Wait; f++ {
			if seen[f] < 10 {
				t.Errorf("%s: flow %d %d times", set, f, seen[f])
			}
		}
	}
}

// Loops of V8M go round by LE, and are entered or not by WLS.
func TestExecuteV8MLoops(t *testing.T) {
	o := benchtest.Programs[len(benchtest.Programs)-1]
	g := benchtest.Generate(t, o)
	seen := make(map[[2]bool]int) // WLS, failed
	walk(t, g.Program(), busy(g, o, 6, 100_000), func(s *step.Step) {
		switch w := s.Instruction.Opcode; {
		case s.Entered || s.Instruction.Size != 4:
		case w&0xFFF0F001 == 0xF040C001:
			seen[[2]bool{true, s.Failed}]++
		case w&0xFFDFF001 == 0xF00FC001:
			seen[[2]bool{false, s.Failed}]++
		}
	})
	for _, k := range [][2]bool{{false, false}, {false, true}, {true, false}, {true, true}} {
		if seen[k] < 20 {
			t.Errorf("WLS %v, failed %v: %d times", k[0], k[1], seen[k])
		}
	}
}
