package decode

import "github.com/tracelake/tracelake/schema"

// A Datum is one thing a stream tells about data. Whether and how it becomes a
// row of `data_accesses` depends on what came before it, in whatever segment
// that was: the stitcher knows.
type Datum struct {
	// Key.Seq is that of the next instruction, but where the kind says
	// otherwise.
	schema.Key
	Kind DatumKind

	// Of the packets about transfers.
	Tag         uint8  // 1 to 3: out of order
	NewAddress  bool   // the first transfer traced, or one not behind the last
	AddressBits uint8  // how many low bits of Address were sent, 0 without
	Address     uint32 // as sent
	Value       uint32
	ValueTold   bool // values are traced

	// Of an instruction: what it transfers.
	Count    uint8 // words, or single bytes and halfwords
	Size     uint8 // bytes of each
	Access   schema.Access
	Swap     bool // reads first, then writes
	Register bool // between core and coprocessor: no address

	// Act, of DatumPop and DatumAborted, is the last act before it: Seq is only
	// an instruction if that is one.
	Act Act

	// Events is how many events the unit had.
	Events int

	// Told since the datum before, or since the part began: instructions, and
	// among them some without a row that may have transferred data.
	Instructions, Unplaced bool
}

// A DatumKind is what a datum says.
type DatumKind uint8

// The data. Those up to DatumPop open a group of transfers: the packets of
// transfers behind belong to it, to a stack frame up to the next instruction.
const (
	DatumInstruction DatumKind = iota // Seq is the instruction that transfers
	DatumPush                         // an exception stacks registers (v7-M)
	DatumPop                          // a return unstacks them; Seq is the instruction that returns

	DatumTransfer    // the next transfer
	DatumPlaceholder // the next transfer, whose value comes later, under its tag
	DatumValue       // that value
	DatumNotTraced   // the next transfer, left out
	DatumStoreFailed // the transfer before was of a store exclusive that failed
	DatumSuppressed  // packets are dropped from here on

	DatumPaused          // the instruction goes on after an exception
	DatumAborted         // the instruction Seq aborted
	DatumCancelled       // the instruction that had Seq was cancelled
	DatumReturnCancelled // the return was cancelled, the instruction was not

	DatumRestart  // trace restarts
	DatumOverflow // so it does, after an overflow
	DatumLost     // packet sync is lost

	DatumNothing // the part ends: only what was told since the datum before
)

// NamesEarlier says whether Seq is that of an instruction before the datum,
// instead of the next one.
func (x *Datum) NamesEarlier() bool {
	return x.Kind == DatumInstruction || x.Kind == DatumPop || x.Kind == DatumAborted
}
