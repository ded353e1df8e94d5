package etmv2

import (
	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/step"
	"github.com/tracelake/tracelake/decode"
	codec "github.com/tracelake/tracelake/decode/etmv2"
	"github.com/tracelake/tracelake/schema"
)

// This file is where decoding may start: TFOs and their packets (§5.2, §5.3).

// mostTFO is how many bytes a TFO packet has at the most.
const mostTFO = 1 + 4 + 4 + 5

// enter turns trace on at s.
func (e *Encoder) enter(s *step.Step) {
	if e.reason == schema.ISyncOverflow || !e.vary.Happens(e.vary.Restart) {
		e.drain()
	}
	e.room(mostTFO)
	e.settleData(e.reason != schema.ISyncOverflow)
	e.data.lost = nil
	e.on = true
	e.data.full = true
	if e.inProgress(s) {
		return
	}
	e.tfo(e.reason, s.At, s.ContextID, codec.TFO{})
	e.reason = schema.ISyncTraceOn
}

// tfo sends a TFO for a place: that of the next instruction, or with reason 0 of the
// one that is executed in this cycle. P has what the packet has beside this.
func (e *Encoder) tfo(reason schema.ISyncReason, at step.Place, contextID uint32, p codec.TFO) (sample int64) {
	p.Reason, p.At = reason, decode.PC{Address: at.Address, ISA: at.ISA}
	p.ContextID = encode.ContextIDBits(contextID, e.opt.ContextIDBytes)
	e.buf = e.opt.AppendTFO(e.buf[:0], p)
	sample, triggered := e.tfoCycle(e.buf)
	e.base, e.reached = p.At, at
	e.sinceSync = 0
	first := e.rows.Cut(sample, at.Address, reason)
	if first && e.opt.Lost > 0 {
		e.data.known = 0
	}
	if triggered {
		e.rows.Event(sample, schema.EventTrigger, schema.Null[schema.Address]{}, "")
	}
	if first || reason != schema.ISyncPeriodic {
		e.rows.Restart(sample, reason, at.Address)
	}
	if e.opt.ContextIDBytes > 0 {
		e.setContext(sample, p.ContextID, at.ISA)
	}
	return sample
}

// setContext makes id the Context ID that was traced last.
func (e *Encoder) setContext(sample int64, id uint32, state schema.ISA) {
	e.contextID = schema.Of(id)
	e.rows.Context(sample, id, state)
}

// syncNow says whether the executed instruction of which packets follow is to be a
// TFO. Synchronisation waits for one without packets, half the period (§5.2).
func (e *Encoder) syncNow(packets bool) bool {
	period := e.opt.SyncPeriod
	due := period > 0 && e.sinceSync >= period || e.vary.Happens(e.vary.Sync/4)
	return due && (!packets || e.sinceSync >= period+period/2 || e.vary.Happens(e.vary.Sync))
}
