// Package etmv4 is a trace unit of ETMv4 or ETE: it turns an execution into a stream of
// ETMv4.0 to 4.6 or ETE 1.0 to 1.3, and into the rows a right decoder makes of that.
//
// With the decoder it shares the packet codec and the state of packets (decode/etmv4, here
// codec). What is sent when, and what it means, is written here a second time, from the
// specification alone. Section numbers are those of docs/etmv4.md.
//
// Its API is not stable (docs/guide/library.md).
package etmv4

import (
	"fmt"
	"io"

	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth"
	codec "github.com/tracelake/tracelake/decode/etmv4"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// An Encoder is a trace unit. Without variation it goes by these rules, which are what
// hardware does: atoms in as few packets as they need, addresses in the shortest form, and
// all else as soon as it may be sent. Where elements may be speculative, some are of paths
// that the core did not take, and commits come late.
//
// It knows no ThumbEE and no Jazelle state, and neither data trace nor loads and stores as P0
// elements.
type Encoder struct {
	opt Options
	out io.Writer
	err error // the first

	truth rowWriter
	vary  dice
	buf   []byte
	bytes int64       // of the stream so far
	state codec.State // what the packets so far have told

	// Whether it traces. If not, whether an A-sync has to come first: at the start, and after an
	// Overflow or a Discard.
	on, mustSync bool
	overflowed   bool // since the last Trace On
	transaction  bool // the core is in one

	core struct { // where the last step left the core
		known bool
		next  step.Place
		last  schema.Null[step.Place] // of the last step, if that was an instruction
	}
	flow     flow
	waiting  []instruction // since the last P0 instruction
	pending  []element     // atoms that are not sent yet
	q        stretch
	now      uint64 // cycles since the start
	counts   counter
	entering *entry // the row of an exception whose handler is not told yet
	returned bool   // the last instruction returned from an exception, and no packet says so yet

	sinceSync int // bytes since the last A-sync
	timeDue   bool
	triggers  uint8 // events that occurred and are not sent
}

// New returns an encoder that writes a stream to w and its truth to rows. An Instruction it
// gives them holds until the next one.
func New(w io.Writer, rows truth.Rows, o Options) *Encoder {
	e := &Encoder{
		opt: o, out: w, mustSync: true, vary: dice{o.Variation, encode.NewDice(o.Variation.Seed, 4)},
		truth: rowWriter{Recorder: encode.NewRecorder(rows, o.Lost, o.CycleCounting)},
	}
	e.truth.opt = &e.opt
	e.truth.Transaction.OK = o.ETE
	return e
}

// Close sends what waits to be sent and ends the stream. Instructions after the last P0
// instruction stay untraced: no packet says that they ran.
func (e *Encoder) Close() error {
	e.endQ(e.core.next)
	e.flush()
	e.resolveAll()
	e.enterHandler(nil)
	e.truth.end("end of trace", e.truth.lastPacket)
	e.truth.Close(e.bytes)
	return e.err
}

// Step traces one step. It fails if s does not start where the step before left the core, if
// it cannot be traced, or if the writer failed.
func (e *Encoder) Step(s *step.Step) error {
	if err := e.check(s); err != nil {
		return err
	}
	e.gate(s)
	if e.q.active {
		e.endQBefore(s)
	}
	e.transact(s)
	switch {
	case !e.on, s.Transaction == step.Fails:
		e.now += uint64(s.Cycles)
	case s.Entered:
		e.now += uint64(s.Cycles)
		e.exception(s)
	default:
		if len(e.waiting) == 0 && !e.q.active {
			e.settle(s)
		}
		e.now += uint64(s.Cycles)
		e.instruction(s)
		e.began(s)
	}
	e.core.known, e.core.next = true, s.Next
	e.core.last = schema.Null[step.Place]{V: s.At, OK: !s.Entered && s.Transaction != step.Fails}
	return e.err
}

// check says why a step cannot be traced.
func (e *Encoder) check(s *step.Step) error {
	if s.Entered {
		if _, err := e.exceptionNumber(s); err != nil {
			return err
		}
	}
	for _, at := range []step.Place{s.At, s.Next} {
		if at.ISA == schema.Jazelle || at.ISA == schema.T32EE {
			return fmt.Errorf("encode/etmv4: at %s: there is no such state in ETMv4", at)
		}
	}
	switch {
	case !e.core.known || s.Exception == schema.ExcReset && s.Entered: // a reset has no return address
		return nil
	case s.At == e.core.next, s.Entered && e.core.last == schema.Of(s.At): // of an instruction that was not executed after all
		return nil
	case s.Entered:
		return fmt.Errorf("encode/etmv4: %s returns to %s, but the core is at %s", s.Exception, s.At, e.core.next)
	}
	return fmt.Errorf("encode/etmv4: instruction at %s, but the core is at %s", s.At, e.core.next)
}

// gate turns trace on and off before s, and takes the event that occurs there.
func (e *Encoder) gate(s *step.Step) {
	if s.Trigger {
		e.triggers |= 1
	}
	switch s.Trace {
	case step.Traced:
		if !e.on {
			e.start(s)
		}
	case step.TraceOff:
		e.stop()
	case step.Overflowed:
		e.overflow()
	}
	if e.on && e.triggers != 0 && !e.q.active {
		e.flush()
		e.events(e.triggers)
		e.triggers = 0
	}
}

// emit sends a packet, and returns its place in the stream.
func (e *Encoder) emit(p codec.Packet) (at int64) {
	if e.bytes > 0 && e.opt.ignores() && !e.mustSync && e.vary.Happens(e.vary.Ignores) {
		e.send(codec.Packet{Kind: codec.Ignore})
	}
	at = e.bytes
	e.send(p)
	return at
}

func (e *Encoder) send(p codec.Packet) {
	e.truth.lastPacket = e.bytes
	e.buf = e.opt.Append(e.buf[:0], p)
	e.state.Apply(&e.opt.Config, &p)
	e.bytes += int64(len(e.buf))
	e.sinceSync += len(e.buf)
	if e.err == nil {
		_, e.err = e.out.Write(e.buf)
	}
}

// classify reads an instruction as a trace unit of ETMv4 does.
func (e *Encoder) classify(s *step.Step) isa.Instruction {
	in, dialect := s.Instruction, isa.ETMv4
	if e.opt.Profile == profileM {
		dialect = isa.ETMv4M
	}
	switch {
	case s.At.ISA == schema.A64:
		return in
	case s.At.ISA == schema.A32:
		return dialect.A32(in.Opcode, s.At.Address)
	case in.Size == 4:
		return dialect.T32(uint16(in.Opcode>>16), uint16(in.Opcode), s.At.Address, false)
	}
	return dialect.T32(uint16(in.Opcode), 0, s.At.Address, false)
}
