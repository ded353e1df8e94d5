// Package etmv2 is an ETM: it turns an execution into a stream of ETMv2.0 or 2.1,
// and into the rows a right decoder makes of that.
//
// With the decoder it shares the packet codec (decode/etmv2, here codec). What
// is sent when, and what it means, is written here a second time, from the
// specification alone. Section numbers are those of docs/etmv2.md.
//
// Its API is not stable (docs/guide/library.md).
package etmv2

import (
	"io"

	"github.com/tracelake/tracelake/bench/encode/pipestat"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth"
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// An Encoder is an ETM: an encoder of ETMv2.0 and 2.1. A unit of its stream is a
// sample, written as a record of port.SampleBytes. Without variation all leaves it
// as soon as it may.
//
// It is a step late: what an instruction puts into the FIFO depends on what comes
// next.
type Encoder struct {
	pipestat.ETM
	opt Options
	buf []byte

	due     []func() pipestat.Pins      // samples of a TFO value
	phantom schema.Null[step.Step]      // a direct branch, which the next status traces too
	begunAt schema.Null[schema.Address] // the instruction that the next exception cancels

	base decode.PC // the last address of code that was sent
	data dataTrace
	// second says that the next status is that of the second half of a pair.
	second bool
}

// New returns an encoder that writes to w, and the truth to rows.
func New(w io.Writer, rows truth.Rows, o Options) *Encoder {
	e := &Encoder{opt: o}
	err := e.opt.check()
	e.Port, e.Options = &e.opt.Config.Config, &e.opt.Options
	e.Protocol = pipestat.Protocol{
		Name: name, Number: '2', Idle: func() { e.clock(idle, nil) }, Enter: e.enter, Stop: e.stop, Leave: e.leave,
		Instruction: e.instruction, Exception: e.exception, End: e.end,
	}
	e.Begin(w, rows, err)
	return e
}

// end sends what waits to be sent.
func (e *Encoder) end() {
	e.endTrace(schema.ISyncTraceOn)
	e.settleData(true)
	for i := range e.data.lost {
		e.Rows.Rows.DataAccess(&e.data.lost[i].DataAccess)
	}
	e.drain()
	e.Samples.Fill(e.opt.Whole)
}

// leave takes a step that is not traced.
func (e *Encoder) leave(s *step.Step) {
	e.data.before = schema.Null[step.Step]{V: *s, OK: !s.Entered}
}

// stop ends tracing before s.
func (e *Encoder) stop(s *step.Step) {
	e.stopLate(s)
	e.endTrace(schema.ISyncTraceOn)
}

// stopLate ends tracing before the data of the last instructions is sent, if that is so:
// it still is theirs (A16).
func (e *Encoder) stopLate(s *step.Step) {
	if s.Trace != step.TraceOff || !e.Vary.Happens(e.Vary.After) {
		return
	}
	e.On = false
	for range 1 + e.Vary.UpTo(2) {
		e.clock(idle, nil)
	}
	e.finishData()
}

// endTrace ends tracing.
func (e *Encoder) endTrace(reason schema.ISyncReason) {
	if e.On {
		e.finishData()
	}
	e.On, e.Reason = false, reason
}
