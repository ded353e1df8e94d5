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
	pipestat.ETM
	opt Options

	held      schema.Null[step.Step] // an instruction that the exception after it traces
	cutDue    schema.Null[target]    // the branch after whose APO window a segment begins (§7.1)
	ownerless bool                   // an overflow took bytes: trace goes on with a restart

	base   schema.Address // the last address of code that was sent, with the Thumb bit
	halves halves
}

// New returns an encoder that writes to w, and the truth to rows.
func New(w io.Writer, rows truth.Rows, o Options) *Encoder {
	e := &Encoder{opt: o}
	err := e.opt.check()
	e.Port, e.Options = &e.opt.Config, &e.opt.Options
	e.Protocol = pipestat.Protocol{
		Name: name, Number: '1', Idle: func() { e.clock(idle, owed{}) }, Enter: e.enter, Stop: e.stop, Leave: e.leave,
		Instruction: e.instruction, Exception: e.exception, End: e.end,
	}
	e.Begin(w, rows, err)
	return e
}

// end sends what waits to be sent.
func (e *Encoder) end() {
	if e.ownerless {
		e.enter(&step.Step{At: e.Reached, ContextID: e.ContextID.V})
	}
	e.On = false
	e.drain()
	if at := e.Samples.Count(); e.Samples.Fill(e.opt.Whole) > 0 {
		e.cutAt(at)
	}
}

// stop ends tracing.
func (e *Encoder) stop(*step.Step) { e.On, e.Reason = false, schema.ISyncTraceOn }

// leave takes a step that is not traced.
func (e *Encoder) leave(*step.Step) {
	if e.ownerless {
		e.Reason = schema.ISyncOverflow
	}
}
