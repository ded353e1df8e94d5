package etmv4

import "github.com/tracelake/tracelake/schema"

// This file takes the elements of transactions (ETE). What ran in one that fails did run, but is undone.

// inTransaction reports whether INFO says that the core is in a transaction.
func (d *Decoder) inTransaction(info uint32) bool { return d.cfg.ETE && info&InfoTransaction != 0 }

// changeTransaction takes the start or the commit of a transaction.
func (d *Decoder) changeTransaction(kind Kind) {
	d.enter()
	event := schema.EventTransactionCommit
	if d.transaction = kind == TransactionStart; d.transaction {
		event = schema.EventTransactionStart
	}
	d.event(event, "")
}

// transactionFails takes the failure of a transaction: the flow goes on at the address that
// comes next.
func (d *Decoder) transactionFails() {
	d.transaction = false
	d.event(schema.EventTransactionFail, "")
	d.lose(false)
}
