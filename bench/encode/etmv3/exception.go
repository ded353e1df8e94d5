package etmv3

import (
	"fmt"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth"
	codec "github.com/tracelake/tracelake/decode/etmv3"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// This file traces exceptions (§4.5), what they cancel (§4.6), and returns.

// exceptionNumbersM are the numbers of exceptions on v7-M but interrupts (§3.4.4).
var exceptionNumbersM = map[schema.ExceptionType]uint16{
	schema.ExcUsageFault: 9, schema.ExcNMI: 10, schema.ExcSVC: 11, schema.ExcDebugMonitor: 12, schema.ExcMemManage: 13,
	schema.ExcPendSV: 14, schema.ExcSysTick: 15, schema.ExcReset: 17, schema.ExcHardFault: 19, schema.ExcBusFault: 21,
}

// mostInterrupts is how many external interrupts v7-M traces: IRQ0 to IRQ495.
const mostInterrupts = 496

// exceptionNumber is the number of the exception s in branch packets.
func (e *Encoder) exceptionNumber(s *step.Step) (uint16, error) {
	numbers := encode.ExceptionNumbers
	if e.opt.ProfileM {
		numbers = exceptionNumbersM
	}
	number, ok := numbers[s.Exception]
	switch n := s.Number; {
	case ok:
		return number, nil
	case !e.opt.ProfileM || s.Exception != schema.ExcIRQ || n >= mostInterrupts:
		return 0, fmt.Errorf("encode/etmv3: at %s: exception %s %d is not traced here", s.At, s.Exception, n)
	case n == 0:
		return 8, nil
	case n <= 7:
		return n, nil
	default:
		return n + 16, nil
	}
}

// exception traces an exception entry. Its packet takes the place of the branch
// packet that is owed, unless an instruction after the branch was begun.
func (e *Encoder) exception(s *step.Step) error {
	debug := s.Exception == schema.ExcDebug
	if debug && e.opt.ProfileM { // there debug entry is no exception: trace ends
		e.sendOwed()
		e.breakData(false)
		e.stop(e.waits+uint64(s.Cycles), schema.ISyncDebugExit)
		e.moveCore(s)
		return nil
	}
	number, err := e.exceptionNumber(s)
	if err != nil {
		return err
	}
	if s.Exception == schema.ExcDataAbort && e.opt.Program == nil && !e.faulted(s) {
		return fmt.Errorf("encode/etmv3: at %s: without the program an abort looks as if the instruction before made it",
			s.At)
	}
	r := codec.Branch{Exception: number}
	begun := e.begin(s)
	r.Cancel = begun == tracesPhantom
	if r.Cancel && e.opt.ProfileM {
		e.pause(s, &r)
	}
	if e.owes && e.vary.Happens(e.vary.Branch) {
		e.payBranch()
	}
	e.owes = false
	e.flush()
	if e.opt.ProfileM && e.truth.pendingReturn.OK && !e.stated.popped && e.vary.Happens(e.vary.Cancel) {
		r.Cancel = true // cancels the return: this exception comes instead
		e.truth.pendingReturn.OK = false
	}
	e.truth.commitReturn()
	switch {
	case begun == tracesPhantom:
		e.between(true)
	case begun == tracesWhole && e.stated.reached.OK && e.vary.Happens(e.vary.Sync/4):
		e.periodic(e.reachedPlace())
	}
	if s.Exception == schema.ExcDataAbort && begun == tracesWhole && e.stated.after != afterBranch {
		e.abortData() // as far as the trace shows, the last instruction made the abort
	}
	late := e.push(s)
	e.enterException(s, r, begun)
	e.sendFrame(late)
	e.moveCore(s)
	if debug {
		e.breakData(false)
		e.stop(e.waits+uint64(s.Cycles), schema.ISyncDebugExit)
		return nil
	}
	e.cost(s.Cycles)
	e.timestamp(false)
	return nil
}

// enterException sends the branch packet r of the exception s and enters its
// rows.
func (e *Encoder) enterException(s *step.Step, r codec.Branch, begun traces) {
	to := s.Next
	if s.Exception == schema.ExcDebug {
		// The core never goes there: hardware sends the cancelled address or the next.
		to = s.At
		to.Address = (to.Address + 4*schema.Address(btou(e.vary.Happens(e.vary.Cancel)))).In32()
	}
	row := truth.Exception{
		Event: schema.ExceptionEntry, Type: schema.Of(s.Exception), Target: schema.Of(to.Address),
		ReturnAddress: e.returnAddress(s, begun == tracesPhantom),
	}
	if begun == tracesHalf { // after the half that was traced
		row.ReturnAddress.V += 2
	}
	r = e.exceptionTo(to, r, s.Exception)
	row.Number = schema.Of(r.Exception)
	row.Resume = schema.Null[uint8]{V: r.Resume, OK: r.HasResume}
	at := e.sendBranch(r, to)
	switch begun {
	case tracesPhantom:
		e.truth.event(at, schema.EventCancelled, schema.Of(s.At.Address))
	case tracesHalf:
		e.truth.event(at, schema.EventSplitInstruction, schema.Of(s.At.Address))
	default:
	}
	e.truth.Exception(at, row)
}

// returnAddress is the preferred return address of the exception s that follows
// from the stream (§4.5).
func (e *Encoder) returnAddress(s *step.Step, cancels bool) schema.Null[schema.Address] {
	switch {
	case cancels:
		return schema.Of(s.At.Address)
	case e.stated.after == afterBranch:
		return e.stated.reached
	}
	switch s.Exception {
	case schema.ExcUndefined, schema.ExcPrefetchAbort, schema.ExcDataAbort:
		if e.stated.instruction.OK {
			return e.stated.instruction
		}
	default:
	}
	return e.stated.reached
}

// exceptionTo is the branch packet of an exception of the given type: r, or the
// old form of it.
func (e *Encoder) exceptionTo(to step.Place, r codec.Branch, x schema.ExceptionType) codec.Branch {
	number, ok := oldNumber(x, to)
	same := to.ISA == schema.A32 && to.Security == e.stated.Security && !e.stated.altISA
	if !ok || !same || e.opt.Minor > 3 || e.opt.ProfileM || !e.vary.Happens(e.vary.OldForm) {
		return e.branchTo(to, r)
	}
	old := codec.Branch{Old: true, Cancel: r.Cancel, Exception: number}
	e.setAddress(&old, to, encode.MaxAddressBytes)
	return old
}

// oldNumber is the number of an exception in the old form (§3.4.1): some have none
// and are known by their vector.
func oldNumber(x schema.ExceptionType, to step.Place) (uint16, bool) {
	switch x {
	case schema.ExcIRQ:
		return 1, true
	case schema.ExcFIQ:
		return 5, true
	case schema.ExcDataAbort:
		return 6, true
	case schema.ExcDebug:
		return 7, true
	default:
	}
	vectors := map[schema.ExceptionType]schema.Address{
		schema.ExcReset: 0, schema.ExcUndefined: 4, schema.ExcSVC: 8, schema.ExcPrefetchAbort: 12,
	}
	vector, ok := vectors[x]
	return 0, ok && to.Address&0x1f == vector
}

// begin traces an instruction that began where the exception s returns to and did
// not complete. It returns how: tracesPhantom, if the exception cancels it;
// tracesWhole, if it aborted and is not cancelled, or there is none; tracesHalf, if
// only its first half is traced.
func (e *Encoder) begin(s *step.Step) traces {
	in, ok := e.interrupted(s)
	if !ok {
		return tracesWhole
	}
	p := step.Step{At: s.At, Instruction: in, ContextID: s.ContextID, VMID: s.VMID}
	e.payBranch()
	e.truth.commitReturn()
	e.context(&p)
	e.sendDelayed()
	var cycles uint32
	if s.Cycles > 0 {
		cycles = 1
		s.Cycles--
	}
	e.cost(cycles)
	aborts := isFault(s.Exception) && !e.opt.ProfileM
	switch {
	case e.isTwo(&p) && !aborts && s.Exception != schema.ExcDebug && e.vary.Happens(e.vary.Halves):
		e.queue(atom{waits: e.waits, traces: tracesHalf, at: p.At, in: in})
		e.waits = 0
		return tracesHalf
	case aborts && (e.keepsAborts() || e.vary.Happens(e.vary.Cancel)):
		e.instructionAtoms(&p, tracesWhole)
		if s.Exception == schema.ExcDataAbort {
			e.beginData(&p, schema.DataAborted)
		}
		return tracesWhole
	}
	p.Failed = !e.opt.ProfileM && e.vary.Happens(e.vary.Cancel*e.vary.Cancel)
	if e.opt.CancelledAlone {
		e.isolate()
	}
	e.instructionAtoms(&p, tracesPhantom)
	e.beginData(&p, schema.DataCancelled)
	e.beginReturn(&p)
	return tracesPhantom
}

// keepsAborts says whether instructions that abort are not cancelled, since they
// could not be alone in a P-header.
func (e *Encoder) keepsAborts() bool {
	return e.opt.CancelledAlone && e.opt.CycleAccurate && e.opt.Minor < 3
}

// isolate separates the next atom from the atoms before it, if need be by an
// ignore packet, and from its Ws where the version can.
func (e *Encoder) isolate() {
	e.flush()
	if e.opt.Minor >= 3 {
		e.sendWaits(e.waits)
	}
	if e.alone {
		e.emit(codec.Packet{Kind: codec.Ignore})
	}
}

// interrupted is the instruction that the exception s may cancel. Debug entry
// and aborts always do, asynchronous exceptions may.
func (e *Encoder) interrupted(s *step.Step) (isa.Instruction, bool) {
	switch {
	case e.opt.Program == nil || e.faulted(s) && e.last.V.Trace == step.Traced:
		return isa.Instruction{}, false
	case s.Exception == schema.ExcDebug, isFault(s.Exception):
	case s.Exception == schema.ExcIRQ, s.Exception == schema.ExcFIQ, s.Exception == schema.ExcNMI,
		s.Exception == schema.ExcSysTick, s.Exception == schema.ExcPendSV, s.Exception == schema.ExcAsyncDataAbort:
		if !e.vary.Happens(e.vary.Cancel) {
			return isa.Instruction{}, false
		}
	default:
		return isa.Instruction{}, false
	}
	in, err := e.opt.Program.Instruction(s.At)
	return in, err == nil
}

// pause puts into r, the branch packet of the exception s, how far the load or
// store multiple of v7-M that it cancels had come.
func (e *Encoder) pause(s *step.Step, r *codec.Branch) {
	in, err := e.opt.Program.Instruction(s.At)
	if err != nil || isa.DataOf(in.Opcode, in.Size, s.At.ISA).Count < 2 || !e.vary.Happens(e.vary.Cancel) {
		return
	}
	r.HasResume, r.Resume = true, uint8(e.vary.UpTo(15))
	e.paused = schema.Of(pause{s.At.Address, r.Resume})
}

// returns traces that s returned from an exception. On A and R before v3.5 the
// return has no packet: it is known by its opcode (§3.8).
func (e *Encoder) returns(s *step.Step) {
	if !e.isReturn(s) || e.opt.returnsByOpcode() {
		return
	}
	e.flush()
	e.sendDelayed()
	at := e.emit(codec.Packet{Kind: codec.ExceptionReturn})
	e.truth.deferReturn(at)
	e.stated.popped = e.pop(s)
	e.timestamp(false)
}

// beginReturn sends the packet of a return that will be cancelled, row and all.
func (e *Encoder) beginReturn(s *step.Step) {
	if e.opt.ProfileM || e.opt.returnsByOpcode() || !e.isReturn(s) || !e.vary.Happens(e.vary.Cancel) {
		return
	}
	e.flush()
	e.emit(codec.Packet{Kind: codec.ExceptionReturn})
}

func (e *Encoder) isReturn(s *step.Step) bool {
	if e.opt.ProfileM {
		return s.Returns
	}
	return !s.Failed && s.Instruction.Kind == schema.KindExceptionReturn
}

// returnsByOpcode says whether returns have no packet of their own: on A and R
// before v3.5. In v7-M before v3.4, which no core has, nothing would trace them.
func (o *Options) returnsByOpcode() bool { return o.Minor < 5 && !o.ProfileM }
