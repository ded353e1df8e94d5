// Package etmv1 is an ETM: it turns an execution into a stream of ETMv1.0 to 1.3,
// and into the rows a right decoder makes of that.
//
// With the decoder it shares the packet codec (decode/etmv1, here codec). What
// is sent when, and what it means, is written here a second time, from the
// specification alone. Section numbers are those of docs/etmv2.md.
//
// Its API is not stable (docs/guide/library.md).
package etmv1

import (
	"io"

	"github.com/tracelake/tracelake/bench/encode/pipestat"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/bench/truth"
	"github.com/tracelake/tracelake/schema"
)

// An Encoder is an ETM: an encoder of ETMv1.0 to 1.3. A unit of its stream is a
// sample, written as a record of port.SampleBytes. Without variation all leaves it
// as soon as it may. It knows no Jazelle.
//
// It is a step late: the status of an instruction depends on what comes next.
type Encoder struct {
	opt     Options
	err     error // of the options
	vary    dice
	samples pipestat.Samples
	fifo    pipestat.FIFO
	rows    pipestat.Rows

	// The core and the trace unit.
	core    pipestat.Core
	on      bool               // tracing
	reason  schema.ISyncReason // of the branch at which trace will continue
	reached step.Place         // by the flow as traced

	// What waits to be sent.
	triggerDue bool
	held       schema.Null[step.Step] // an instruction that the exception after it traces
	cutDue     schema.Null[target]    // the branch after whose APO window a segment begins (§7.1)
	ownerless  bool                   // an overflow took bytes: trace goes on with a restart

	sinceFull, sinceAddress int            // samples since the last whole address of code, and of data
	base                    schema.Address // the last address of code that was sent, with the Thumb bit
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
	e.core = pipestat.Core{Encoder: "etmv1", Vectors: o.Vectors()}
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
	if e.ownerless {
		e.enter(&step.Step{At: e.reached, ContextID: e.contextID.V})
	}
	e.on = false
	e.drain()
	if at := e.samples.Count(); e.samples.Fill(e.opt.Whole) > 0 {
		e.cutAt(at)
	}
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
		e.exception(s, next)
		return
	}
	e.instruction(s, next)
}

// leave takes a step that is not traced.
func (e *Encoder) leave(s *step.Step) {
	if e.on {
		e.on, e.reason = false, schema.ISyncTraceOn
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
	if e.ownerless {
		e.reason = schema.ISyncOverflow
	}
	e.clock(idle, owed{})
}

// wait lets the cycles pass in which nothing is traced before s.
func (e *Encoder) wait(s *step.Step) {
	if e.opt.CycleAccurate && e.opt.Idle == 0 {
		for range pipestat.Waits(s) {
			e.clock(idle, owed{})
		}
	}
	for e.vary.Happens(e.opt.Idle) || e.vary.Happens(e.vary.Idle) {
		e.clock(idle, owed{})
	}
}
