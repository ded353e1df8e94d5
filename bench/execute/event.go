package execute

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tracelake/tracelake/schema"
)

// How many types of exceptions there are, and of those that came before V8A.
const (
	exceptionTypes = int(schema.ExcHVC) + 1
	typesBeforeV8A = int(schema.ExcSysTick) + 1
)

// Events that come by chance: exceptions by their type, and these.
const (
	eventSwitch = exceptionTypes + iota
	eventOff
	eventOverflow
	eventTrigger
	eventStall
	eventVector
	eventRelease // of held exceptions; when is not left to chance
	events
)

// A schedule is when events are due, in executed instructions.
type schedule struct {
	next int64 // the first of them
	due  [events]int64
	rate [events]float64 // per million
}

const stallRate = 100 // per million instructions

func (s *schedule) begin(random *rand.Rand, o *Options) {
	for x, r := range o.Rates {
		s.rate[x] = r
	}
	s.rate[eventSwitch], s.rate[eventTrigger], s.rate[eventStall] = o.Switches, o.Triggers, stallRate
	s.rate[eventOff], s.rate[eventOverflow] = o.TraceOff.Rate, o.Overflow.Rate
	s.rate[eventVector] = o.VectorBranches
	for i := range s.due {
		s.due[i] = s.draw(random, i, 0)
	}
	s.settle()
}

// draw is when event i is due again.
func (s *schedule) draw(random *rand.Rand, i int, now int64) int64 {
	if s.rate[i] == 0 {
		return math.MaxInt64
	}
	return now + 1 + int64(min(random.ExpFloat64()*1e6/s.rate[i], 1e15))
}

func (s *schedule) settle() {
	s.next = math.MaxInt64
	for _, at := range s.due {
		s.next = min(s.next, at)
	}
}

// fire lets happen what is due.
func (e *executor) fire() {
	s := &e.schedule
	for i := range s.due {
		if s.due[i] > e.executed {
			continue
		}
		s.due[i] = s.draw(e.random, i, e.executed)
		switch i {
		case eventSwitch:
			e.switches = true
		case eventOff:
			e.off = length(e.random, float64(e.o.TraceOff.Steps), math.MaxInt)
		case eventOverflow:
			e.overflow = length(e.random, float64(e.o.Overflow.Steps), math.MaxInt)
		case eventTrigger:
			e.trigger = true
		case eventStall:
			e.stall = 1 << e.random.UintN(18)
			e.stall += e.random.Uint32N(e.stall)
		case eventVector:
			e.toVector = true
		case eventRelease:
			e.release()
		default:
			e.ask(schema.ExceptionType(i))
		}
	}
	s.settle()
}

// ask asks for an exception. One in eight waits until another is entered or
// left, to come back to back with it, but not for long.
func (e *executor) ask(x schema.ExceptionType) {
	if !e.asynchronous().has(x) || e.random.UintN(8) != 0 {
		e.pending.add(x)
		return
	}
	e.held.add(x)
	e.schedule.due[eventRelease] = e.executed + 2000
}

// release asks for what was held.
func (e *executor) release() {
	e.pending |= e.held
	e.held = 0
	e.schedule.due[eventRelease] = math.MaxInt64
}

// checkRates says what cannot happen though it is asked for.
func (e *executor) checkRates() error {
	o := e.o
	for x, rate := range o.Rates {
		switch {
		case int(x) >= exceptionTypes || rate != 0 && !e.byChance().has(x):
			return fmt.Errorf("execute: %s at a rate; in this profile it does not come by chance", x)
		case rate != 0 && !e.handlers[x].OK && x != schema.ExcDebug:
			return fmt.Errorf("execute: %s at a rate, but it has no handler", x)
		case !isRate(rate):
			return fmt.Errorf("execute: %s at a rate of %v; rates are from 0 to a million", x, rate)
		}
	}
	for _, rate := range []float64{o.Switches, o.Triggers, o.TraceOff.Rate, o.Overflow.Rate, o.VectorBranches} {
		if !isRate(rate) {
			return fmt.Errorf("execute: a rate of %v; rates are from 0 to a million", rate)
		}
	}
	for _, w := range []Windows{o.TraceOff, o.Overflow} {
		if w.Rate != 0 && w.Steps < 1 {
			return fmt.Errorf("execute: windows of %d steps; 1 is the least", w.Steps)
		}
	}
	if o.Switches != 0 {
		return e.checkSwitches()
	}
	return nil
}

func isRate(r float64) bool { return r >= 0 && r <= 1e6 }

func (e *executor) checkSwitches() error {
	if len(e.tasks) < 2 {
		return errors.New("execute: switches of task, but one task only")
	}
	for _, t := range e.tasks[1:] {
		for _, leaves := range []bool{false, t.Entry.Security != e.tasks[0].Entry.Security} {
			x, at := e.switcher(t.Entry, leaves)
			if !e.handlers[x].OK || !e.mapped(at) {
				return fmt.Errorf("execute: switches of task, but no handler of %s", x)
			}
		}
	}
	return nil
}
