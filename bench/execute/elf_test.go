package execute

import (
	"testing"

	"github.com/tracelake/tracelake/bench/internal/benchtest"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/schema"
)

// Compiled code is executed like that made up: a kernel and five tasks, whose
// vectors are at the start of memory (bench/sample/program/start.S).
func TestExecuteELF(t *testing.T) {
	p, f := benchtest.Sample(t)
	functions, err := program.Functions(f, schema.NonSecure)
	if err != nil {
		t.Fatal(err)
	}
	a32, t32 := 0, 0
	for _, at := range functions {
		if !has(p, at) {
			t.Errorf("no code at function %s", at)
		}
		a32 += int(count(at.ISA == schema.A32))
		t32 += int(count(at.ISA == schema.T32))
	}
	if a32 < 10 || t32 < 10 {
		t.Errorf("%d functions in A32, %d in T32", a32, t32)
	}
	const vectors = 0x40008000
	handlers := make(map[schema.ExceptionType]step.Place)
	for n, x := range map[schema.Address]schema.ExceptionType{
		1: schema.ExcUndefined, 2: schema.ExcSVC, 3: schema.ExcPrefetchAbort, 4: schema.ExcDataAbort, 6: schema.ExcIRQ,
	} {
		handlers[x] = step.Place{Address: vectors + 4*n, Security: schema.NonSecure}
	}
	// A walk that decides the kernel's branches finds its dead ends, too, which
	// it leaves by debug state.
	entries, returns, debug := 0, 0, 0
	for seed := range uint64(20) {
		o := Options{
			Seed: seed, Instructions: 50_000,
			Tasks:   []Task{{functions[len(functions)/2], 1, 0}, {functions[len(functions)/3], 2, 0}},
			Targets: functions, Handlers: handlers, Switches: 200, Data: true,
			Rates: map[schema.ExceptionType]float64{schema.ExcIRQ: 300, schema.ExcUndefined: 100, schema.ExcDataAbort: 100},
		}
		walk(t, p, o, func(s *step.Step) {
			entries += int(count(s.Entered))
			returns += int(count(s.Returns))
			debug += int(count(s.Entered && s.Exception == schema.ExcDebug))
		})
	}
	if entries < 500 || returns < entries/2 || debug > entries/4 {
		t.Errorf("%d exceptions, %d of them debug state, %d returns", entries, debug, returns)
	}
}

// Without a debugger a core that is lost is reset.
func TestExecuteWatchdog(t *testing.T) {
	p, f := benchtest.Sample(t)
	functions, err := program.Functions(f, schema.NonSecure)
	if err != nil {
		t.Fatal(err)
	}
	for _, watchdog := range []bool{false, true} {
		found := map[schema.ExceptionType]int{}
		for seed := range uint64(5) {
			o := Options{
				Seed: seed, Instructions: 50_000, Tasks: []Task{{functions[0], 1, 0}}, Targets: functions, Watchdog: watchdog,
				Handlers: map[schema.ExceptionType]step.Place{schema.ExcReset: functions[1], schema.ExcSVC: functions[2]},
			}
			walk(t, p, o, func(s *step.Step) {
				if s.Entered {
					found[s.Exception]++
				}
			})
		}
		by, not := schema.ExcDebug, schema.ExcReset
		if watchdog {
			by, not = not, by
		}
		if found[by] == 0 || found[not] != 0 {
			t.Errorf("watchdog %v: %d times %s, %d times %s", watchdog, found[by], by, found[not], not)
		}
	}
}

// has says whether there is an instruction at a place.
func has(p *program.Program, at step.Place) bool {
	_, err := p.Instruction(at)
	return err == nil
}
