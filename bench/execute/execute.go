// Package execute makes up executions: it walks the code of a program, and takes
// each decision the program does not determine, and each event, from a seed.
//
// Its API is not stable (docs/guide/library.md).
package execute

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/tracelake/tracelake/bench/cost"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// Options say what a core does with a program. Rates are per million
// instructions; what comes at a rate of 0 does not come. What comes faster than
// it can be served is dropped.
type Options struct {
	// Seed decides all that is left to chance: same options, same execution.
	Seed uint64
	// Instructions is how many are executed. Exceptions come on top.
	Instructions int64
	// Tasks are what the core runs. It begins with the first.
	Tasks []Task
	// Targets are where indirect branches go that no table in the program leads
	// anywhere, and returns from functions that nobody called. Without any they
	// are the entries of the tasks.
	Targets []step.Place
	// Handlers are where exceptions go, in the security state the core is in;
	// SMC, Hyp and reset in that of the place. An instruction that calls for an
	// exception without handler has no effect. In V8A they are taken to the level of the
	// place, or stay at a higher one; a place in A64 is the vector of an exception from the
	// level it is taken to, with SP_ELx, those from lower levels follow it.
	Handlers map[schema.ExceptionType]step.Place
	// Code, if not nil, says whether there is code at a place, beside that there is
	// memory: what a core would make of data, or of the other instruction set, is
	// often UNPREDICTABLE.
	Code func(step.Place) bool
	// Watchdog resets a core that is lost, if there is a handler of that: else it
	// goes through debug state.
	Watchdog bool
	// Arch is the architecture of the core. In V7M functions that nobody called
	// return from exceptions, and these have stack frames. In V5TE nothing but an
	// exception goes to the handler of one, its vector, unless VectorBranches says
	// so: trace may report exceptions by their vectors alone.
	Arch program.Arch
	// VectorBranches is the rate at which software branches to the handler of an
	// exception. In V5TE exceptions then also come before the first instruction of
	// another's handler, and return to it.
	VectorBranches float64
	// Interrupts is how many external interrupts a v7-M core has; 0 is one.
	Interrupts int
	// AtPairs lets most interrupts wait for an instruction of T32 with 32 bits, between
	// whose halves they may be traced.
	AtPairs bool
	// Rates are those of exceptions, [schema.ExcDebug] too, beside those that
	// instructions call for. SVC and SMC come from instructions alone.
	Rates map[schema.ExceptionType]float64
	// Switches is the rate of changes of task by interrupt: an IRQ whose handler
	// returns to another task; PendSV in v7-M; FIQ if security changes with it.
	Switches float64
	// Told says that no exception comes right after an indirect branch or a return, where trace may not tell what it
	// interrupts.
	Told bool
	// TraceOff and Overflow are when steps are not traced.
	TraceOff, Overflow Windows
	// Triggers is the rate of the trigger event.
	Triggers float64
	// Data makes up transfers for the loads and stores.
	Data bool
}

// A Task is a thread of execution with the context it runs in.
type Task struct {
	Entry     step.Place
	ContextID uint32
	VMID      uint32
}

// Windows are runs of steps.
type Windows struct {
	Rate  float64
	Steps int // mean length
}

// Run makes up an execution of p: it walks the code, and decides what the program
// itself does not determine.
//
// A conditional instruction passes with a chance of its own; a conditional
// branch back is a loop, whose trips are drawn anew each time it is entered;
// the instructions of an IT block agree with each other. Calls and returns
// match. Tables of TBB, TBH, LDR PC and ADD PC are read where they follow the
// instruction.
//
// An exception returns to where it should, unless the core would be lost there:
// missing code aborts, an endless loop is interrupted after 256 rounds, and both
// continue at another target. Where there is no handler for that, and from a handler
// that has not returned after 20,000 instructions, the core leaves by debug state,
// or by reset.
//
// A context ID changes after the write of CONTEXTIDR if the handler has one,
// else with its return; a VMID with the return.
//
// Memory does not depend on the number of instructions, only on the size of
// the program. Cycles are those of a [cost.Model], with stalls; do not apply them again.
func Run(p *program.Program, o Options) step.Steps {
	return func(yield func(step.Step, error) bool) {
		e, err := newExecutor(p, &o)
		if err != nil {
			yield(step.Step{}, err)
			return
		}
		e.yield = yield
		e.run()
	}
}

// An executor is a core that executes a program.
type executor struct {
	program *program.Program
	o       *Options
	random  *rand.Rand
	yield   func(step.Step, error) bool
	stopped bool // yield wants no more

	sites    map[step.Place]*site
	next     **site // where the last one keeps the one at hand
	handlers [exceptionTypes]schema.Null[step.Place]
	targets  [2][]step.Place // in AArch32, in AArch64
	costs    cost.Model
	memory   transferPool
	schedule schedule

	at       step.Place // of the next instruction
	executed int64      // instructions
	moved    int64      // value of executed at the last call, return or exception

	tasks     []task
	current   int     // task
	levels    []level // exceptions, innermost last
	contextID uint32

	transaction transaction

	pending  exceptionSet // asked for, not taken yet
	held     exceptionSet // not taken before the next entry or return
	switches bool         // a change of task is asked for
	untold   bool         // trace may not tell where control went
	lost     bool         // the next step takes the core elsewhere
	toVector bool         // the next indirect branch goes to a handler
	chained  bool         // the next exception follows the last one's return: v7-M

	off, overflow int // steps left in the window
	trigger       bool
	stall         uint32 // cycles, of the next step
}

const (
	nesting      = 4       // exceptions in one another
	handlerLimit = 20_000  // instructions in one exception
	stuckLimit   = 1 << 18 // instructions without call, return or exception; a round of a loop counts for many
)

func (o *Options) profileM() bool { return o.Arch.ProfileM() }

func (o *Options) v8A() bool { return o.Arch == program.V8A }

// A task is a thread of execution and its state.
type task struct {
	Task
	at   step.Place // while it does not run
	flow flow
}

func newExecutor(p *program.Program, o *Options) (*executor, error) {
	e := &executor{
		program: p, o: o,
		random: rand.New(rand.NewPCG(o.Seed, 'x')),
		sites:  make(map[step.Place]*site),
	}
	if len(o.Tasks) == 0 {
		return nil, errors.New("execute: nothing to execute; name a task")
	}
	for _, t := range o.Tasks {
		if !e.mapped(t.Entry) {
			return nil, fmt.Errorf("execute: no program memory at %s, the entry of a task", t.Entry)
		}
		e.tasks = append(e.tasks, task{Task: t, at: t.Entry})
	}
	for x, at := range o.Handlers {
		if int(x) >= exceptionTypes || !e.mapped(at) {
			return nil, fmt.Errorf("execute: no program memory at %s, the handler of %s", at, x)
		}
		e.handlers[x] = schema.Of(at)
	}
	if err := e.checkRates(); err != nil {
		return nil, err
	}
	e.sortTargets()
	e.at, e.contextID = e.tasks[0].at, e.tasks[0].ContextID
	e.schedule.begin(e.random, o)
	return e, nil
}

// mapped says whether there is an instruction at a place.
func (e *executor) mapped(at step.Place) bool {
	in, err := e.program.Instruction(at)
	// T32 of V5TE has no other instructions of 32 bits.
	missing := e.o.Arch == program.V5TE && at.ISA == schema.T32 && in.Size == 4 && in.Kind != schema.KindCall
	return err == nil && !missing && (e.o.Code == nil || e.o.Code(at))
}

func (e *executor) run() {
	for e.executed < e.o.Instructions && !e.stopped {
		if e.executed >= e.schedule.next {
			e.fire()
		}
		if e.transaction.depth == 0 && (e.pending != 0 || e.switches) {
			if e.interrupt() {
				continue
			}
		}
		s := e.here()
		switch {
		case e.transaction.depth > 0 && e.breaks(s):
			e.failTransaction()
		case s == nil:
			e.escape(e.unmappedAborts()...)
		case e.executed-e.moved > stuckLimit:
			e.escape(e.stuckInterrupts()...)
		case len(e.levels) > 0 && e.executed-e.levels[len(e.levels)-1].since > handlerLimit:
			e.abandon()
		case !e.fault(s):
			e.execute(s)
		}
	}
}

// execute executes the instruction of a site.
func (e *executor) execute(s *site) {
	step := e.step(e.at)
	step.Instruction = s.in
	step.Next = step.Following()
	following := step.Next
	undefined := s.plain && e.pending.has(schema.ExcUndefined) && e.flow().it.left == 0 && e.mayEnter(schema.ExcUndefined)
	step.Failed = e.fails(s)
	if !step.Failed {
		if e.o.Data && s.data.Count > 0 {
			step.Transfers = e.transfers(s)
		}
		e.branch(s, &step)
	}
	e.at, e.next = step.Next, &s.next[0]
	if step.Next != following {
		e.next = &s.next[1]
	}
	e.executed++
	cancels := !step.Failed && e.o.v8A() && e.transact(&step)
	e.emit(&step)
	switch {
	case cancels:
		e.failTransaction()
	case undefined:
		e.undefined(&step)
	case !step.Failed:
		e.effects(s, &step)
	}
}

// effects applies the effects of an executed instruction on what comes after it.
func (e *executor) effects(s *site, step *step.Step) {
	switch s.in.Kind {
	case schema.KindSVC:
		e.call(schema.ExcSVC, step)
	case schema.KindSMC:
		e.call(schema.ExcSMC, step)
	case schema.KindHVC:
		switch {
		case e.o.v8A():
			e.call(schema.ExcHVC, step)
		case e.at.Security == schema.Secure:
			e.undefined(step)
		default:
			e.call(schema.ExcHyp, step)
		}
	case schema.KindUDF:
		e.undefined(step)
	case schema.KindOther:
		switch {
		case s.it:
			e.flow().it.start(s.in.Opcode, e.holds(s))
		case s.contextID:
			e.contextID = e.nextContextID()
		}
	}
}

// step is a step at a place in the context of the core.
func (e *executor) step(at step.Place) step.Step {
	return step.Step{At: at, ContextID: e.contextID, VMID: e.task().VMID}
}

// emit yields a step.
func (e *executor) emit(s *step.Step) {
	s.Cycles += e.costs.Of(s) + e.stall
	e.stall = 0
	s.Trigger, e.trigger = e.trigger, false
	s.Task = e.current
	e.untold = e.o.Told && !s.Failed && s.Instruction.Flow == isa.Indirect
	if e.lost {
		s.Moves, e.lost = step.Lost, false
	}
	switch {
	case e.off > 0:
		s.Trace = step.TraceOff
		e.off--
	case e.overflow > 0:
		s.Trace = step.Overflowed
		e.overflow--
	}
	e.stopped = e.stopped || !e.yield(*s, nil)
}
