// Package etmv3 is an ETM: it turns an execution into a stream of ETMv3.0 to 3.5,
// and into the rows a right decoder makes of that.
//
// With the decoder it shares the packet codec (decode/etmv3, here codec). What
// is sent when, and what it means, is written here a second time, from the
// specification alone. Section numbers are those of docs/etmv3.md.
//
// Its API is not stable (docs/guide/library.md).
package etmv3

import (
	"fmt"
	"io"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth"
	codec "github.com/tracelake/tracelake/decode/etmv3"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// An Encoder is an ETM: an encoder of ETMv3.0 to 3.5. Without variation it
// follows the rules that silicon was seen to follow: atoms in P-headers as full as
// can be, addresses and numbers in as few bytes as they need, all else as soon
// as it may be sent; an exception takes the place of the branch packet of the
// instruction before it (§3.10).
//
// It knows no Jazelle.
type Encoder struct {
	opt  Options
	out  io.Writer
	err  error // of the options or of out, the first
	buf  []byte
	vary dice

	// The core and the trace unit.
	begun  bool                   // there was a step
	on     bool                   // tracing
	next   step.Place             // where the last step left the core
	last   schema.Null[step.Step] // the last instruction, traced or not
	reason schema.ISyncReason     // of the I-sync at which trace will continue
	gap    uint64                 // cycles that are not traced
	now    uint64                 // cycles since the start

	// What waits to be sent.
	atoms      []atom
	waits      uint64 // Ws after the last atom
	borrowed   uint64 // Ws sent before their time
	owes       bool   // a branch packet to next
	alone      bool   // the last packet was a P-header of one atom, or a cancel
	triggerDue bool
	paused     schema.Null[pause]
	sync       syncDue
	data       dataTrace

	stated stated
	truth  rowWriter
}

// New returns an encoder that writes to w, and the truth to rows.
func New(w io.Writer, rows truth.Rows, o Options) *Encoder {
	e := &Encoder{opt: o, out: w, err: o.check(), vary: newDice(o.Variation), reason: schema.ISyncTraceOn}
	e.truth.Recorder = encode.NewRecorder(rows, o.Lost, e.countsCycles())
	return e
}

// Close sends what waits to be sent and ends the truth. The encoder is of no use
// afterwards.
func (e *Encoder) Close() error {
	if e.on {
		e.sendOwed()
		e.closeData()
		e.sendWaits(e.waits)
		e.lateCount()
	}
	e.commitData(false)
	e.truth.Close(e.truth.bytes)
	return e.err
}

// Step traces one step. It fails if s does not start where the step before left
// the core, if it cannot be traced, or if the writer failed.
func (e *Encoder) Step(s *step.Step) error {
	if e.err != nil {
		return e.err
	}
	t := *s
	t.At, t.Next = e.opt.visible(s.At), e.opt.visible(s.Next)
	if err := e.traceable(&t); err != nil {
		return err
	}
	e.begun = true
	e.now += uint64(t.Cycles)
	e.sync.cycles += uint64(t.Cycles)
	e.triggerDue = e.triggerDue || t.Trigger
	if t.Trace != step.Traced {
		e.leave(&t)
		return e.err
	}
	if !e.on {
		e.enter(&t)
	}
	e.trigger()
	var err error
	switch {
	case e.opt.DataOnly:
		e.dataOnly(&t)
	case t.Entered:
		err = e.exception(&t)
	default:
		e.instruction(&t)
	}
	if err != nil {
		return err
	}
	return e.err
}

// visible is p as far as the trace can show it: without security extensions all
// is secure, without virtualization extensions Hyp mode is non-secure.
func (o *Options) visible(p step.Place) step.Place {
	switch {
	case !o.Security:
		p.Security = schema.Secure
	case p.Security == schema.Hyp && !o.Virtualization:
		p.Security = schema.NonSecure
	}
	return p
}

// traceable returns the reason why a step cannot be traced.
func (e *Encoder) traceable(s *step.Step) error {
	for _, p := range []step.Place{s.At, s.Next} {
		if p.ISA == schema.Jazelle || p.ISA == schema.T32EE && e.opt.Minor < 3 {
			return fmt.Errorf("encode/etmv3: at %s: v%s as encoded here does not trace that instruction set", p, e.opt.Version())
		}
	}
	switch {
	case !e.begun || s.At == e.next:
		return nil
	case !s.Entered:
		return fmt.Errorf("encode/etmv3: instruction at %s, but the core is at %s", s.At, e.next)
	case s.Exception == schema.ExcReset || e.faulted(s):
		return nil
	}
	return fmt.Errorf("encode/etmv3: %s returns to %s, but the core is at %s", s.Exception, s.At, e.next)
}

// faulted says whether the exception s is one that returns to the instruction
// just executed, as that of an undefined one.
func (e *Encoder) faulted(s *step.Step) bool {
	return s.At != e.next && e.last.OK && e.last.V.At == s.At && isFault(s.Exception)
}

// isFault says whether an exception's preferred return address is that of the
// instruction that made it.
func isFault(x schema.ExceptionType) bool {
	switch x {
	case schema.ExcUndefined, schema.ExcPrefetchAbort, schema.ExcDataAbort,
		schema.ExcHardFault, schema.ExcMemManage, schema.ExcBusFault, schema.ExcUsageFault, schema.ExcDebugMonitor:
		return true
	default:
		return false
	}
}

// leave takes a step that is not traced. It sends the branch packet that is owed
// for the last traced step, unless an overflow swallows it.
func (e *Encoder) leave(s *step.Step) {
	if e.on {
		if s.Trace == step.Overflowed && !e.vary.Happens(e.vary.Branch) {
			e.owes = false
		}
		e.sendOwed()
		e.breakData(s.Trace == step.Overflowed)
		if e.vary.Happens(e.vary.Packing) {
			e.sendWaits(e.waits)
		}
		e.stop(e.waits, schema.ISyncTraceOn)
	}
	switch {
	case s.Trace == step.Overflowed:
		e.reason = schema.ISyncOverflow
	case e.reason == schema.ISyncDebugExit:
		e.reason = schema.ISyncTraceOn // the first instruction after debug state is not traced
	}
	if s.Entered && s.Exception == schema.ExcDebug {
		e.reason = schema.ISyncDebugExit
	}
	e.gap += uint64(s.Cycles)
	e.moveCore(s)
}

// stop ends tracing: the gap begins with the cycles that were not sent.
func (e *Encoder) stop(gap uint64, reason schema.ISyncReason) {
	e.on, e.owes, e.waits, e.borrowed = false, false, 0, 0
	e.gap, e.reason = gap, reason
}

// moveCore puts the core where s leaves it.
func (e *Encoder) moveCore(s *step.Step) {
	e.next = s.Next
	e.last.OK = !s.Entered
	if !s.Entered {
		e.last.V = *s
	}
}

// sendOwed sends what is owed for the steps so far, except their cycles.
func (e *Encoder) sendOwed() {
	e.payBranch()
	e.flush()
	e.truth.commitReturn()
}

// instruction traces an instruction.
func (e *Encoder) instruction(s *step.Step) {
	e.cost(s.Cycles)
	e.payBranch()
	e.truth.commitReturn()
	e.context(s)
	e.idle()
	e.execute(s)
}

// execute traces that the instruction s was executed. Its cycles are counted
// already.
func (e *Encoder) execute(s *step.Step) {
	data := !s.Failed && e.isDataInstruction(s)
	if data {
		e.sendDelayed()
	}
	e.instructionAtoms(s, tracesWhole)
	if data {
		e.instructionData(s)
	}
	e.returns(s)
	e.moveCore(s)
	e.owes = e.owesBranch(s)
}

// owesBranch says whether a branch packet is owed for s: for an indirect branch,
// with broadcast for any taken one, and where the state changes (§3.10).
func (e *Encoder) owesBranch(s *step.Step) bool {
	taken := !s.Failed
	flow := s.Instruction.Flow
	switch {
	case taken && flow == isa.Indirect, taken && flow == isa.Direct && e.opt.Broadcast:
		return true
	case s.Next.Security != s.At.Security:
		return true
	case s.Next.ISA != s.At.ISA: // a direct branch: the change follows from the program, but hardware sends it (§4.2)
		interworking := s.Next.ISA != schema.T32EE && s.At.ISA != schema.T32EE
		return !interworking || !e.vary.Happens(e.vary.Branch)
	}
	return false
}

// trigger sends the trigger that is due.
func (e *Encoder) trigger() {
	if !e.triggerDue {
		return
	}
	e.triggerDue = false
	if !e.opt.DataOnly {
		e.flush()
	}
	at := e.emit(codec.Packet{Kind: codec.Trigger})
	e.truth.event(at, schema.EventTrigger, schema.Null[schema.Address]{})
}

// emit sends a packet, and returns its place in the stream.
func (e *Encoder) emit(p codec.Packet) int64 {
	e.buf = e.opt.Append(e.buf[:0], p)
	e.alone = p.Kind == codec.PHeader && p.Atoms.Count == 1 || p.Kind == codec.BranchAddress && p.Branch.Cancel
	at := e.truth.bytes
	e.truth.bytes += int64(len(e.buf))
	e.sync.bytes += uint64(len(e.buf))
	if e.err == nil {
		_, e.err = e.out.Write(e.buf)
	}
	return at
}
