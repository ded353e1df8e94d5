package schema

// Null is a value that may be absent. Its zero value is NULL: the trace does not
// have the value.
type Null[T any] struct {
	V  T
	OK bool
}

// Of returns v as a value that is present.
func Of[T any](v T) Null[T] { return Null[T]{V: v, OK: true} }

// A Key is the position of a row. In rows that a decoder makes, Seq counts from
// the start of the segment; the ordinal of the segment's first instruction is
// added when rows become columns.
type Key struct {
	Seq    int64 // ordinal of the first instruction after the row's event
	Offset int64 // capture offset of the packet that reported the row
}

// RowKey returns the key of a row.
func (k *Key) RowKey() *Key { return k }

// NamesEarlier says whether the ordinal of a row may be lower than that of the
// row before it in its table.
func (k *Key) NamesEarlier() bool { return false }

// A Point is a position in time. Epoch counts from the start of the segment.
// Epoch 0 continues the last epoch of the segment before; there, Cycle counts
// from the start of the segment.
type Point struct {
	Epoch int32
	Cycle Null[int64] // NULL without cycle accuracy
}

// An Exception is a row of `exceptions`.
type Exception struct {
	Key
	Point
	Event         ExceptionEvent
	Number        Null[uint16] // as traced; NULL for a return
	Type          Null[ExceptionType]
	ReturnAddress Null[Address] // preferred return address
	Target        Null[Address]
	Resume        Null[uint8] // v7-M
	// Cycles is the count in the packet of an entry, which is of no instruction: what ran
	// since the count before it, and the entry itself: nothing tells them apart.
	Cycles    Null[uint32]
	ContextID Null[uint32]
	VMID      Null[uint32] // NULL: as in Span
	Security  Security
	// ExceptionLevel is 0 to 3; NULL: the trace does not say.
	ExceptionLevel Null[uint8]
	Timestamp      int32 // as in Span
}

// A CycleCount is a row of `cycle_counts`. With OutOfEpoch its epoch and cycle
// are NULL: the cycles passed before the epoch that its packet starts, which is that of
// its Point.
type CycleCount struct {
	Key
	Point
	OutOfEpoch bool
	Cycles     Null[int64] // NULL: the packet says unknown
	Kind       CountKind
	Late       bool
}

// A CountSum is the sum of counts of one kind in one epoch: some of a row of `epochs`.
type CountSum struct {
	Epoch   int32     // as in Point
	Kind    CountKind // CountGap: any, before the epoch
	Counts  int64     // rows of `cycle_counts`
	Unknown int64     // of those: without a number
	Cycles  int64
	Gap     int64 // of those: passed while trace was off
}

// A Timestamp is a row of `timestamps`. While some of its bits were never sent in
// this segment, Raw is the value as sent and Value is not set: the stitcher adds
// the bits from the segments before. A Value above MaxUint63 becomes NULL, and an
// event has the number.
type Timestamp struct {
	Key
	Point
	Raw       uint64 // as sent, bits from KnownBits on are 0
	KnownBits uint8  // how many low bits of Raw were sent in this segment
	Value     Null[uint64]
	// Unknown says that the whole value is 0: it becomes an event, not a row.
	Unknown bool
}

// A Context is a row of `contexts` if one of its fields but ISA differs from the row before.
type Context struct {
	Key
	ContextID Null[uint32]
	VMID      Null[uint32] // NULL: as in Span
	Security  Security
	// ExceptionLevel is as in Exception.
	ExceptionLevel Null[uint8]
	ISA            Null[ISA] // NULL: no instructions are traced
}

// A DataAccess is a row of `data_accesses`: one transfer. It may be completed
// long after the instruction that made it, in another segment. Unlike in other
// rows, Seq therefore counts from the start of the source, and the row has its
// Segment.
type DataAccess struct {
	Key
	Segment       Null[int32]
	NoInstruction bool   // no instruction is known to have made the transfer
	Position      uint16 // in the instruction or its group, from 0
	Address       Null[Address]
	Value         Null[uint64]
	Size          Null[uint8] // bytes
	Access        Null[Access]
	Tag           Null[uint8] // out of order
	State         DataState
}

// An Event is a row of `events`.
type Event struct {
	Key
	Event   EventKind
	Address Null[Address]
	Detail  string // "" is NULL
}

// A Loss is a row of `losses`: bytes of the stream that were not understood.
type Loss struct {
	Key
	Bytes  int64
	Reason LossReason
	Detail string // "" is NULL
}

// A Packet is a row of `packets`.
type Packet struct {
	Key
	Type   string
	Bytes  []byte
	Fields string // JSON object
}

// A Segment is a row of `segments`. Key.Seq is that of its first instruction,
// Key.Offset that of its I-sync.
type Segment struct {
	Key
	Counters
	Address Null[Address] // NULL: the I-sync has no address
	Reason  ISyncReason
	Start   Start
	Stack   Null[int32] // of its first instruction, as the table has it
}

// A Start is what is known right before the I-sync of a segment: with it, decoding can
// begin there.
type Start struct {
	StreamOffset int64       // units of the stream before the segment
	Epoch        Null[int32] // NULL: no epoch is open
	Cycle        Null[int64] // of that epoch; NULL without cycle accuracy
	Ordinal      int64       // of the next row of `exceptions`
	Timestamp    Null[uint64]
	// ContextID, VMID, Security and ExceptionLevel are those of the last row of `contexts`.
	// Security is NULL if there is none.
	ContextID      Null[uint32]
	VMID           Null[uint32]
	Security       Null[Security]
	ExceptionLevel Null[uint8]
	Carried        string // JSON object of what else crosses the cut; "" if nothing does
	// DecodeFrom is the segment at which decoding has to begin: this one, or an earlier one.
	DecodeFrom int32
}

// Counters are what is counted of a segment, and summed over the segments of a
// source.
type Counters struct {
	Bytes         int64 `json:"bytes"` // of the stream
	BytesDecoded  int64 `json:"bytes_decoded"`
	BytesLost     int64 `json:"bytes_lost"`
	BytesUnplaced int64 `json:"bytes_unplaced"` // decoded, but reporting instructions whose address is unknown
	Instructions  int64 `json:"instructions"`
	Exceptions    int64 `json:"exceptions"`
}

// Add adds d to c.
func (c *Counters) Add(d Counters) {
	c.Bytes += d.Bytes
	c.BytesDecoded += d.BytesDecoded
	c.BytesLost += d.BytesLost
	c.BytesUnplaced += d.BytesUnplaced
	c.Instructions += d.Instructions
	c.Exceptions += d.Exceptions
}
