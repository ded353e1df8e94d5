package etmv4

import "github.com/tracelake/tracelake/schema"

// This file takes the elements of transactions (ETE). What ran in one that fails did run, but is undone.

// setTransaction says whether the core is in a transaction. No register says whether it knows
// any: an ETE without them is in none.
func (d *Decoder) setTransaction(in bool) {
	if d.cfg.ETE {
		d.Rec.SetTransaction(in)
	}
}

// changeTransaction takes the start or the commit of a transaction.
func (d *Decoder) changeTransaction(kind Kind) {
	d.enter()
	event := schema.EventTransactionCommit
	if kind == TransactionStart {
		event = schema.EventTransactionStart
	}
	d.setTransaction(kind == TransactionStart)
	d.event(event, "")
}

// transactionFails takes the failure of a transaction: the flow goes on at the address that
// comes next.
func (d *Decoder) transactionFails() {
	d.setTransaction(false)
	d.event(schema.EventTransactionFail, "")
	d.lose(false)
}
