package decode

import "github.com/tracelake/tracelake/schema"

// exceptionTypes are the canonical types by the exception number of a branch
// packet, in the architectures v6, v7-A and v7-R (IHI 0035B, table 4.9; IHI 0014Q
// has the same).
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

// ExceptionType returns the canonical type of an exception number. Numbers above
// 15 are reserved, but do not lose packet sync.
func ExceptionType(number uint16) schema.ExceptionType {
	if int(number) < len(exceptionTypes) {
		return exceptionTypes[number]
	}
	return schema.ExcReserved
}
