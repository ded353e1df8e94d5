package etmv2

import (
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
	if e.Reason == schema.ISyncOverflow || !e.Vary.Happens(e.Vary.Restart) {
		e.drain()
	}
	e.Room(mostTFO)
	e.settleData(e.Reason != schema.ISyncOverflow)
	e.data.lost = nil
	e.On = true
	e.Data.Full = true
	if e.inProgress(s) {
		return
	}
	e.tfo(e.Reason, s.At, s.ContextID, codec.TFO{})
	e.Reason = schema.ISyncTraceOn
}

// tfo sends a TFO for a place: that of the next instruction, or with reason 0 of the
// one that is executed in this cycle. P has what the packet has beside this.
func (e *Encoder) tfo(reason schema.ISyncReason, at step.Place, contextID uint32, p codec.TFO) (sample int64) {
	p.Reason, p.At = reason, decode.PC{Address: at.Address, ISA: at.ISA}
	p.ContextID = e.Traced(contextID)
	e.buf = e.opt.AppendTFO(e.buf[:0], p)
	sample, triggered := e.tfoCycle(e.buf)
	e.base, e.Reached = p.At, at
	e.SinceSync = 0
	first := e.Rows.Cut(sample, at.Address, reason)
	if first && e.opt.Lost > 0 {
		e.Data.Known = 0
	}
	if triggered {
		e.TriggerRow(sample)
	}
	if first || reason != schema.ISyncPeriodic {
		e.Rows.Restart(sample, reason, at.Address)
	}
	if e.opt.ContextIDBytes > 0 {
		e.SetContext(sample, p.ContextID, at.ISA)
	}
	return sample
}

// syncNow says whether the executed instruction of which packets follow is to be a
// TFO. Synchronisation waits for one without packets, half the period (§5.2).
func (e *Encoder) syncNow(packets bool) bool {
	period := e.opt.SyncPeriod
	due := period > 0 && e.SinceSync >= period || e.Vary.Happens(e.Vary.Sync/4)
	return due && (!packets || e.SinceSync >= period+period/2 || e.Vary.Happens(e.Vary.Sync))
}
