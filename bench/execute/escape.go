package execute

import (
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/schema"
)

// reset enters the reset handler, and nothing is to be returned to.
func (e *executor) reset() {
	e.lost = true
	step := e.step(e.at)
	step.Entered, step.Exception = true, schema.ExcReset
	step.Next, _ = e.handler(schema.ExcReset)
	e.levels = e.levels[:0]
	*e.flow() = flow{}
	e.contextID, e.chained = e.task().ContextID, false
	e.at, e.moved = step.Next, e.executed
	e.release()
	e.emit(&step)
}

// debug enters debug state; one in eight times the debugger lets the core continue
// elsewhere.
func (e *executor) debug() {
	to := e.at
	if len(e.levels) == 0 && e.random.UintN(8) == 0 {
		to = e.refuge()
		*e.flow() = flow{}
		e.lost = true
	}
	e.debugTo(to)
}

// debugTo enters debug state, after which the core continues at a place.
func (e *executor) debugTo(to step.Place) {
	step := e.step(e.at)
	step.Entered, step.Exception, step.Next = true, schema.ExcDebug, to
	step.Cycles = 1000 + e.random.Uint32N(1<<20)
	e.at, e.moved = to, e.executed
	e.emit(&step)
}

// watchdog resets the core, if that can be.
func (e *executor) watchdog() bool {
	if !e.o.Watchdog || !e.handlers[schema.ExcReset].OK {
		return false
	}
	e.reset()
	return true
}

// abandon leaves a handler that does not return: a debugger does it.
func (e *executor) abandon() {
	if e.watchdog() {
		return
	}
	e.lost = true
	step := e.step(e.at)
	step.Entered, step.Exception, step.Next = true, schema.ExcDebug, e.pop()
	step.Cycles = 1000 + e.random.Uint32N(1<<20)
	e.at, e.moved = step.Next, e.executed
	e.emit(&step)
}

// escape lets the core continue elsewhere: by the first of the exceptions that can
// be entered, else by reset or debug state.
func (e *executor) escape(by ...schema.ExceptionType) {
	if len(e.levels) > 0 {
		e.abandon()
		return
	}
	to := e.refuge()
	*e.flow() = flow{}
	e.lost = true
	for _, x := range by {
		if e.enterHere(x, to) {
			return
		}
	}
	if !e.watchdog() {
		e.debugTo(to)
	}
}

// unmappedAborts are the exceptions of a fetch where there is no memory.
func (e *executor) unmappedAborts() []schema.ExceptionType {
	if e.o.profileM() {
		return []schema.ExceptionType{schema.ExcBusFault, schema.ExcHardFault}
	}
	return []schema.ExceptionType{schema.ExcPrefetchAbort}
}

// stuckInterrupts are the exceptions that end code that goes nowhere.
func (e *executor) stuckInterrupts() []schema.ExceptionType {
	if e.o.profileM() {
		return []schema.ExceptionType{schema.ExcPendSV, schema.ExcSysTick, schema.ExcIRQ}
	}
	return []schema.ExceptionType{schema.ExcIRQ, schema.ExcFIQ}
}

// refuge is a place to continue at: a target, or the entry of the task if there is
// no target in the security state the core is in.
func (e *executor) refuge() step.Place {
	for range 8 {
		if len(e.targetsOf(e.at.ISA)) == 0 {
			break
		}
		if p := e.target(e.random.Uint64()); e.mapped(p) {
			return p
		}
	}
	return e.task().Entry
}
