package etmv3

import (
	"io"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/async"
	"github.com/tracelake/tracelake/schema"
)

// Kind is the kind of a packet.
type Kind uint8

// The packet kinds, in the order of the table of headers (§7.2, table 7.1;
// docs/etmv3.md §2).
const (
	BranchAddress Kind = iota + 1
	PHeader
	ASync
	CycleCount
	ISync
	Trigger
	OutOfOrderData
	StoreFailed
	OutOfOrderPlaceholder
	VMID
	NormalData
	Timestamp
	DataSuppressed
	Ignore
	ValueNotTraced
	ContextID
	ExceptionReturn
	ExceptionEntry
)

// A Packet is one packet. A field that its kind does not carry is zero. Packets
// hold no pointers and may be copied.
type Packet struct {
	Kind Kind
	Len  int // bytes, header included

	Atoms Atoms // P-header

	// Branch is the branch address of the packet; in an I-sync with LSiP the second
	// address: that of the instruction now executing.
	Branch Branch

	// Address of an I-sync: all of it, without the T bit; with LSiP that of the
	// data instruction. Of data packets: the AddressBits low bits of it, sent in
	// AddressBytes bytes (0 to 5).
	Address      schema.Address
	AddressBits  uint8
	AddressBytes uint8

	// I-sync. A data-only one has NS, Hyp and Reason only.
	ISA    schema.ISA
	AltISA bool
	NS     bool
	Hyp    bool
	Reason schema.ISyncReason
	LSiP   bool // a load or store was in progress: its E atom is implied
	// Bad reports an I-sync that must not occur: its state is reserved, or its
	// address does not fit the state, or it is periodic but has a count or LSiP.
	// Its length is certain, its address is not to be used.
	Bad bool

	// Cycles is present where HasCycles: in cycle counts, and in I-syncs of the
	// form with one. CycleBytes is how many bytes it took, 1 to 5.
	HasCycles  bool
	CycleBytes uint8
	Cycles     uint32

	ContextID uint32 // I-sync, Context ID
	VMID      uint8

	// Timestamp bits as sent, TimestampBytes bytes of them; ClockChange is R.
	Timestamp      uint64
	TimestampBytes uint8
	ClockChange    bool

	// NewAddress is the A bit of normal data, placeholder and value not traced:
	// the first traced transfer of an instruction, or one whose address is not
	// that of the transfer before + 4. Address bytes follow if ETMCR[3] is set.
	NewAddress bool
	BigEndian  bool  // in a fifth address byte of data
	Tag        uint8 // out-of-order data and placeholder: 1 to 3
	// ValueBytes is SS: the value without its leading zero bytes has 0, 1, 2 or 4
	// bytes. The bytes, and Value, are present only if ETMCR[2] is set.
	ValueBytes uint8
	Value      uint32
}

// The headers that are one value. Any other header with bit 0 set is a branch
// address, with bit 7 set and bit 0 clear a P-header; data.go has the headers of
// data packets.
const (
	headerASync           = 0x00
	headerCycleCount      = 0x04
	headerISync           = 0x08
	headerTrigger         = 0x0c
	headerVMID            = 0x3c
	headerTimestamp       = 0x42
	headerTimestampClock  = 0x46 // R set: the clock frequency changed
	headerIgnore          = 0x66
	headerContextID       = 0x6e
	headerISyncCycles     = 0x70
	headerExceptionReturn = 0x76
	headerExceptionEntry  = 0x7e
)

// more is the bit of an address, information, count or timestamp byte that
// announces another one.
const more = 0x80

// protocol is the name in errors.
const protocol decode.Codec = "etmv3"

// Parse decodes the packet at the start of b into p.
//
// The error is [io.ErrUnexpectedEOF] if b ends inside the packet, or a
// [*decode.SyntaxError]; in both cases p is unchanged. Parse does not allocate unless
// it fails, and keeps no reference to b.
//
// P-headers are those of the version. Timestamps, VMID, exception returns and
// entries are read in every version: see [Config.Defines]. Headers that the
// registers exclude (data packets without data trace, Context IDs of no bytes,
// instruction trace in data-only mode) are reserved.
//
// Parse ignores the bits that are constant or reserved inside a payload;
// [Config.Append] writes them as hardware does. They are: of an I-sync
// information byte bit 0, bit 2 (AltISA) before v3.3, bit 1 (Hyp) without
// virtualization extensions, and in data-only mode bits 7, 4 and 2; of the second
// address of an I-sync bit 0 of the first byte; of branch information byte 1 bit 5
// (Hyp) without virtualization extensions, and bits 5:4 of byte 2; of a fifth
// count byte bits 7:4; of a fifth data address byte bits 7:5; of the seventh byte
// of a 48-bit timestamp bits 7:6.
func (c *Config) Parse(p *Packet, b []byte) error {
	if len(b) == 0 {
		return io.ErrUnexpectedEOF
	}
	h := b[0]
	switch {
	case c.DataOnly && !isDataOnly(h):
		return protocol.Reserved(h, "not in data-only mode, which ETMCR[20] says is on")
	case h&0x81 == 0x80: // 1xxx xxx0
		return c.parsePHeader(p, h)
	case h&1 != 0: // Cxxx xxx1
		return c.parseBranch(p, b)
	default:
		return c.parseOther(p, b)
	}
}

// parseOther decodes the packets that have a header of their own, in instruction
// trace the smaller part of a stream.
func (c *Config) parseOther(p *Packet, b []byte) error {
	switch h := b[0]; h {
	case headerASync:
		n, err := async.Short.Parse(b, protocol)
		if err == nil {
			*p = Packet{Kind: ASync, Len: n}
		}
		return err
	case headerCycleCount:
		return parseCycleCount(p, b)
	case headerISync, headerISyncCycles:
		return c.parseISync(p, b)
	case headerTimestamp, headerTimestampClock:
		return c.parseTimestamp(p, b)
	case headerContextID:
		return c.parseContextID(p, b)
	case headerVMID:
		if len(b) < 2 {
			return io.ErrUnexpectedEOF
		}
		*p = Packet{Kind: VMID, Len: 2, VMID: b[1]}
	case headerTrigger:
		*p = Packet{Kind: Trigger, Len: 1}
	case headerIgnore:
		*p = Packet{Kind: Ignore, Len: 1}
	case headerExceptionReturn:
		*p = Packet{Kind: ExceptionReturn, Len: 1}
	case headerExceptionEntry:
		*p = Packet{Kind: ExceptionEntry, Len: 1}
	default:
		return c.parseData(p, b)
	}
	return nil
}

// isDataOnly reports whether data-only mode has packets of header h (docs/etmv3.md
// §6.5).
func isDataOnly(h byte) bool {
	switch h {
	case headerASync, headerISync, headerTrigger, headerVMID, headerTimestamp, headerTimestampClock, headerIgnore,
		headerContextID:
		return true
	default:
		k := dataKind(h)
		return k != 0 && k != DataSuppressed
	}
}

// maxCycleBytes is how long a cycle count is at most (§7.3.4): its fifth byte has four bits.
const maxCycleBytes = 5

func parseCycleCount(p *Packet, b []byte) error {
	cycles, n := decode.ParseSevens(b[1:], maxCycleBytes)
	if n == 0 {
		return io.ErrUnexpectedEOF
	}
	*p = Packet{Kind: CycleCount, Len: 1 + n, HasCycles: true, Cycles: uint32(cycles), CycleBytes: uint8(n)}
	return nil
}

// parseContextID decodes a Context ID packet (§7.3.6): the new value, least
// significant byte first.
func (c *Config) parseContextID(p *Packet, b []byte) error {
	if c.ContextIDBytes == 0 {
		return protocol.Reserved(headerContextID, "a Context ID packet, but ETMCR[15:14] says there are none")
	}
	n := 1 + c.ContextIDBytes
	if len(b) < n {
		return io.ErrUnexpectedEOF
	}
	*p = Packet{Kind: ContextID, Len: n, ContextID: decode.LittleEndian(b[1:n])}
	return nil
}

func (c *Config) parseTimestamp(p *Packet, b []byte) error {
	timestamp, n := c.TimestampCode().Parse(b[1:])
	if n == 0 {
		return io.ErrUnexpectedEOF
	}
	*p = Packet{
		Kind: Timestamp, Len: 1 + n,
		Timestamp: timestamp, TimestampBytes: uint8(n), ClockChange: b[0] == headerTimestampClock,
	}
	return nil
}
