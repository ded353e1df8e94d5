package decode

import "github.com/tracelake/tracelake/schema"

// A DataElement is one thing a stream reports about data. Whether and how it
// becomes a row of `data_accesses` depends on earlier elements, even of earlier
// segments; only the stitcher knows those.
type DataElement struct {
	// Key.Seq is the ordinal of the next instruction, unless the kind says
	// otherwise.
	schema.Key
	Kind DataElementKind

	// Of the packets about transfers.
	Tag         uint8          // 1 to 3: out of order
	NewAddress  bool           // the first transfer traced, or one not adjacent to the last
	AddressBits uint8          // how many low bits of Address were sent; 0: no address
	Address     schema.Address // as sent
	Value       uint32
	ValueTraced bool // values are traced
	// Alone, of ElementValue: without a pending transfer the value makes a row of its
	// own, of no instruction, and no event.
	Alone bool

	// Of an instruction: what it transfers.
	Count    uint8 // words, or single bytes and halfwords
	Size     uint8 // bytes of each
	Access   schema.Access
	Swap     bool // reads first, then writes
	InPlace  bool // a transfer without an address is where the one before was, not after it
	Register bool // between core and coprocessor: no address

	// Cancelable, of ElementPop and ElementAborted, is what a cancel right before
	// the element would take back. Seq names an instruction only if that is
	// CancelableInstruction.
	Cancelable Cancelable

	// Events is how many events the result had before the element.
	Events int

	// Since the previous element, or since the part began: instructions were
	// traced, and one of them has no row and may have transferred data.
	Instructions, Unplaced bool
}

// A DataElementKind is what a data element reports.
type DataElementKind uint8

// The kinds of data elements. Those up to ElementPop open a group of transfers,
// to which the transfer packets after it belong; to a stack frame only those up
// to the next instruction.
const (
	ElementInstruction DataElementKind = iota // Seq is the instruction that transfers
	ElementPush                               // an exception stacks registers (v7-M)
	ElementPop                                // a return unstacks them; Seq is the instruction that returns

	ElementTransfer    // the next transfer
	ElementPlaceholder // the next transfer, whose value comes later, under its tag
	ElementValue       // that value
	ElementNotTraced   // the next transfer, left out
	ElementStoreFailed // the previous transfer was of a store exclusive that failed
	ElementSuppressed  // packets are dropped from here on
	ElementCutShort    // the next transfer, of whose bytes an overflow dropped some: the last of its instruction
	ElementUnclaimed   // a transfer without a row: only its address counts, as the base of those to come

	ElementPaused          // the instruction continues after an exception
	ElementAborted         // the instruction Seq aborted
	ElementCancelled       // the instruction that had Seq was cancelled
	ElementTakenBack       // likewise, and its transfers make no rows
	ElementReturnCancelled // the return was cancelled, the instruction was not

	ElementEnded    // the last data instruction transfers no more; values may still come
	ElementForgot   // values that were to come will not: their transfers make no rows
	ElementRestart  // trace restarts
	ElementOverflow // trace restarts after an overflow
	ElementLost     // packet sync is lost

	ElementNothing // the part ends: Instructions and Unplaced since the previous element
)

// NamesEarlier reports whether Seq names an instruction before the data element,
// not the next one.
func (x *DataElement) NamesEarlier() bool {
	return x.Kind == ElementInstruction || x.Kind == ElementPop || x.Kind == ElementAborted
}
