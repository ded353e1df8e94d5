package pipestat

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/schema"
)

// An ETM is what both encoders have: a core whose steps they follow, a FIFO, samples and
// truth, and what the stream has stated. Without variation all leaves it as soon as it may.
//
// It is a step late: the status of an instruction, and what it puts into the FIFO, depend on
// what comes next.
type ETM struct {
	Protocol Protocol
	Port     *port.Config
	Options  *Options
	Vary     Dice
	Samples  Samples
	FIFO     FIFO
	Rows     Rows

	On         bool                // tracing
	Reason     schema.ISyncReason  // of the restart at which trace will continue
	Reached    step.Place          // by the flow as traced
	TriggerDue bool                // a trigger waits to be sent
	ContextID  schema.Null[uint32] // that was traced last
	Data       DataAddresses

	// SinceSync and SinceAddress are the samples since the last synchronisation, and the last
	// whole address of data.
	SinceSync, SinceAddress int
	// Pairs are those between whose halves exceptions came: who returns there may go on with
	// the second half.
	Pairs []step.Place

	err   error // of the options
	begun bool
	next  step.Place             // where the last step left the core
	waits schema.Null[step.Step] // the last step
}

// A Protocol is what an ETM does as its protocol has it.
type Protocol struct {
	Name        string // for errors
	Number      uint64 // of its dice
	Idle        func() // a cycle in which nothing is traced
	Enter       func(s *step.Step)
	Stop        func(s *step.Step) // ends tracing before s
	Leave       func(s *step.Step) // takes a step that is not traced
	Instruction func(s, next *step.Step)
	Exception   func(s, next *step.Step)
	End         func() // sends what waits to be sent
}

// DataAddresses are those of data that the stream has stated.
type DataAddresses struct {
	Full  bool           // the next one is to be whole
	Base  schema.Address // the last one
	Known uint8          // how many of its low bits are stated
}

// Begin readies e, of which Protocol, Port and Options are set, to write to w, and the truth
// to rows. Err says why there is no such ETM.
func (e *ETM) Begin(w io.Writer, rows truth.Rows, err error) {
	e.err, e.Reason = err, schema.ISyncTraceOn
	e.Vary = newDice(e.Options.Variation, e.Protocol.Number)
	e.Samples = Samples{Out: w, Width: e.Port.Width, DropDisabled: e.Options.DropDisabled, Undefined: e.Vary.pins}
	e.FIFO.Width = e.Port.Width
	e.Rows = newRows(rows, e.Options.Lost, e.Port.CycleAccurate)
}

// Step traces one step. It fails if s does not start where the step before left
// the core, if it cannot be traced, or if the writer failed.
func (e *ETM) Step(s *step.Step) error {
	if err := cmp.Or(e.err, e.Samples.Err()); err != nil {
		return err
	}
	t := *s
	t.At.Security, t.Next.Security = schema.Secure, schema.Secure // these cores have no other state
	if err := e.traceable(&t); err != nil {
		return err
	}
	before := e.waits
	e.begun, e.next, e.waits = true, t.Next, schema.Of(t)
	if before.OK {
		e.trace(&before.V, &e.waits.V)
	}
	return e.Samples.Err()
}

// Close sends what waits to be sent and ends the truth. The encoder is of no use
// afterwards.
func (e *ETM) Close() error {
	if e.err != nil {
		return e.err
	}
	if e.waits.OK {
		e.trace(&e.waits.V, &step.Step{Trace: step.TraceOff})
	}
	e.Protocol.End()
	e.Rows.Close(e.Samples.Count())
	return e.Samples.Err()
}

// traceable returns the reason why a step cannot be traced.
func (e *ETM) traceable(s *step.Step) error {
	name := e.Protocol.Name
	for _, p := range []step.Place{s.At, s.Next} {
		if p.ISA > schema.T32 {
			return fmt.Errorf("encode/%s: at %s: only A32 and T32 are traced here", name, p)
		}
	}
	_, vector := e.Vector(s.Next)
	switch {
	case s.Entered && s.Exception != schema.ExcDebug && !vector:
		return fmt.Errorf("encode/%s: %s enters at %s, which is no vector", name, s.Exception, s.Next)
	case !e.begun || s.At == e.next:
		return nil
	case !s.Entered:
		return fmt.Errorf("encode/%s: instruction at %s, but the core is at %s", name, s.At, e.next)
	case s.Exception == schema.ExcReset || IsFaultOf(s, &e.waits.V):
		return nil
	}
	return fmt.Errorf("encode/%s: %s returns to %s, but the core is at %s", name, s.Exception, s.At, e.next)
}

// trace traces a step, with the one that follows it.
func (e *ETM) trace(s, next *step.Step) {
	e.TriggerDue = e.TriggerDue || s.Trigger
	if s.Trace != step.Traced {
		e.leave(s)
		return
	}
	if !e.On {
		e.Protocol.Enter(s)
	}
	if s.Entered {
		e.Protocol.Exception(s, next)
		return
	}
	e.Protocol.Instruction(s, next)
}

// leave takes a step that is not traced.
func (e *ETM) leave(s *step.Step) {
	if e.On {
		e.Protocol.Stop(s)
	}
	switch {
	case s.Trace == step.Overflowed:
		e.Reason = schema.ISyncOverflow
	case e.Reason == schema.ISyncDebugExit:
		e.Reason = schema.ISyncTraceOn // the first instruction after debug state is not traced
	}
	if s.Entered && s.Exception == schema.ExcDebug {
		e.Reason = schema.ISyncDebugExit
	}
	e.Protocol.Leave(s)
	e.Protocol.Idle()
}

// mostStall is how many samples of a stall are traced.
const mostStall = 255

// Wait lets the cycles pass in which nothing is traced before s.
func (e *ETM) Wait(s *step.Step) {
	if e.Port.CycleAccurate && e.Options.Idle == 0 {
		for range min(max(s.Cycles, 1)-1, mostStall) {
			e.Protocol.Idle()
		}
	}
	for e.Vary.Happens(e.Options.Idle) || e.Vary.Happens(e.Vary.Idle) {
		e.Protocol.Idle()
	}
}

// Room waits until the FIFO has room for n bytes, or is empty.
func (e *ETM) Room(n int) {
	for e.FIFO.Len() > 0 && e.FIFO.Len()+n > e.Options.FIFO {
		e.Protocol.Idle()
	}
}

// Write writes a sample, and reports whether it was not dropped.
func (e *ETM) Write(status uint8, p Pins) bool {
	written := e.Samples.Write(status, p)
	e.Rows.Tick()
	e.SinceSync++
	e.SinceAddress++
	return written
}

// Trigger reports whether the next sample is to show a trigger, which then is no longer due.
func (e *ETM) Trigger() bool {
	due := e.TriggerDue
	e.TriggerDue = false
	return due
}

// TriggerRow enters the row of a trigger.
func (e *ETM) TriggerRow(at int64) {
	e.Rows.Event(at, schema.EventTrigger, schema.Null[schema.Address]{}, "")
}

// Traced is as much of a Context ID as is traced.
func (e *ETM) Traced(id uint32) uint32 { return encode.ContextIDBits(id, e.Port.ContextIDBytes) }

// ContextChanges says whether the Context ID of the next step is another than the
// one traced last.
func (e *ETM) ContextChanges(next *step.Step) bool {
	return e.Port.ContextIDBytes > 0 && next.Trace == step.Traced && e.ContextID != schema.Of(e.Traced(next.ContextID))
}

// SetContext makes id the Context ID that was traced last.
func (e *ETM) SetContext(at int64, id uint32, state schema.ISA) {
	e.ContextID = schema.Of(id)
	e.Rows.Context(at, id, state)
}

// InstructionRow enters an instruction, whose status is in a sample, and a return from an
// exception if it is one. It returns its ordinal.
func (e *ETM) InstructionRow(at int64, s *step.Step) (seq int64) {
	seq = e.Rows.Instruction(at, s.At, &s.Instruction, !s.Failed)
	if !s.Failed && s.Instruction.Kind == schema.KindExceptionReturn {
		e.Rows.Return(at)
	}
	return seq
}

// Vector returns the exception whose vector a place is.
func (e *ETM) Vector(p step.Place) (schema.ExceptionType, bool) { return vector(p, e.Port.Vectors()) }

// DataAddressBytes is how many bytes to send of the address of a transfer, which becomes the
// last one: as many as changed, or all where that is due; and how many bits they have.
func (e *ETM) DataAddressBytes(address schema.Address) (bytes, bits uint8) {
	n := e.Vary.Bytes(e.Vary.Longer, uint8(port.DataAddressBytes(address, e.Data.Base)), encode.MaxAddressBytes)
	if period := e.Options.SyncPeriod; e.Data.Full || period > 0 && e.SinceAddress >= period {
		n = encode.MaxAddressBytes
		e.Data.Full, e.SinceAddress = false, 0
	}
	e.Data.Base = address
	return n, min(7*n, 32)
}

// AccessRow is the row of a transfer, without its key.
func (e *ETM) AccessRow(t *step.Transfer, position int) truth.DataAccess {
	row := truth.DataAccess{Position: uint16(position), Size: schema.Of(t.Size), Access: schema.Of(t.Access)}
	if e.Port.DataAddress && !t.Register && e.Data.Known == 32 {
		row.Address = schema.Of(t.Address)
	}
	if e.Port.DataValue {
		row.Value = schema.Of(uint64(t.Value))
	}
	return row
}

// Resumes says whether an instruction returns to the second half of the pair that comes
// next.
func (e *ETM) Resumes(s, next *step.Step) bool {
	return s.Instruction.Kind == schema.KindExceptionReturn && !next.Entered && next.Trace == step.Traced &&
		IsPair(next) && slices.Contains(e.Pairs, next.At) && e.Vary.Happens(e.Vary.Halves)
}

// IsFaultOf says whether the exception s is one that the instruction before made
// and that returns to it, as that of an undefined one.
func IsFaultOf(s, before *step.Step) bool {
	if !s.Entered || before.Entered || s.At != before.At {
		return false
	}
	switch s.Exception {
	case schema.ExcUndefined, schema.ExcPrefetchAbort, schema.ExcDataAbort:
		return true
	default:
		return false
	}
}

// IsPair says whether an instruction has two statuses: a Thumb BL or BLX (§6.2).
func IsPair(s *step.Step) bool { return s.At.ISA == schema.T32 && s.Instruction.Size == 4 }
