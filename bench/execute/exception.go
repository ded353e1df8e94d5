package execute

import (
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// sameTask is the task an exception came from.
const sameTask = -1

// A level is an exception that has not returned.
type level struct {
	flow      flow
	exception schema.ExceptionType
	number    uint16
	returnTo  step.Place
	task      int   // that it returns to, or sameTask
	since     int64 // value of executed
	frame     schema.Address
}

func (e *executor) level() *level { return &e.levels[len(e.levels)-1] }

func (e *executor) task() *task { return &e.tasks[e.current] }

// An entry is an exception to be entered.
type entry struct {
	exception    schema.ExceptionType
	number       uint16
	at, returnTo step.Place
	task         int // as of a level
	to           step.Place
}

// handler is where an exception goes from the state the core is in.
func (e *executor) handler(x schema.ExceptionType) (step.Place, bool) {
	h := e.handlers[x]
	switch {
	case !h.OK:
		return step.Place{}, false
	case e.o.v8A():
		return e.handlerV8A(x, h.V)
	case x == schema.ExcHyp && e.at.Security == schema.Secure:
		return step.Place{}, false
	case x == schema.ExcHyp, x == schema.ExcSMC, x == schema.ExcReset:
		return h.V, true
	}
	h.V.Security = e.at.Security
	return h.V, e.mapped(h.V)
}

// mayEnter says whether an exception can be entered now. In v7-M the same one
// does not come twice.
func (e *executor) mayEnter(x schema.ExceptionType) bool {
	if x == schema.ExcDebug {
		return true
	}
	if _, ok := e.handler(x); !ok {
		return false
	}
	if x == schema.ExcReset {
		return true
	}
	return !e.untold && len(e.levels) < nesting && !e.atVector(e.at) &&
		(!e.o.profileM() || x == schema.ExcIRQ || !e.active(x, 0))
}

// atVector says whether nothing may return to a place, since it is a vector of
// V5TE.
func (e *executor) atVector(at step.Place) bool {
	if e.o.Arch != program.V5TE || e.o.VectorBranches > 0 || at.ISA != schema.A32 {
		return false
	}
	for _, h := range &e.handlers {
		if h.OK && h.V.Address == at.Address {
			return true
		}
	}
	return false
}

// active says whether a handler of the exception has not returned.
func (e *executor) active(x schema.ExceptionType, number uint16) bool {
	for i := range e.levels {
		if e.levels[i].exception == x && e.levels[i].number == number {
			return true
		}
	}
	return false
}

// waiting is the exception that comes before the next instruction, if any.
func (e *executor) waiting() (schema.ExceptionType, bool) {
	return e.firstOf(e.pending & e.asynchronous())
}

// interrupt enters an exception that came before the next instruction.
func (e *executor) interrupt() bool {
	if e.switches && !e.untold && len(e.levels) == 0 && !e.atVector(e.at) && e.switchTask() {
		return true
	}
	x, ok := e.waiting()
	if !ok || e.o.AtPairs && !e.atPair() && e.random.UintN(64) != 0 {
		return false
	}
	e.pending.remove(x)
	switch x {
	case schema.ExcDebug:
		e.debug()
	case schema.ExcReset:
		e.reset()
	default:
		return e.enterHere(x, e.at)
	}
	return true
}

// atPair says whether the next instruction is one of T32 with 32 bits.
func (e *executor) atPair() bool {
	s := e.here()
	return s != nil && s.at.ISA == schema.T32 && s.in.Size == 4
}

// enterHere enters an exception before the next instruction, if it can be.
func (e *executor) enterHere(x schema.ExceptionType, returnTo step.Place) bool {
	to, ok := e.handler(x)
	if !ok || !e.mayEnter(x) {
		return false
	}
	n := entry{exception: x, at: e.at, returnTo: returnTo, task: sameTask, to: to}
	if x == schema.ExcIRQ && e.o.profileM() {
		n.number = e.interruptNumber()
	}
	e.enter(&n)
	return true
}

// interruptNumber picks an external interrupt that is not active. With more
// interrupts than levels there is one; else the last may come twice.
func (e *executor) interruptNumber() uint16 {
	interrupts := max(e.o.Interrupts, 1)
	n := e.random.IntN(interrupts)
	for i := range len(e.levels) {
		if number := uint16((n + i) % interrupts); !e.active(schema.ExcIRQ, number) {
			return number
		}
	}
	return uint16((n + len(e.levels)) % interrupts)
}

// enter enters an exception.
func (e *executor) enter(n *entry) {
	step := e.step(n.at)
	step.Entered, step.Exception, step.Number, step.Next = true, n.exception, n.number, n.to
	frame := stackTop - schema.Address(e.current)<<12 - schema.Address(len(e.levels))<<8
	if e.o.profileM() && e.o.Data && !e.chained {
		step.Transfers = e.frame(frame, schema.AccessPush, n.returnTo)
	}
	e.chained = false
	e.levels = append(e.levels, level{
		exception: n.exception, number: n.number, returnTo: n.returnTo, task: n.task,
		since: e.executed, frame: frame,
	})
	e.at, e.moved = n.to, e.executed
	e.release()
	e.emit(&step)
}

// leave returns from the innermost exception by an instruction, and says where
// to. In v7-M another that waits follows at once: then the stack frame stays.
func (e *executor) leave(step *step.Step) step.Place {
	step.Moves = leaves
	frame := e.level().frame
	to := e.pop()
	e.release()
	if e.o.profileM() {
		x, waits := e.waiting()
		e.chained = waits && x != schema.ExcDebug && x != schema.ExcReset
		e.unstack(step, frame, to)
	}
	return to
}

// pop ends the innermost exception and says where the core continues.
func (e *executor) pop() step.Place {
	l := e.level()
	to, next := l.returnTo, l.task
	e.levels = e.levels[:len(e.levels)-1]
	if next >= 0 {
		e.task().at = to
		e.current = next
		to = e.task().at
		e.contextID = e.task().ContextID
	}
	return to
}

// nextContextID is what a write of CONTEXTIDR writes: the context ID of the task
// with which the core is about to continue. A handler that interrupted another changes nothing.
func (e *executor) nextContextID() uint32 {
	switch {
	case len(e.levels) > 1:
		return e.contextID
	case len(e.levels) == 1 && e.levels[0].task != sameTask:
		return e.tasks[e.levels[0].task].ContextID
	}
	return e.task().ContextID
}

// call enters the exception that the instruction of step called for. The
// monitor may return to a task of another security state, the hypervisor to one
// of another virtual machine; or they return in place of the function that called
// them, to its caller.
func (e *executor) call(x schema.ExceptionType, step *step.Step) {
	to, ok := e.handler(x)
	if !ok || !e.mayEnter(x) {
		return
	}
	next := sameTask
	if len(e.levels) == 0 && e.random.UintN(2) == 0 {
		next = e.taskFor(x)
	}
	returnTo := step.Next
	if next == sameTask && x != schema.ExcSVC && e.random.UintN(4) != 0 {
		returnTo = e.flow().unwind(returnTo)
		e.lost = true // as far as the trace tells, which does not say what a monitor does
	}
	e.enter(&entry{exception: x, at: step.Next, returnTo: returnTo, task: next, to: to})
}

func (e *executor) taskFor(x schema.ExceptionType) int {
	start := e.random.IntN(len(e.tasks))
	for i := range e.tasks {
		n := (start + i) % len(e.tasks)
		t := &e.tasks[n]
		sameWorld := t.at.Security == e.at.Security
		switch {
		case n == e.current:
		case x == schema.ExcSMC && !sameWorld, (x == schema.ExcHyp || x == schema.ExcHVC) && sameWorld && t.VMID != e.task().VMID:
			return n
		}
	}
	return sameTask
}

// undefined enters the exception of the undefined instruction of step. Its
// handler executes it in some other way, or sees to it that it can be executed.
func (e *executor) undefined(step *step.Step) {
	to, ok := e.handler(schema.ExcUndefined)
	if e.o.profileM() || !ok || !e.mayEnter(schema.ExcUndefined) {
		return
	}
	e.pending.remove(schema.ExcUndefined)
	returnTo := step.Next
	if step.Instruction.Kind == schema.KindOther && e.random.UintN(4) == 0 {
		returnTo = step.At
	}
	e.enter(&entry{exception: schema.ExcUndefined, at: step.At, returnTo: returnTo, task: sameTask, to: to})
}

// fault enters an exception in place of the instruction at hand.
func (e *executor) fault(s *site) bool {
	following := e.at
	following.Address = following.ISA.Wrap(following.Address + schema.Address(s.in.Size))
	inBlock := e.flow().it.left > 0
	switch {
	case s.in.Kind == schema.KindBKPT && !inBlock:
		return e.enterHere(e.breakpoint(), following)
	case e.o.v8A() && e.traps(s) && !inBlock && !s.conditional:
		entered := e.enterHere(schema.ExcTrap, following)
		if !entered && s.in.Kind == schema.KindUDF { // no trace goes past it
			e.escape()
		}
		return entered || s.in.Kind == schema.KindUDF
	case e.o.profileM() && foreign(s, e.at):
		e.escape(schema.ExcUsageFault, schema.ExcHardFault)
		return true
	case e.o.profileM() && s.in.Kind == schema.KindUDF && !inBlock:
		return e.enterHere(schema.ExcUsageFault, following)
	}
	if x, ok := e.firstOf(e.pending & e.faults()); ok {
		e.pending.remove(x)
		return e.enterHere(x, e.at)
	}
	if !s.memory || s.conditional || inBlock {
		return false
	}
	x, ok := e.firstOf(e.pending & e.dataFaults())
	if !ok {
		return false
	}
	e.pending.remove(x)
	if s.in.Flow == isa.None && e.random.UintN(2) == 0 {
		return e.enterHere(x, following)
	}
	return e.enterHere(x, e.at)
}

// breakpoint is the exception that BKPT and BRK call for.
func (e *executor) breakpoint() schema.ExceptionType {
	switch {
	case e.o.profileM():
		return schema.ExcDebugMonitor
	case e.o.v8A():
		return schema.ExcDebugInstruction
	}
	return schema.ExcPrefetchAbort
}

// firstOf is any of a set that can be entered now.
func (e *executor) firstOf(s exceptionSet) (schema.ExceptionType, bool) {
	for ; s != 0; s.remove(s.first()) {
		if x := s.first(); e.mayEnter(x) {
			return x, true
		}
	}
	return 0, false
}

// foreign says whether the instruction at a place does not exist in v7-M.
func foreign(s *site, at step.Place) bool {
	return at.ISA != schema.T32 || s.in.Kind == schema.KindExceptionReturn ||
		s.in.Flow == isa.Direct && s.in.TargetISA != schema.T32
}

// switcher is the exception that changes tasks in a security state, or away
// from it, and its handler. The monitor is secure.
func (e *executor) switcher(from step.Place, leaves bool) (schema.ExceptionType, step.Place) {
	x := schema.ExcIRQ
	switch {
	case e.o.profileM():
		x = schema.ExcPendSV
	case leaves:
		x = schema.ExcFIQ
	}
	to := e.handlers[x].V
	switch {
	case e.o.v8A():
		return x, switcherV8A(to, from, leaves)
	case leaves && x == schema.ExcFIQ:
		from.Security = schema.Secure
	}
	to.Security = from.Security
	return x, to
}

// switchTask enters an interrupt that returns to another task.
func (e *executor) switchTask() bool {
	e.switches = false
	next := (e.current + 1 + e.random.IntN(len(e.tasks)-1)) % len(e.tasks)
	x, to := e.switcher(e.at, e.tasks[next].at.Security != e.at.Security)
	if !e.handlers[x].OK || !e.mapped(to) {
		return false
	}
	e.enter(&entry{exception: x, at: e.at, returnTo: e.at, task: next, to: to})
	return true
}
