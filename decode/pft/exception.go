package pft

import "github.com/tracelake/tracelake/schema"

// exceptionTypes are the canonical types by the number in a branch packet
// (table 4.9). Numbers beyond are reserved, which is no loss of sync.
var exceptionTypes = [16]schema.ExceptionType{
	0:  schema.ExcReserved, // none: not an exception
	1:  schema.ExcDebug,
	2:  schema.ExcSMC,
	3:  schema.ExcHyp,
	4:  schema.ExcAsyncDataAbort,
	5:  schema.ExcThumbEE,
	6:  schema.ExcReserved,
	7:  schema.ExcReserved,
	8:  schema.ExcReset,
	9:  schema.ExcUndefined,
	10: schema.ExcSVC,
	11: schema.ExcPrefetchAbort, // also BKPT
	12: schema.ExcDataAbort,     // synchronous
	13: schema.ExcGeneric,
	14: schema.ExcIRQ,
	15: schema.ExcFIQ,
}

// debugEntry is the exception number of an entry to Debug state (§5.3.8).
const debugEntry = 1

func exceptionType(number uint16) schema.ExceptionType {
	if int(number) < len(exceptionTypes) {
		return exceptionTypes[number]
	}
	return schema.ExcReserved
}
