package stacks

import "github.com/tracelake/tracelake/schema"

// A step is what happens to the stack between two instructions.
type step struct {
	at       position
	what     what
	to       schema.Address              // where control goes, or what it continues with
	function int32                       // of that
	back     schema.Null[schema.Address] // return address of an exception
	entry    *entry                      // to an exception; nil: to none
	// timestamp is the last one before a step that may end an exception, by a switch of tasks too.
	timestamp schema.Null[uint64]
	context   identity // of a change of Context ID
}

// what a step is.
type what uint8

const (
	tail            what = iota // a branch into another function
	fall                        // from one function into the next
	indirect                    // a write to the PC that is neither a call nor a return
	goBack                      // a return
	exceptionReturn             //
	exception                   // entry
	tailChain                   // entry to one in place of the return from the last: it returns where that would have
	lostException               // entry to one of whose handler nothing is known
	vector                      // the first instruction of an exception jumps to the handler
	arrival                     // an instruction comes, whatever came before it
	gap                         // trace restarts, or something of the flow is lost
	newContext                  // the Context ID changes
)

// A position is between two instructions.
type position struct {
	seq   int64 // ordinal of the instruction after it
	cost  int64 // cycles of the instructions of the job before it: those between them are of no instruction
	cycle int64 // in the epoch, up to and including the last instruction that has it
	epoch int32
	timed bool // there is one in the epoch
}

// isAsync says whether the exception has nothing to do with what it interrupts.
func (e *entry) isAsync() bool {
	switch kind := e.exception.kind; kind.V {
	case schema.ExcIRQ, schema.ExcFIQ, schema.ExcNMI, schema.ExcAsyncDataAbort, schema.ExcSystemError, schema.ExcPendSV, schema.ExcSysTick:
		return kind.OK
	}
	return false
}

// An entry is a row of `exceptions` that enters one.
type entry struct {
	schema.Keys
	ordinal   int64
	exception exceptionOf
	timestamp schema.Null[uint64] // the last one before it
	cycles    int64               // the count in its packet, which belongs to the exception
}
