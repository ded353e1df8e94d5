// Package pft is a PTM: it turns an execution into a stream of Program Flow Trace
// 1.0 or 1.1, and into the rows a right decoder makes of that.
//
// With the decoder it shares the packet codec (decode/pft, here codec). What is
// sent when, and what it means, is written here a second time, from the
// specification alone. Section numbers are those of IHI 0035B.
//
// Its API is not stable (docs/guide/library.md).
package pft

import (
	"fmt"
	"io"
	"math"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth"
	"github.com/tracelake/tracelake/decode/isa"
	codec "github.com/tracelake/tracelake/decode/pft"
	"github.com/tracelake/tracelake/schema"
)

// An Encoder is a PTM: an encoder of Program Flow Trace 1.0 and 1.1. Without
// variation it goes by these rules, which are what hardware does: everything as
// soon as it may be sent, addresses and numbers in as few bytes as they need,
// atoms in packets of five.
//
// It knows no Jazelle state.
type Encoder struct {
	opt Options
	out io.Writer
	err error // the first

	truth rowWriter
	vary  dice
	buf   []byte
	bytes int64 // of the stream so far

	// Whether it traces; if not, the reason of the I-sync to come (§4.5.2).
	on     bool
	reason schema.ISyncReason

	core struct { // where the last step left the core
		known bool
		next  step.Place
		last  schema.Null[step.Place] // of the last step, if that was an instruction
	}
	stated       stated
	stack        []step.Place // return stack, top last
	atoms        uint8        // not sent yet: bit i is atom i, 1 is N
	atomsN       uint8
	waiting      []waiting // instructions that no packet has traced yet
	upToWaypoint int       // how many of them end with the last waypoint: its atom traces these
	straight     uint32    // bytes executed since the last waypoint

	now        uint64 // cycles since the start
	counted    uint64 // of them, those in counts that were sent
	waypointAt uint64 // time of the last waypoint, exception or I-sync

	sinceSync  int  // bytes since the last A-sync
	asyncSent  bool // an A-sync, and no I-sync since
	timeDue    bool
	triggerDue bool
}

// waiting is an instruction that no packet has traced yet.
type waiting struct {
	at          step.Place
	instruction isa.Instruction
	executed    schema.Null[bool] // the outcome that the packet will give
	// returned is the target from the return stack, if it changed the security state.
	returned schema.Null[step.Place]
}

// stated is what the stream stated last: the state from which a decoder continues.
type stated struct {
	step.Place                 // of the last I-sync or branch packet: LastState
	updated    step.Place      // of a waypoint update since then, else the same
	security   schema.Security // of an entry of the return stack since then, else the same
	contextID  schema.Null[uint32]
	vmid       schema.Null[uint32]
	timestamp  uint64 // as sent
}

// New returns an encoder that writes a stream to w and its truth to rows. An
// Instruction it gives them holds until the next one.
func New(w io.Writer, rows truth.Rows, o Options) *Encoder {
	if o.Minor == 0 {
		o.Timestamp64, o.TimestampGray, o.TraceVMID = false, true, false
	}
	return &Encoder{
		opt: o, out: w, reason: schema.ISyncTraceOn, vary: dice{o.Variation, encode.NewDice(o.Variation.Seed, 0)},
		truth: rowWriter{Recorder: encode.NewRecorder(rows, o.Lost, o.CycleAccurate)},
	}
}

// Close sends what waits to be sent and ends the stream. Instructions after the
// last waypoint stay untraced: no packet reports that they ran.
func (e *Encoder) Close() error {
	e.flush()
	e.truth.Close(e.bytes)
	return e.err
}

// Step traces one step. It fails if s does not start where the step before left
// the core, if it cannot be traced, or if the writer failed.
func (e *Encoder) Step(s *step.Step) error {
	if err := e.check(s); err != nil {
		return err
	}
	e.gate(s)
	if e.on && s.Entered && s.Exception == schema.ExcDebug {
		e.enterDebug()
	}
	e.now += uint64(s.Cycles)
	if e.countDue() && e.now-e.counted > math.MaxUint32 {
		return fmt.Errorf("encode/pft: at %s: more cycles since the last count than a count holds", s.At)
	}
	switch {
	case !e.on:
	case s.Entered:
		e.exception(s)
	default:
		e.instruction(s)
	}
	e.core.known, e.core.next = true, s.Next
	e.core.last = schema.Null[step.Place]{V: s.At, OK: !s.Entered}
	if e.on {
		e.synchronise()
	}
	return e.err
}

// check says why a step cannot be traced.
func (e *Encoder) check(s *step.Step) error {
	if s.Entered {
		if _, ok := encode.ExceptionNumbers[s.Exception]; !ok {
			return fmt.Errorf("encode/pft: at %s: exception %s is not traced here", s.At, s.Exception)
		}
	}
	if s.At.ISA == schema.Jazelle || s.Next.ISA == schema.Jazelle {
		return fmt.Errorf("encode/pft: at %s: Jazelle state is not traced here", s.At)
	}
	from := e.core.next
	switch {
	case !e.core.known || s.Exception == schema.ExcReset && s.Entered: // a reset has no return address
		return nil
	case s.Entered && s.Exception == schema.ExcUndefined && e.core.last.OK:
		from = e.core.last.V // the core has gone past it, in the sense of the trace
	}
	switch {
	case s.At == from:
		return nil
	case s.Entered:
		return fmt.Errorf("encode/pft: %s returns to %s, but the core is at %s", s.Exception, s.At, from)
	}
	return fmt.Errorf("encode/pft: instruction at %s, but the core is at %s", s.At, from)
}

// gate turns trace on and off before s, and sends a trigger that occurs there:
// while the FIFO is full, and before there is a stream, it has to wait.
func (e *Encoder) gate(s *step.Step) {
	e.triggerDue = e.triggerDue || s.Trigger
	switch s.Trace {
	case step.Traced:
		if !e.on {
			e.start(s)
		}
	case step.TraceOff:
		e.stop(schema.ISyncTraceOn)
	case step.Overflowed:
		e.stop(schema.ISyncOverflow)
	}
	if e.triggerDue && e.bytes > 0 && (e.on || e.reason != schema.ISyncOverflow) {
		e.triggerDue = false
		e.flush()
		sent := e.emit(codec.Packet{Kind: codec.Trigger})
		e.truth.Event(sent.offset, schema.EventTrigger, schema.Null[schema.Address]{}, "")
	}
}

// count gives p the cycles from the last count up to a time, if cycles are
// traced (§4.4).
func (e *Encoder) count(p *codec.Packet, until uint64) {
	if !e.opt.CycleAccurate {
		return
	}
	p.HasCycles, p.Cycles = true, uint32(min(until-e.counted, math.MaxUint32))
	p.CycleBytes = e.countBytes(p)
	e.counted = until
}

// countDue says whether the next count must be right: there is a stream that
// has counts, and what comes is not an I-sync whose count is unknown.
func (e *Encoder) countDue() bool {
	return e.opt.CycleAccurate && e.bytes > 0 && (e.on || e.countKnown(e.reason))
}

// countKnown says whether the count of an I-sync means something. After
// overflow and Debug state it does in PFT 1.0 alone (§4.4).
func (e *Encoder) countKnown(reason schema.ISyncReason) bool {
	return e.opt.Minor == 0 || reason == schema.ISyncTraceOn
}

// emit sends a packet, and returns what the rows made of it need.
func (e *Encoder) emit(p codec.Packet) sentPacket {
	e.ignore()
	by := sentPacket{offset: e.bytes, cycles: schema.Null[uint32]{V: p.Cycles, OK: p.HasCycles}, kind: countKinds[p.Kind]}
	e.send(p)
	return by
}

func (e *Encoder) send(p codec.Packet) {
	e.buf = e.opt.Append(e.buf[:0], p)
	e.bytes += int64(len(e.buf))
	e.sinceSync += len(e.buf)
	if e.err == nil {
		_, e.err = e.out.Write(e.buf)
	}
}

// countKinds are the kinds of the counts in packets.
var countKinds = map[codec.Kind]schema.CountKind{
	codec.Atom: schema.CountAtom, codec.BranchAddress: schema.CountBranch,
	codec.ISync: schema.CountISync, codec.Timestamp: schema.CountTimestamp,
}
