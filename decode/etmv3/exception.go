package etmv3

import "github.com/tracelake/tracelake/schema"

// exceptionTypes are the canonical types by Excp, architectures v6, v7-A and
// v7-R. Numbers beyond are reserved, which is no loss of sync.
var exceptionTypes = [16]schema.ExceptionType{
	0:  schema.ExcReserved, // none: not an exception
	1:  schema.ExcDebug,    // halting debug
	2:  schema.ExcSMC,
	3:  schema.ExcHyp,
	4:  schema.ExcAsyncDataAbort,
	5:  schema.ExcThumbEE, // ThumbEE check; in Jazelle state a Jazelle exception
	6:  schema.ExcReserved,
	7:  schema.ExcReserved,
	8:  schema.ExcReset,
	9:  schema.ExcUndefined,
	10: schema.ExcSVC,
	11: schema.ExcPrefetchAbort, // also BKPT
	12: schema.ExcDataAbort,     // synchronous, also watchpoint
	13: schema.ExcGeneric,
	14: schema.ExcIRQ,
	15: schema.ExcFIQ,
}

// exceptionTypesM are the canonical types by Excp, architecture v7-M. Numbers
// beyond are interrupts.
var exceptionTypesM = [24]schema.ExceptionType{
	0:  schema.ExcReserved, // none: not an exception
	1:  schema.ExcIRQ,      // IRQ1
	2:  schema.ExcIRQ,
	3:  schema.ExcIRQ,
	4:  schema.ExcIRQ,
	5:  schema.ExcIRQ,
	6:  schema.ExcIRQ,
	7:  schema.ExcIRQ, // IRQ7
	8:  schema.ExcIRQ, // IRQ0
	9:  schema.ExcUsageFault,
	10: schema.ExcNMI,
	11: schema.ExcSVC,
	12: schema.ExcDebugMonitor,
	13: schema.ExcMemManage,
	14: schema.ExcPendSV,
	15: schema.ExcSysTick,
	16: schema.ExcReserved,
	17: schema.ExcReset,
	18: schema.ExcReserved,
	19: schema.ExcHardFault,
	20: schema.ExcReserved,
	21: schema.ExcBusFault,
	22: schema.ExcReserved,
	23: schema.ExcReserved,
}

// oldExceptionTypes are the canonical types by EEE of the old exception form; 0
// is told by the vector.
var oldExceptionTypes = [8]schema.ExceptionType{
	1: schema.ExcIRQ,
	2: schema.ExcReserved,
	3: schema.ExcReserved,
	4: schema.ExcJazelle,
	5: schema.ExcFIQ,
	6: schema.ExcDataAbort,
	7: schema.ExcDebug,
}

// vectorTypes are the canonical types by target[4:2], for EEE 0.
var vectorTypes = [8]schema.ExceptionType{
	0: schema.ExcReset,
	1: schema.ExcUndefined,
	2: schema.ExcSVC,
	3: schema.ExcPrefetchAbort,
	4: schema.ExcDataAbort,
	5: schema.ExcReserved,
	6: schema.ExcReserved, // IRQ and FIQ have an EEE of their own
	7: schema.ExcReserved,
}

// exceptionType is the canonical type of the exception that r enters.
func (c *Config) exceptionType(r *Branch) schema.ExceptionType {
	n := int(r.Exception)
	switch {
	case r.Old && n == 0:
		return vectorTypes[r.Address&7]
	case r.Old:
		return oldExceptionTypes[n]
	case c.ProfileM && n < len(exceptionTypesM):
		return exceptionTypesM[n]
	case c.ProfileM:
		return schema.ExcIRQ
	case n < len(exceptionTypes):
		return exceptionTypes[n]
	default:
		return schema.ExcReserved
	}
}
