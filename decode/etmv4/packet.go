package etmv4

import (
	"io"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/async"
)

// Kind is the kind of a packet.
type Kind uint8

// The packet kinds. Packets that differ only in how they are coded are of one kind:
// [Packet.Format] and [Packet.Form] distinguish them.
const (
	ASync Kind = iota + 1
	Discard
	Overflow
	TraceInfo
	Timestamp
	TraceOn
	FunctionReturn
	Exception
	ExceptionReturn
	Instrumentation
	TransactionStart
	TransactionCommit
	CycleCount
	NumberedMarker // data synchronisation markers
	UnnumberedMarker
	Commit
	Cancel
	Mispredict
	ConditionalInstruction
	ConditionalFlush
	ConditionalResult
	Ignore
	Event
	Context
	AddressContext // Address with Context
	TimestampMarker
	Address
	Q
	SourceAddress
	Atoms
)

// A Packet is one packet. A field that its kind does not carry is zero. Packets hold no
// pointers and may be copied.
type Packet struct {
	Kind Kind
	Len  int // bytes, header included
	// Format is n of format n, of the kinds that have several: cycle counts, cancels,
	// conditional instructions and results.
	Format uint8

	// AtomCount atoms, 1 to 24, of atom packets; up to 2 of mispredicts and cancels. Bit i
	// of Atoms is atom i, oldest first; 1 is E.
	Atoms     uint32
	AtomCount uint8

	// How an address is coded, of addresses, source addresses and Q. Of Address, the low
	// AddressBits bits were sent; those of them that are always 0 in the instruction set
	// IS0 or IS1 (two or one) are 0. An exact match has Entry instead.
	Form        Form
	Entry       uint8 // of the history, 0 to 2
	IS1         bool
	AddressBits uint8
	Address     uint64

	Context ContextInfo // Context and AddressContext

	// Count is how many P0 elements a commit, a cancel or a cycle count commits or
	// cancels, and how many instructions a Q packet reports. Bytes is 0 where the header
	// or its next byte has the number.
	Count Field
	// HasCount is set in a Q packet with a count, and a cycle count that commits.
	HasCount bool
	// FromMax: a cycle count of format 2 that sends what it commits counted from MAXSPEC.
	FromMax bool
	// Mispredict is set where the newest atom, after cancelling, was mispredicted.
	Mispredict bool

	// Cycles are present in a cycle count that is known, where the threshold is still to be
	// added, and in some timestamps. Bytes is 0 where they are in the header or next byte.
	HasCycles bool
	Cycles    Field

	Timestamp      uint64 // TimestampBytes bytes of it, 1 to 9; in [Config.Append], 0 is as few as it takes
	TimestampBytes uint8

	Exception uint16 // its number
	Return    Return
	Pending   bool // another fault is pending (profile M)
	Long      bool // the exception takes two bytes, though one may do

	Events uint8  // of Event: bit n is event n
	Marker uint8  // number of a data synchronisation marker
	Value  uint64 // of Instrumentation, with Context.EL

	Info        TraceInfoSections // TraceInfo
	Conditional Conditional
}

// A Form is how an address is coded.
type Form uint8

// The forms.
const (
	NoAddress  Form = iota
	ExactMatch      // that of an entry of the history
	ShortAddress
	Long32
	Long64
)

// A Return says which address follows an exception (E1 E0).
type Return uint8

// What follows an exception.
const (
	ReturnNone     Return = iota // reserved: nothing
	ReturnFollows                // the preferred return address
	ReturnIsTarget               // the preferred return address, target of the branch before
	ReturnReserved               // reserved: as ReturnFollows
)

// ContextInfo is the payload of a Context packet. Without Sent there is none: the context
// is as last told.
type ContextInfo struct {
	Sent            bool
	HasVMID, HasID  bool
	NS, NSE, SF     bool
	EL              uint8 // exception level; of Instrumentation too
	VMID, ContextID uint32
}

// TraceInfoSections are the sections of a Trace Info packet. Has says which were sent, as
// PLCTL does; the others are 0.
type TraceInfoSections struct {
	Has       uint8 // bits 4:0
	Controls  uint8 // bytes of PLCTL, 1 to 4; in [Config.Append], 0 is 1
	Info      Field
	Key       Field // of the next P0 element
	Spec      Field // P0 elements that are speculative
	Threshold Field // of cycle counts
	Window    Field
}

// The sections of a Trace Info packet, bits of PLCTL.
const (
	HasInfo = 1 << iota
	HasKey
	HasSpec
	HasThreshold
	HasWindow

	hasAll = 1<<5 - 1
)

// The bits of Info, [TraceInfoSections].
const (
	InfoCycleCounting = 1 << 0
	InfoCondShift     = 1 // three bits
	InfoLoads         = 1 << 4
	InfoStores        = 1 << 5
	InfoTransaction   = 1 << 6 // ETE
)

// The second bytes after the header 00.
const (
	extensionDiscard  = 0x03
	extensionOverflow = 0x05
)

// codec is the name in errors.
func (c *Config) codec() decode.Codec {
	if c.ETE {
		return "ete"
	}
	return "etmv4"
}

// Parse decodes the packet at the start of b into p.
//
// The error is [io.ErrUnexpectedEOF] if b ends inside the packet, or a
// [*decode.SyntaxError]; in both cases p is unchanged. Parse does not allocate unless it
// fails, and keeps no reference to b.
//
// It ignores bits that are constant or reserved inside a payload; [Config.Append] writes
// them as trace units do. They are: of Trace Info bits 6:5 of PLCTL and the bits of its
// further bytes; of a context information byte bit 2; bit 7 of the low address bytes that
// have seven bits; of an exception bits 7:6 of the second byte, and the third byte of the
// forms of an ETE; of a field bits above 32, or those above the width of the cycle
// counter; of cycle counts what would be committed, where none carry it (COMMOPT); bits
// 7:2 of the first byte of Instrumentation, and bit 7 of a conditional instruction of
// format 3.
func (c *Config) Parse(p *Packet, b []byte) error {
	if len(b) == 0 {
		return io.ErrUnexpectedEOF
	}
	h := headers[b[0]]
	if h.kind == Atoms {
		a := atomHeaders[b[0]-firstAtom]
		*p = Packet{Kind: Atoms, Len: 1, Atoms: a.atoms, AtomCount: a.count}
		return nil
	}
	if reason := c.closed(h.gate); reason != "" {
		return c.codec().Reserved(b[0], reason)
	}
	r, q := reader{b: b, n: 1, codec: c.codec()}, Packet{Kind: h.kind}
	c.parsePayload(&q, &r)
	if r.err != nil {
		return r.err
	}
	q.Len = r.n
	*p = q
	return nil
}

// parsePayload reads what follows the header, and what the header has beside the kind.
func (c *Config) parsePayload(p *Packet, r *reader) {
	h := r.b[0]
	switch p.Kind {
	case ASync:
		p.parseExtension(r)
	case TraceInfo:
		p.Info.parse(r)
	case Timestamp:
		c.parseTimestamp(p, r)
	case Exception:
		c.parseException(p, r)
	case Instrumentation:
		p.Context.EL = r.byte() & elMask
		p.Value = r.number(8)
	case CycleCount:
		c.parseCycleCount(p, r)
	case NumberedMarker, UnnumberedMarker:
		p.Marker = h & 7
	case Commit, Cancel, Mispredict:
		p.parseSpeculation(r)
	case ConditionalInstruction, ConditionalResult:
		p.parseConditional(r)
	case Event:
		p.Events = h & 0xf
	case Context:
		if h&1 != 0 {
			c.parseContext(&p.Context, r)
		}
	case Address, SourceAddress:
		p.parseAddress(r)
	case AddressContext:
		p.parseAddress(r)
		c.parseContext(&p.Context, r)
	case Q:
		p.parseQ(r)
	default: // the header alone
	}
}

// parseExtension reads the packets that begin with 00.
func (p *Packet) parseExtension(r *reader) {
	if len(r.b) < 2 {
		r.fail(io.ErrUnexpectedEOF)
		return
	}
	switch r.b[1] {
	case 0:
		n, err := async.Long.Parse(r.b, r.codec)
		r.n, r.err = n, err
	case extensionDiscard:
		p.Kind, r.n = Discard, 2
	case extensionOverflow:
		p.Kind, r.n = Overflow, 2
	default:
		r.fail(r.codec.Reserved(0, "no extension packet has that second byte"))
	}
}
