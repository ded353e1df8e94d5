package schema

import (
	"fmt"
	"math"
)

// An Address is one in the memory of the traced core, of its program or its data. An
// address column has its bits.
type Address uint64

// MaxAddress is the last address.
const MaxAddress = ^Address(0)

// End32 is where the addresses of AArch32 end: sums of them are modulo 2³².
const End32 = 1 << 32

// In32 returns an address modulo 2³².
func (a Address) In32() Address { return Address(uint32(a)) }

// Wrap returns an address modulo the size of the memory that the instruction set has.
func (i ISA) Wrap(a Address) Address {
	if i == A64 {
		return a
	}
	return a.In32()
}

// Hex returns an address for people to read: with 8 digits, or 16 from 2³² on.
func (a Address) Hex() string {
	if a > math.MaxUint32 {
		return fmt.Sprintf("0x%016x", uint64(a))
	}
	return fmt.Sprintf("0x%08x", uint64(a))
}

// A Block is a straight run of instructions from the address it was entered at
// to the next one that can change the flow (or to the end of the memory): the
// template its executions are expanded from. It does not change once made and
// may be shared by goroutines.
type Block struct {
	// Key identifies a block within its source, whichever decoder made it.
	Key BlockKey
	// One value per instruction, all of one length, 1 to MaxBlock.
	Address []Address
	Opcode  []uint32 // as fetched; 32-bit T32 has its first halfword on top
	Size    []uint8  // 2 or 4 bytes
	Kind    []uint8  // codes of Kind
	// Moved is what leads from an address of the block to its place: see Place.
	Moved Address
}

// Place returns the address of an instruction of the block in tables of what ran in all processes: a
// program file has one place there, wherever they map it. Where there are no processes it is Address[i].
func (b *Block) Place(i int) Address { return b.Address[i] + b.Moved }

// Next returns the address after an instruction of the block.
func (b *Block) Next(i int) Address {
	return b.Key.ISA.Wrap(b.Address[i] + Address(b.Size[i]))
}

// Places returns the place of an address that is fetched from in a state; nil: it is the address.
type Places func(s State, a Address) Address

// Of returns it.
func (p Places) Of(s State, a Address) Address {
	if p == nil {
		return a
	}
	return p(s, a)
}

// MaxBlock is the most instructions a block holds. Longer straight code makes no
// block: the decoder stops walking it.
const MaxBlock = 65535

// A State is the execution state of an instruction: what says, beside its address, which bytes are
// fetched and how they are decoded.
type State struct {
	ISA      ISA
	Security Security // it is fetched in
	// Process is the number of the address space that it is fetched from; 0 where there is but one.
	Process uint32
}

// A BlockKey identifies a block within a source.
type BlockKey struct {
	Address Address // the block was entered at
	State
	// Short says that the block ends after a few instructions, because its result
	// had too many in longer blocks.
	Short bool
}

// A Run is a range of a block that was executed without a branch and reported by
// one packet, or with RunHasOffsets by several. It becomes Count rows of
// `instructions`, or a row of `blocks` for every MaxBlockRow of them.
type Run struct {
	Offset int64 // capture offset of the packet that reported the run; with RunHasOffsets: of its first
	// Failed, with RunHasFailed: bit i set, instruction i failed its condition. Of more than
	// MaxBlockRow instructions it is 0: all but the last were executed.
	Failed  uint64
	Cycle   int64  // with RunHasCycles, RunHasCosts: as Point.Cycle, up to and including the last instruction
	Cycles  uint32 // with RunHasCycles: own cost of the last instruction; with RunHasCosts: of all
	Block   uint32 // index of the block in the result that holds the run
	First   uint16 // position in the block of the first instruction
	Count   uint16 // instructions, at least 1
	Outcome Outcome
	Flags   RunFlags
}

// MaxBlockRow is the most instructions in one row of `blocks`: one per bit of its
// column `failed`, which is never negative.
const MaxBlockRow = 63

// RunFlags say which optional fields of a [Run] hold.
type RunFlags uint8

// The flags of a run.
const (
	RunHasFailed  RunFlags = 1 << iota // Failed has the outcome of each instruction
	RunHasCycles                       // Cycles and Cycle have the cost of the last instruction
	RunHasCosts                        // the result that holds the run has the cost of each instruction
	RunHasOffsets                      // the result that holds the run has the capture offset of each instruction
)

// A Span is the state that holds from one run up to the next span.
type Span struct {
	Run       int   // index of its first run
	Epoch     int32 // relative to the segment: 0 continues the last epoch of the segment before
	Timestamp int32 // index of the last timestamp row, or TimestampCarried
	ContextID Null[uint32]
	VMID      Null[uint32] // NULL: not traced yet in this segment, that of the segment before holds
	Security  Security
	// ExceptionLevel is as in Exception. Transaction says that the core is in one; NULL: the trace
	// does not say.
	ExceptionLevel Null[uint8]
	Transaction    Null[bool]
}

// TimestampCarried says that the last timestamp is before the rows of the result.
const TimestampCarried = -1
