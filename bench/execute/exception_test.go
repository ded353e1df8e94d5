package execute

import (
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/internal/benchtest"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/schema"
)

// Returns go where the calls came from, and exceptions where they are to
// return, level by level; some nest as deep as they may, some come back to
// back, but not in V5TE: the first would return to a vector.
func TestExecuteReturns(t *testing.T) {
	for _, o := range benchtest.Programs {
		g := benchtest.Generate(t, o)
		x := busy(g, o, 3, 300_000)
		x.Tasks, x.Switches = x.Tasks[:1], 0
		for e := range x.Rates {
			x.Rates[e] = 3000
		}
		delete(x.Rates, schema.ExcReset)
		delete(x.Rates, schema.ExcDebug)
		m := newStackModel(t, o.Arch.ProfileM())
		var last *step.Step
		var backToBack, tailChained int
		walk(t, g.Program(), x, func(s *step.Step) {
			m.see(s)
			if last != nil && s.Entered {
				backToBack += int(count(last.Entered))
				tailChained += int(count(last.Returns))
			}
			last = s
		})
		if m.returns < 1000 || m.exceptionReturns < 300 || m.deepest != 4 || backToBack > 0 == (o.Arch == program.V5TE) || tailChained == 0 {
			t.Errorf("%+v: %d returns, %d from exceptions, %d deep, %d back to back, %d after a return",
				o, m.returns, m.exceptionReturns, m.deepest, backToBack, tailChained)
		}
		if calls := (o.SMC || o.HVC) && (o.Arch != program.V8A || o.Level > 0); calls != (m.toCaller > 10) {
			t.Errorf("%+v: %d exception returns to the caller of a function", o, m.toCaller)
		}
	}
}

// monitorCalls are the exceptions after which the core may go on in the caller of a function.
var monitorCalls = []schema.ExceptionType{schema.ExcSMC, schema.ExcHyp, schema.ExcHVC}

// A stackModel has what a core must return to.
type stackModel struct {
	t                                  testing.TB
	profileM                           bool
	levels                             []modelLevel
	returns, exceptionReturns, deepest int
	toCaller                           int // of the exception returns
}

type modelLevel struct {
	calls    []step.Place
	returnTo []step.Place // any of them
	// mayUnwind says that it may return to the caller of the function it came from.
	mayUnwind bool
}

func newStackModel(t testing.TB, profileM bool) *stackModel {
	return &stackModel{t: t, profileM: profileM, levels: make([]modelLevel, 1)}
}

func (m *stackModel) see(s *step.Step) {
	top := &m.levels[len(m.levels)-1]
	switch {
	case s.Entered:
		l := modelLevel{returnTo: []step.Place{s.At}, mayUnwind: slices.Contains(monitorCalls, s.Exception)}
		switch s.Exception {
		case schema.ExcUndefined, schema.ExcDataAbort, schema.ExcMemManage, schema.ExcBusFault, schema.ExcTrap, schema.ExcDebugData:
			for _, size := range []schema.Address{2, 4} { // or after it
				after := s.At
				after.Address += size
				l.returnTo = append(l.returnTo, after)
			}
		}
		m.levels = append(m.levels, l)
		m.deepest = max(m.deepest, len(m.levels)-1)
		return
	case s.Failed:
		return
	case s.Returns && len(m.levels) > 1:
		below := &m.levels[len(m.levels)-2]
		if n := len(below.calls); top.mayUnwind && n > 0 && s.Next == below.calls[n-1] {
			below.calls = below.calls[:n-1]
			m.toCaller++
		} else if !slices.Contains(top.returnTo, s.Next) || m.profileM && len(top.calls) > 0 {
			m.t.Fatalf("exception return to %s, want one of %v; calls %v", s.Next, top.returnTo, top.calls)
		}
		m.levels = m.levels[:len(m.levels)-1]
		m.exceptionReturns++
		return
	case s.Instruction.Kind == schema.KindReturn && len(top.calls) > 0:
		want := top.calls[len(top.calls)-1]
		if s.Next != want {
			m.t.Fatalf("%s returns to %s, want %s", s.At, s.Next, want)
		}
		top.calls = top.calls[:len(top.calls)-1]
		m.returns++
	}
	if s.Instruction.Link() {
		top.calls = append(top.calls, s.Following())
	}
}

// A frame of eight words is pushed at each exception of v7-M and popped at its
// return, but not between two that follow each other.
func TestExecuteV7MFrames(t *testing.T) {
	o := benchtest.Programs[2]
	g := benchtest.Generate(t, o)
	x := busy(g, o, 8, 300_000)
	for e := range x.Rates {
		x.Rates[e] = 3000
	}
	delete(x.Rates, schema.ExcReset)
	delete(x.Rates, schema.ExcDebug)
	var last *step.Step
	var chained, frames int
	numbers := make(map[uint16]bool)
	walk(t, g.Program(), x, func(s *step.Step) {
		pushed, popped := frameTransfers(s, schema.AccessPush), frameTransfers(s, schema.AccessPop)
		if last != nil && last.Returns {
			if stays := frameTransfers(last, schema.AccessPop) == 0; stays != (s.Entered && pushed == 0) {
				t.Fatalf("%+v, then %+v", *last, *s)
			} else if stays {
				chained++
			}
		} else if s.Entered && pushed != frameWords {
			t.Fatalf("%d words pushed: %+v", pushed, *s)
		}
		if !s.Entered && pushed > 0 || !s.Returns && popped > 0 {
			t.Fatalf("%+v", *s)
		}
		for i := 1; i < len(s.Transfers); i++ {
			if (s.Entered || s.Returns) && s.Transfers[i].Address != s.Transfers[i-1].Address+4 {
				t.Fatalf("%+v", *s)
			}
		}
		frames += int(count(popped == frameWords))
		if s.Exception == schema.ExcIRQ && s.Entered {
			numbers[s.Number] = true
		}
		last = s
	})
	if chained < 10 || frames < 500 || len(numbers) < x.Interrupts*3/4 {
		t.Errorf("%d frames, %d times none between exceptions, %d interrupts", frames, chained, len(numbers))
	}
}

func frameTransfers(s *step.Step, access schema.Access) int {
	n := 0
	for i := range s.Transfers {
		n += int(count(s.Transfers[i].Access == access))
	}
	return n
}

// Tasks run in their own contexts and worlds. A context ID changes after its
// write or after the handler's return, a VMID after the return alone.
func TestExecuteTasks(t *testing.T) {
	o := benchtest.Programs[1]
	o.Switches = true
	g := benchtest.Generate(t, o)
	x := busy(g, o, 3, 1_000_000)
	delete(x.Rates, schema.ExcReset)
	delete(x.Rates, schema.ExcDebug)
	type world struct {
		contextID uint32
		vmid      uint32
		security  schema.Security
	}
	depth := 0
	worlds := make(map[world]int)
	var afterWrite, afterReturn, hyp int
	var last *step.Step
	walk(t, g.Program(), x, func(s *step.Step) {
		if depth == 0 && !s.Entered {
			worlds[world{s.ContextID, s.VMID, s.At.Security}]++
		}
		hyp += int(count(s.At.Security == schema.Hyp))
		if last != nil && s.ContextID != last.ContextID {
			writes := !last.Entered && last.Instruction.Opcode&^0xF000F000 == 0x0E0D0F30
			if !writes && !last.Returns {
				t.Fatalf("context ID changes after %+v", *last)
			}
			afterWrite += int(count(writes))
			afterReturn += int(count(last.Returns))
		}
		if last != nil && s.VMID != last.VMID && !last.Returns {
			t.Fatalf("VMID changes after %+v", *last)
		}
		switch {
		case s.Entered:
			depth++
		case s.Returns && depth > 0:
			depth--
		}
		last = s
	})
	// The third task is in the other world.
	for _, w := range []world{{1, 0, schema.Secure}, {2, 0, schema.Secure}, {0xDEADBEEF, 3, schema.NonSecure}} {
		if worlds[w] < 100_000 {
			t.Errorf("%d instructions in %+v", worlds[w], w)
		}
		delete(worlds, w)
	}
	if len(worlds) > 0 || afterWrite == 0 || afterReturn == 0 || hyp == 0 {
		t.Errorf("others %v, context IDs %d after a write, %d after a return; hyp %d", worlds, afterWrite, afterReturn, hyp)
	}
}
