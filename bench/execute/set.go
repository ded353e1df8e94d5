package execute

import (
	"math/bits"

	"github.com/tracelake/tracelake/schema"
)

// An exceptionSet has the types whose bits are set.
type exceptionSet uint32

func exceptions(types ...schema.ExceptionType) exceptionSet {
	var s exceptionSet
	for _, x := range types {
		s.add(x)
	}
	return s
}

func (s *exceptionSet) add(x schema.ExceptionType)     { *s |= 1 << x }
func (s *exceptionSet) remove(x schema.ExceptionType)  { *s &^= 1 << x }
func (s exceptionSet) has(x schema.ExceptionType) bool { return s>>x&1 == 1 }

// first is any type of s, which is not empty.
func (s exceptionSet) first() schema.ExceptionType {
	return schema.ExceptionType(bits.TrailingZeros32(uint32(s)))
}

// asynchronous are the exceptions that come between instructions.
func (e *executor) asynchronous() exceptionSet {
	if e.o.profileM() {
		return exceptions(schema.ExcReset, schema.ExcDebug, schema.ExcNMI, schema.ExcPendSV, schema.ExcSysTick, schema.ExcIRQ)
	}
	if e.o.v8A() {
		return exceptions(schema.ExcReset, schema.ExcDebug, schema.ExcFIQ, schema.ExcIRQ, schema.ExcSystemError)
	}
	return exceptions(schema.ExcReset, schema.ExcDebug, schema.ExcFIQ, schema.ExcIRQ, schema.ExcAsyncDataAbort,
		schema.ExcGeneric)
}

// faults are those that come in place of any instruction.
func (e *executor) faults() exceptionSet {
	if e.o.profileM() {
		return exceptions(schema.ExcHardFault, schema.ExcUsageFault, schema.ExcDebugMonitor)
	}
	if e.o.v8A() {
		return exceptions(schema.ExcPrefetchAbort, schema.ExcTrap, schema.ExcDebugInstruction, schema.ExcAlignment)
	}
	return exceptions(schema.ExcPrefetchAbort, schema.ExcHyp, schema.ExcThumbEE)
}

// dataFaults are those that come in place of a load or store.
func (e *executor) dataFaults() exceptionSet {
	if e.o.profileM() {
		return exceptions(schema.ExcMemManage, schema.ExcBusFault)
	}
	if e.o.v8A() {
		return exceptions(schema.ExcDataAbort, schema.ExcDebugData)
	}
	return exceptions(schema.ExcDataAbort)
}

// byChance are all exceptions that instructions do not call for.
func (e *executor) byChance() exceptionSet {
	s := e.asynchronous() | e.faults() | e.dataFaults()
	if !e.o.profileM() && !e.o.v8A() {
		s.add(schema.ExcUndefined)
	}
	return s
}
