package decode

import "github.com/tracelake/tracelake/schema"

// A DataElement is one thing a stream tells about data. Whether and how it becomes a
// row of `data_accesses` depends on what came before it, in whatever segment
// that was: the stitcher knows.
type DataElement struct {
	// Key.Seq is that of the next instruction, but where the kind says
	// otherwise.
	schema.Key
	Kind DataElementKind

	// Of the packets about transfers.
	Tag         uint8  // 1 to 3: out of order
	NewAddress  bool   // the first transfer traced, or one not behind the last
	AddressBits uint8  // how many low bits of Address were sent, 0 without
	Address     uint32 // as sent
	Value       uint32
	ValueTraced bool // values are traced

	// Of an instruction: what it transfers.
	Count    uint8 // words, or single bytes and halfwords
	Size     uint8 // bytes of each
	Access   schema.Access
	Swap     bool // reads first, then writes
	Register bool // between core and coprocessor: no address

	// Act, of ElementPop and ElementAborted, is the last act before it: Seq is only
	// an instruction if that is one.
	Cancelable Cancelable

	// Events is how many events the unit had.
	Events int

	// Told since the datum before, or since the part began: instructions, and
	// among them some without a row that may have transferred data.
	Instructions, Unplaced bool
}

// A DataElementKind is what a datum says.
type DataElementKind uint8

// The data. Those up to ElementPop open a group of transfers: the packets of
// transfers behind belong to it, to a stack frame up to the next instruction.
const (
	ElementInstruction DataElementKind = iota // Seq is the instruction that transfers
	ElementPush                               // an exception stacks registers (v7-M)
	ElementPop                                // a return unstacks them; Seq is the instruction that returns

	ElementTransfer    // the next transfer
	ElementPlaceholder // the next transfer, whose value comes later, under its tag
	ElementValue       // that value
	ElementNotTraced   // the next transfer, left out
	ElementStoreFailed // the transfer before was of a store exclusive that failed
	ElementSuppressed  // packets are dropped from here on

	ElementPaused          // the instruction goes on after an exception
	ElementAborted         // the instruction Seq aborted
	ElementCancelled       // the instruction that had Seq was cancelled
	ElementReturnCancelled // the return was cancelled, the instruction was not

	ElementRestart  // trace restarts
	ElementOverflow // so it does, after an overflow
	ElementLost     // packet sync is lost

	ElementNothing // the part ends: only what was told since the datum before
)

// NamesEarlier says whether Seq is that of an instruction before the datum,
// instead of the next one.
func (x *DataElement) NamesEarlier() bool {
	return x.Kind == ElementInstruction || x.Kind == ElementPop || x.Kind == ElementAborted
}
