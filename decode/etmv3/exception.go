package etmv3

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// exceptionTypesM are the canonical types by Excp, architecture v7-M
// (docs/etmv3.md §3.4.4). Higher numbers are interrupts.
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
// means any other type, which the vector shows (docs/etmv3.md §3.4.1, §8.1).
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

// exceptionType returns the canonical type of the exception that r enters.
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
	default:
		return decode.ExceptionType(r.Exception)
	}
}

// exceptionReturn handles the packet that marks the last instruction as an
// exception return (§7.5 for v7-M, §7.6 for A and R; docs/etmv3.md §3.8).
func (d *Decoder) exceptionReturn() {
	if d.cfg.returnsByOpcode() && d.returned {
		return // its opcode has made the row
	}
	cancelable := d.cancelable
	d.returnRow()
	if d.cfg.ProfileM {
		d.cancelable = decode.CancelableReturn
		d.Fate(decode.DataElement{
			Key: schema.Key{Seq: d.Walk.Seq - 1, Offset: d.Offset}, Kind: decode.ElementPop,
			Cancelable: cancelable,
		})
	}
}

// returnsByOpcode reports whether only the opcode identifies exception returns.
func (c *Config) returnsByOpcode() bool { return !c.ProfileM && c.Minor < minorReturn }

// returnRow makes a `return` row, which goes with what a cancel takes back
// (docs/etmv3.md §4.6).
func (d *Decoder) returnRow() {
	d.returnIndex, d.returned = len(d.Rec.Result.Exceptions), true
	d.Rec.Return(d.Key())
}
