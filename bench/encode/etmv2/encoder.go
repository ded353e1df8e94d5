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
	opt     Options
	err     error // of the options
	vary    dice
	samples pipestat.Samples
	fifo    pipestat.FIFO
	rows    pipestat.Rows
	buf     []byte

	// The core and the trace unit.
	core   pipestat.Core
	on     bool               // tracing
	reason schema.ISyncReason // of the TFO at which trace will continue

	// What waits to be sent.
	triggerDue bool
	due        []func() pipestat.Pins      // samples of a TFO value
	phantom    schema.Null[step.Step]      // a direct branch, which the next status traces too
	begunAt    schema.Null[schema.Address] // the instruction that the next exception cancels

	sinceSync, sinceAddress int        // samples since the last TFO, and whole data address
	base                    decode.PC  // the last address of code that was sent
	reached                 step.Place // by the flow as traced
	contextID               schema.Null[uint32]
	data                    dataTrace
	halves                  halves
}

// New returns an encoder that writes to w, and the truth to rows.
func New(w io.Writer, rows truth.Rows, o Options) *Encoder {
	err := o.check()
	e := &Encoder{opt: o, err: err, vary: newDice(o.Variation), reason: schema.ISyncTraceOn}
	e.samples = pipestat.Samples{
		Out: w, Width: o.Width, DropDisabled: o.DropDisabled,
		Undefined: func() uint16 { return e.vary.Pins(e.vary.Undefined) },
	}
	e.fifo.Width = o.Width
	e.core = pipestat.Core{Encoder: "etmv2", Vectors: o.Vectors()}
	e.rows = pipestat.NewRows(rows, o.Lost, o.CycleAccurate)
	return e
}

// Step traces one step. It fails if s does not start where the step before left
// the core, if it cannot be traced, or if the writer failed.
func (e *Encoder) Step(s *step.Step) error {
	if e.err != nil {
		return e.err
	}
	return e.core.Step(s, &e.samples, e.trace)
}

// Close sends what waits to be sent and ends the truth. The encoder is of no use
// afterwards.
func (e *Encoder) Close() error {
	if e.err != nil {
		return e.err
	}
	if last := e.core.Last(); last.OK {
		e.trace(&last.V, &step.Step{Trace: step.TraceOff})
	}
	e.stop(schema.ISyncTraceOn)
	e.settleData(true)
	for i := range e.data.lost {
		e.rows.Rows.DataAccess(&e.data.lost[i].DataAccess)
	}
	e.drain()
	e.samples.Fill(e.opt.Whole)
	e.rows.Close(e.samples.Count())
	return e.samples.Err()
}

// trace traces a step, with the one that follows it.
func (e *Encoder) trace(s, next *step.Step) {
	e.triggerDue = e.triggerDue || s.Trigger
	if s.Trace != step.Traced {
		e.leave(s)
		return
	}
	if !e.on {
		e.enter(s)
	}
	if s.Entered {
		e.exception(s)
		return
	}
	e.instruction(s, next)
}

// leave takes a step that is not traced.
func (e *Encoder) leave(s *step.Step) {
	if e.on {
		e.stopLate(s)
		e.stop(schema.ISyncTraceOn)
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
	e.data.before = schema.Null[step.Step]{V: *s, OK: !s.Entered}
	e.clock(idle, nil)
}

// stopLate ends tracing before the data of the last instructions is sent, if that is so:
// it still is theirs (A16).
func (e *Encoder) stopLate(s *step.Step) {
	if s.Trace != step.TraceOff || !e.vary.Happens(e.vary.After) {
		return
	}
	e.on = false
	for range 1 + e.vary.UpTo(2) {
		e.clock(idle, nil)
	}
	e.finishData()
}

// stop ends tracing.
func (e *Encoder) stop(reason schema.ISyncReason) {
	if e.on {
		e.finishData()
	}
	e.on, e.reason = false, reason
}

// wait lets the cycles pass in which nothing is traced before s.
func (e *Encoder) wait(s *step.Step) {
	if e.opt.CycleAccurate && e.opt.Idle == 0 {
		for range pipestat.Waits(s) {
			e.clock(idle, nil)
		}
	}
	for e.vary.Happens(e.opt.Idle) || e.vary.Happens(e.vary.Idle) {
		e.clock(idle, nil)
	}
}
