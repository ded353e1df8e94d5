package etmv4

import (
	"github.com/tracelake/tracelake/bench/step"
	codec "github.com/tracelake/tracelake/decode/etmv4"
	"github.com/tracelake/tracelake/schema"
)

// This file traces transactions of an ETE (§5.5).

// transact traces that a transaction ends: it fails in place of the next instruction, or s commits it. Where it
// fails, what ran since the last P0 instruction stays untraced.
func (e *Encoder) transact(s *step.Step) {
	switch s.Transaction {
	case step.Starts:
		e.transaction = true
		return
	case step.Keeps:
		return
	default:
		e.transaction = false
	}
	if !e.on || !e.opt.ETE {
		return
	}
	e.flush()
	if s.Transaction == step.Commits {
		e.changed(codec.Packet{Kind: codec.TransactionCommit}, schema.EventTransactionCommit)
		return
	}
	e.enterHandler(nil)
	e.waiting = nil
	failure := codec.Packet{Kind: codec.Exception, Exception: codec.ETETransactionFailure, Return: codec.ReturnFollows}
	e.changed(failure, schema.EventTransactionFail)
	e.flow.owed, e.flow.popped, e.flow.broadcast = true, false, false
}

// began traces that s, which was executed, begins a transaction.
func (e *Encoder) began(s *step.Step) {
	if s.Transaction != step.Starts || !e.opt.ETE {
		return
	}
	e.flush()
	e.changed(codec.Packet{Kind: codec.TransactionStart}, schema.EventTransactionStart)
	e.speculate()
}

// changed sends a packet that begins or ends a transaction.
func (e *Encoder) changed(p codec.Packet, event schema.EventKind) {
	starts := event == schema.EventTransactionStart
	at := e.emit(p)
	e.flow.transaction = starts
	e.truth.push(element{offset: at, p0: starts && !e.opt.CommTrans, time: e.now, tell: func() {
		e.truth.Transaction.V = starts
		e.truth.event(at, event, "")
	}})
}
