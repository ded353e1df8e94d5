// Package truth has the rows that a right decoder must make of a trace stream. An
// encoder hands them to a [Rows] while it writes the stream.
//
// Its API is not stable (docs/guide/library.md).
package truth

import (
	"strconv"

	"github.com/tracelake/tracelake/schema"
)

// Rows takes the truth of one source from an encoder: the rows a right decoder
// must make of its stream, table by table, in the order of the table. Values that
// the protocol does not trace are NULL; instructions that no packet traces have no
// row.
//
// A row holds until the call returns.
//
// Ordinals, epochs and cycles are those of the dataset. Offsets are positions
// in the stream of the source, in bytes from its start: whoever puts streams into
// frames knows their offsets in the capture.
type Rows interface {
	Instruction(*Instruction)
	Exception(*Exception)
	CycleCount(*CycleCount)
	Timestamp(*Timestamp)
	Context(*Context)
	DataAccess(*DataAccess)
	Event(*Event)
	Loss(*Loss)
	Segment(*Segment)
}

// NoRows takes rows and forgets them.
func NoRows() Rows { return noRows{} }

type noRows struct{}

func (noRows) Instruction(*Instruction) {}
func (noRows) Exception(*Exception)     {}
func (noRows) CycleCount(*CycleCount)   {}
func (noRows) Timestamp(*Timestamp)     {}
func (noRows) Context(*Context)         {}
func (noRows) DataAccess(*DataAccess)   {}
func (noRows) Event(*Event)             {}
func (noRows) Loss(*Loss)               {}
func (noRows) Segment(*Segment)         {}

// A Key is what every row begins with.
type Key struct {
	Seq     int64
	Segment schema.Null[int32]
	Offset  int64 // in the stream
}

// State is what rows share: the columns of those names, with the values that the
// stream has stated up to the row.
type State struct {
	Epoch     int32
	Cycle     schema.Null[int64]
	Timestamp schema.Null[uint64]
	ContextID schema.Null[uint32]
	VMID      schema.Null[uint32]
	Security  schema.Security
	// ExceptionLevel is 0 to 3; protocols that do not trace it have NULL.
	ExceptionLevel schema.Null[uint8]
}

// An Instruction is a row of `instructions`.
type Instruction struct {
	Key
	State    // Cycle up to and including it, NULL where Cycles is
	Address  schema.Address
	Size     uint8
	ISA      schema.ISA
	Opcode   uint32
	Kind     schema.Kind
	Executed schema.Null[bool]
	Cycles   schema.Null[uint32]
	// Transaction says that it was executed in a transaction, NULL without the extension.
	Transaction schema.Null[bool]
}

// An Exception is a row of `exceptions` but its ordinal, which counts the rows.
type Exception struct {
	Key
	State
	Event         schema.ExceptionEvent
	Number        schema.Null[uint16]
	Type          schema.Null[schema.ExceptionType]
	ReturnAddress schema.Null[schema.Address]
	Target        schema.Null[schema.Address]
	Resume        schema.Null[uint8]
	Cycles        schema.Null[uint32] // the count in the packet of an entry
}

// A CycleCount is a row of `cycle_counts`.
type CycleCount struct {
	Key
	Epoch  schema.Null[int32]
	Cycle  schema.Null[int64]
	Cycles schema.Null[int64]
	Kind   schema.CountKind
	Late   bool
}

// A Timestamp is a row of `timestamps`.
type Timestamp struct {
	Key
	Timestamp schema.Null[uint64]
	KnownBits uint8
	Epoch     int32
	Cycle     schema.Null[int64]
}

// A Context is a row of `contexts`.
type Context struct {
	Key
	ContextID schema.Null[uint32]
	VMID      schema.Null[uint32]
	Security  schema.Security
	ISA       schema.Null[schema.ISA]
	// ExceptionLevel is that of [State].
	ExceptionLevel schema.Null[uint8]
}

// A DataAccess is a row of `data_accesses`.
type DataAccess struct {
	Key
	NoInstruction bool // seq is NULL
	Position      uint16
	Address       schema.Null[schema.Address]
	Value         schema.Null[uint64]
	Size          schema.Null[uint8]
	Access        schema.Null[schema.Access]
	Tag           schema.Null[uint8]
	State         schema.DataState
}

// An Event is a row of `events`.
type Event struct {
	Key
	Event   schema.EventKind
	Address schema.Null[schema.Address]
	Detail  string // "" is NULL
}

// TimestampOutOfRange returns the event of a timestamp that no row can have.
func TimestampOutOfRange(k Key, value uint64) *Event {
	return &Event{Key: k, Event: schema.EventTimestampOutOfRange, Detail: strconv.FormatUint(value, 10)}
}

// A Loss is a row of `losses`.
type Loss struct {
	Key
	Bytes  int64
	Reason schema.LossReason
	Detail string // "" is NULL
}

// A Segment is a row of `segments`.
type Segment struct {
	Key
	Bytes, BytesDecoded, BytesLost, BytesUnplaced int64
	Instructions, Exceptions                      int64
	Address                                       schema.Null[schema.Address]
	Reason                                        schema.ISyncReason
}
