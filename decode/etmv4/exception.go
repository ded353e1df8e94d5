package etmv4

import (
	"encoding/binary"

	"github.com/tracelake/tracelake/decode/flow"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file follows exceptions (IHI 0064, Exception elements).

// tailChain is the preferred return address where one handler follows another that returned, but to
// no program (profile M): bit 0 is never sent.
const tailChain = 0xFFFFFFFE

// exception takes an exception: what ran before it, up to the preferred return address, and
// then the handler, whose address comes next.
func (d *Decoder) exception(e *element) {
	d.enter()
	if d.cfg.ETE && e.number == ETETransactionFailure {
		d.transactionFails()
		return
	}
	back := d.returnAddress(e)
	switch {
	case d.chains(e):
		d.Rec.Return(d.Key())
	case !back.OK:
	case e.returns == ReturnIsTarget && d.owed:
		d.Rec.Segment.Quality.IndirectBranch()
		d.pushLink()
	case e.returns != ReturnIsTarget:
		d.walkBefore(back.V)
	}
	if e.returns == ReturnReserved {
		d.Inconsistent(back.V, "an exception with a reserved E1:E0")
	}
	d.lose(false)
	d.target = e.target
	d.entering, d.entry = true, schema.Exception{
		Key: d.Key(), Number: schema.Of(e.number), Type: schema.Of(d.exceptionType(e.number, back)), ReturnAddress: back,
	}
}

// returnAddress returns the preferred return address, if an exception has one: a reset does not,
// nor does a handler that follows another one.
func (d *Decoder) returnAddress(e *element) (address schema.Null[schema.Address]) {
	at := d.pc(e.target).Address
	reset := d.cfg.ETE && e.number == ETEReset
	if e.returns == ReturnNone || reset || d.chains(e) {
		return address
	}
	return schema.Of(at)
}

// chains reports whether an exception follows a handler that returned, with nothing between.
func (d *Decoder) chains(e *element) bool {
	return d.cfg.Profile == profileM && e.returns != ReturnNone && d.pc(e.target).Address == tailChain
}

// walkBefore walks up to the instruction at an address, which is in the straight code from the
// position on. Where the position is unknown, nothing is known of what ran.
func (d *Decoder) walkBefore(address schema.Address) {
	if !d.arrive() {
		return
	}
	d.Rec.Settle()
	source := flow.Source{Offset: d.Offset}
	n, stop := d.Walk.Distance(address)
	switch stop {
	case flow.Arrived:
	case flow.Missing:
		n++
	default:
		d.Inconsistent(d.Walk.PC().Address, "no straight code leads to the return address "+address.Hex())
		return
	}
	_, stop = d.Walk.Advance(&source, n)
	d.arrived(stop)
}

// begins reports whether the flow goes on after an exception or a restart, and those have no row yet.
func (d *Decoder) begins() bool { return d.entering || d.restarted.OK }

// enter makes the rows of an exception and of a restart: all is known of where the flow goes on
// that will be.
func (d *Decoder) enter() {
	d.tellRestart()
	if d.entering {
		d.entering, d.entry.Target = false, d.goesOn()
		d.Rec.EnterAt(d.entry)
	}
	d.tellLater()
}

// goesOn returns the address where the flow goes on, if one was told.
func (d *Decoder) goesOn() schema.Null[schema.Address] {
	return schema.Null[schema.Address]{V: d.pc(d.target).Address, OK: d.moved}
}

// The exceptions by number, of profiles A and R, and of profile M.
var (
	exceptionTypes = [...]schema.ExceptionType{
		schema.ExcReset, schema.ExcDebug, schema.ExcCall, schema.ExcTrap,
		schema.ExcSystemError, schema.ExcReserved, schema.ExcDebugInstruction, schema.ExcDebugData,
		schema.ExcReserved, schema.ExcReserved, schema.ExcAlignment, schema.ExcPrefetchAbort,
		schema.ExcDataAbort, schema.ExcReserved, schema.ExcIRQ, schema.ExcFIQ,
	}
	exceptionTypesM = [...]schema.ExceptionType{
		schema.ExcReserved, schema.ExcReset, schema.ExcNMI, schema.ExcHardFault,
		schema.ExcMemManage, schema.ExcBusFault, schema.ExcUsageFault, schema.ExcSecureFault,
		schema.ExcReserved, schema.ExcReserved, schema.ExcReserved, schema.ExcSVC,
		schema.ExcDebugMonitor, schema.ExcReserved, schema.ExcPendSV, schema.ExcSysTick,
		schema.ExcIRQ, schema.ExcIRQ, schema.ExcIRQ, schema.ExcIRQ, // IRQ0 to IRQ7
		schema.ExcIRQ, schema.ExcIRQ, schema.ExcIRQ, schema.ExcIRQ,
		schema.ExcDebug, schema.ExcLazyFP, schema.ExcLockup,
	}
)

// Exception numbers beyond the tables.
const (
	firstImplementation, lastImplementation = 16, 23 // of profiles A and R
	firstIRQM, lastIRQM                     = 0x208, 0x3EF
)

// exceptionType returns the canonical type of an exception. Which call one is, the instruction before
// its return address says.
func (d *Decoder) exceptionType(number uint16, back schema.Null[schema.Address]) schema.ExceptionType {
	if d.cfg.Profile == profileM {
		switch {
		case int(number) < len(exceptionTypesM):
			return exceptionTypesM[number]
		case number >= firstIRQM && number <= lastIRQM:
			return schema.ExcIRQ
		}
		return schema.ExcReserved
	}
	switch {
	case int(number) < len(exceptionTypes):
		t := exceptionTypes[number]
		if t == schema.ExcCall && back.OK {
			return d.callBefore(back.V)
		}
		return t
	case number >= firstImplementation && number <= lastImplementation:
		return schema.ExcImplementation
	}
	return schema.ExcReserved
}

// callBefore returns which call the instruction before an address is.
func (d *Decoder) callBefore(address schema.Address) schema.ExceptionType {
	t := schema.ExcCall
	switch in := d.pc(d.target).ISA; in {
	case schema.A64:
		if w, ok := d.word(address - 4); ok {
			t = callOf(isa.A64(w, address-4), t)
		}
	case schema.A32:
		if w, ok := d.word(in.Wrap(address - 4)); ok {
			t = callOf(isa.ETMv4.A32(w, address-4), t)
		}
	default: // SVC has one halfword, the others have two
		if w, ok := d.word(in.Wrap(address - 4)); ok {
			t = callOf(isa.ETMv4.T32(uint16(w>>16), 0, address-2, false), t)
			if isa.Is32Bit(uint16(w)) {
				t = callOf(isa.ETMv4.T32(uint16(w), uint16(w>>16), address-4, false), t)
			}
		}
	}
	return t
}

// callOf returns which call an instruction is, otherwise the type given.
func callOf(in isa.Instruction, otherwise schema.ExceptionType) schema.ExceptionType {
	switch in.Kind {
	case schema.KindSVC:
		return schema.ExcSVC
	case schema.KindHVC:
		return schema.ExcHVC
	case schema.KindSMC:
		return schema.ExcSMC
	default:
		return otherwise
	}
}

// word reads a word of the program, where the flow fetches instructions.
func (d *Decoder) word(address schema.Address) (uint32, bool) {
	b := d.Mem.Fetch(d.Rec.Space(), address)
	if len(b) < 4 {
		return 0, false
	}
	return binary.LittleEndian.Uint32(b), true
}
