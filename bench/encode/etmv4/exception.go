package etmv4

import (
	"fmt"

	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth"
	codec "github.com/tracelake/tracelake/decode/etmv4"
	"github.com/tracelake/tracelake/schema"
)

// This file traces exceptions and returns (§7).

// An exceptionRow is the number of an exception, and what rows call it.
type exceptionRow struct {
	number uint16
	name   schema.ExceptionType
}

// The exceptions of profiles A and R, and of profile M but interrupts. An undefined instruction
// is a trap.
var (
	exceptions = map[schema.ExceptionType]exceptionRow{
		schema.ExcReset: {0, schema.ExcReset}, schema.ExcDebug: {1, schema.ExcDebug},
		schema.ExcSVC: {2, schema.ExcSVC}, schema.ExcSMC: {2, schema.ExcSMC}, schema.ExcHyp: {2, schema.ExcHVC},
		schema.ExcHVC: {2, schema.ExcHVC}, schema.ExcUndefined: {3, schema.ExcTrap}, schema.ExcTrap: {3, schema.ExcTrap},
		schema.ExcAsyncDataAbort: {4, schema.ExcSystemError}, schema.ExcSystemError: {4, schema.ExcSystemError},
		schema.ExcDebugInstruction: {6, schema.ExcDebugInstruction}, schema.ExcDebugData: {7, schema.ExcDebugData},
		schema.ExcAlignment: {10, schema.ExcAlignment}, schema.ExcPrefetchAbort: {11, schema.ExcPrefetchAbort},
		schema.ExcDataAbort: {12, schema.ExcDataAbort}, schema.ExcIRQ: {14, schema.ExcIRQ}, schema.ExcFIQ: {15, schema.ExcFIQ},
		schema.ExcGeneric: {16, schema.ExcImplementation},
	}
	exceptionsM = map[schema.ExceptionType]exceptionRow{
		schema.ExcReset: {1, schema.ExcReset}, schema.ExcNMI: {2, schema.ExcNMI}, schema.ExcHardFault: {3, schema.ExcHardFault},
		schema.ExcMemManage: {4, schema.ExcMemManage}, schema.ExcBusFault: {5, schema.ExcBusFault},
		schema.ExcUsageFault: {6, schema.ExcUsageFault}, schema.ExcSecureFault: {7, schema.ExcSecureFault},
		schema.ExcSVC: {11, schema.ExcSVC}, schema.ExcDebugMonitor: {12, schema.ExcDebugMonitor},
		schema.ExcPendSV: {14, schema.ExcPendSV}, schema.ExcSysTick: {15, schema.ExcSysTick},
		schema.ExcDebug: {24, schema.ExcDebug}, schema.ExcLazyFP: {25, schema.ExcLazyFP}, schema.ExcLockup: {26, schema.ExcLockup},
	}
)

// Interrupts of profile M: the first eight have numbers of their own.
const (
	firstIRQ, firstIRQs     = 16, 8
	laterIRQ, mostInterrupt = 0x208, 495
)

// exceptionNumber is the number of an exception.
func (e *Encoder) exceptionNumber(s *step.Step) (exceptionRow, error) {
	table := exceptions
	if e.opt.Profile == profileM {
		table = exceptionsM
	}
	x, ok := table[s.Exception]
	switch n := s.Number; {
	case ok:
		return x, nil
	case e.opt.Profile != profileM || s.Exception != schema.ExcIRQ || n > mostInterrupt:
		return x, fmt.Errorf("encode/etmv4: at %s: exception %s %d is not traced here", s.At, s.Exception, n)
	case n < firstIRQs:
		return exceptionRow{firstIRQ + n, schema.ExcIRQ}, nil
	default:
		return exceptionRow{laterIRQ + n - firstIRQs, schema.ExcIRQ}, nil
	}
}

// tailChain is the preferred return address where one handler follows another (profile M).
var tailChain = step.Place{Address: 0xFFFFFFFE, ISA: schema.T32}

// exception traces an exception entry.
func (e *Encoder) exception(s *step.Step) {
	row, _ := e.exceptionNumber(s)
	from := e.leave(s)
	chained := e.returned && e.opt.Profile == profileM && s.Exception != schema.ExcReset && s.Exception != schema.ExcDebug &&
		!e.vary.Happens(e.vary.Exceptions)
	if !chained {
		e.reach(s, from)
	}
	e.returned = false
	e.flush()
	e.enterHandler(nil)
	x := element{p0: true, instructions: e.waiting, afterPop: e.flow.popped, time: e.now}
	e.waiting = nil
	p := codec.Packet{Kind: codec.Exception, Exception: row.number, Return: codec.ReturnFollows}
	if e.flow.owed && !e.flow.popped {
		p.Return = codec.ReturnIsTarget
	}
	p.Long = row.number > 31 || e.opt.Profile == profileM && e.vary.Happens(e.vary.Fields)
	p.Pending = p.Long && e.opt.Profile == profileM && e.vary.Happens(e.vary.Fields)
	x.offset = e.emit(p)
	entry := &entry{Exception: truth.Exception{
		Event: schema.ExceptionEntry, Number: schema.Of(row.number), Type: schema.Of(row.name),
	}}
	switch {
	case e.opt.ETE && s.Exception == schema.ExcReset:
		x.p0 = false
	case chained:
		e.sendAddress(tailChain)
		x.returns = true
	default:
		e.sendAddress(from)
		entry.ReturnAddress = schema.Of(from.Address)
	}
	if x.p0 && e.countDue() {
		e.count(&x)
	}
	entry.Offset = x.offset
	e.entering = entry
	x.tell = func() { entry.told, entry.State = true, e.truth.State } // its place in time
	e.truth.push(x)
	e.flow.owed, e.flow.popped, e.flow.broadcast = true, false, false
	e.timeDue = true
	e.speculate()
	if s.Exception == schema.ExcDebug {
		e.enterHandler(nil)
		e.halt()
	}
}

// leave returns the preferred return address of an exception. An instruction that was not
// executed after all does not run up to it, and of a reset nothing does.
func (e *Encoder) leave(s *step.Step) step.Place {
	n := len(e.waiting)
	switch {
	case s.Exception == schema.ExcReset && n > 0:
		from := e.waiting[0].at
		e.waiting = nil
		return from
	case s.Exception == schema.ExcReset:
		return e.core.next
	case n > 0 && s.At != e.core.next:
		e.waiting = e.waiting[:n-1]
	}
	return s.At
}

// reach tells, before an exception, where the flow is, if that has to be told or may be: the
// address of the exception may tell it too.
func (e *Encoder) reach(s *step.Step, from step.Place) {
	if len(e.waiting) > 0 || s.Exception == schema.ExcReset {
		return
	}
	told := e.entering != nil && e.vary.Happens(e.vary.Exceptions)
	if e.returned || told || e.flow.owed && !e.flow.popped && e.entering == nil && e.vary.Happens(e.vary.Exceptions) {
		want := e.contextOf(from, s.ContextID, s.VMID)
		if e.opt.Profile == profileM {
			e.exceptionReturn()
		}
		e.target(from, want)
		e.enterHandler(&from)
		e.exceptionReturn()
	}
}

// enterHandler makes the row of the last exception, whose handler is at a place; nil: the
// trace does not tell.
func (e *Encoder) enterHandler(at *step.Place) {
	row := e.entering
	if row == nil {
		return
	}
	e.entering = nil
	if at != nil {
		row.Target = schema.Of(at.Address)
	}
	e.truth.push(element{offset: row.Offset, tell: func() { e.truth.enter(row) }})
}

// exceptionReturn sends that the last instruction returned from an exception, if it did. An ETE
// does not: there it follows from the instruction.
func (e *Encoder) exceptionReturn() {
	if !e.returned {
		return
	}
	e.returned, e.timeDue = false, true
	if e.opt.ETE {
		return
	}
	e.flush()
	at := e.emit(codec.Packet{Kind: codec.ExceptionReturn})
	x := element{offset: at, p0: e.opt.v7M(), time: e.now, tell: func() { e.truth.Return(at) }}
	e.truth.push(x)
	e.speculate()
}
