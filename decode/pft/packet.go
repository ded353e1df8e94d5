package pft

import (
	"io"
	"math/bits"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/async"
	"github.com/tracelake/tracelake/schema"
)

// Kind is the kind of a packet.
type Kind uint8

// The packet kinds, named as in table 4.1 (§4.5).
const (
	ASync Kind = iota + 1
	ISync
	Atom
	BranchAddress
	WaypointUpdate
	Trigger
	ContextID
	VMID
	Timestamp
	ExceptionReturn
	Ignore
)

// A Packet is one packet. A field that its kind does not carry is zero. Packets
// hold no pointers and may be copied.
type Packet struct {
	Kind Kind
	Len  int // bytes, header included

	// Atoms: AtomCount atoms, 1 to 5. Bit i of Atoms is atom i, oldest first;
	// 1 is N.
	Atoms     uint8
	AtomCount uint8

	// Address as sent (I-sync: all 32 bits, bit 0 clear). Branch address and
	// waypoint update: AddressBits bits, without the low bits that are always 0
	// in the instruction set (A32 two, Thumb one, Jazelle none); AddressBytes is
	// the number of address bytes, 1 to 5.
	Address      schema.Address
	AddressBits  uint8
	AddressBytes uint8
	// ISA is in I-syncs and in a fifth address byte: A32, T32 (T32EE only in an
	// I-sync with AltISA) or Jazelle.
	ISA schema.ISA

	// Info is the number of information bytes: 0, 1 or 2 in a branch address, 0
	// or 1 in a waypoint update.
	Info      uint8
	AltISA    bool // I-sync, information byte 0
	NS        bool // I-sync, information byte 0 of a branch address
	Hyp       bool // I-sync, information byte 1
	Exception uint16
	Reason    schema.ISyncReason // I-sync

	// Cycles is present where HasCycles; CycleBytes is how many bytes it
	// took (0 for an atom: 4 bits in the header alone).
	HasCycles  bool
	Cycles     uint32
	CycleBytes uint8

	ContextID uint32 // I-sync, Context ID
	VMID      uint8

	// Timestamp bits as sent, TimestampBytes bytes of them; ClockChange is R.
	Timestamp      uint64
	TimestampBytes uint8
	ClockChange    bool
}

// The headers that are one value (table 4.1). Any other header with bit 0 set is a
// branch address, with bit 7 set and bit 0 clear an atom.
const (
	headerASync           = 0x00
	headerISync           = 0x08
	headerTrigger         = 0x0c
	headerVMID            = 0x3c
	headerTimestamp       = 0x42
	headerTimestampClock  = 0x46 // R set: the clock frequency changed
	headerIgnore          = 0x66
	headerContextID       = 0x6e
	headerWaypointUpdate  = 0x72
	headerExceptionReturn = 0x76
)

// more is the bit of an address, information, count or timestamp byte that
// announces another one.
const more = 0x80

// protocol is the name in errors.
const protocol decode.Codec = "pft"

// Parse decodes the packet at the start of b into p.
//
// The error is [io.ErrUnexpectedEOF] if b ends inside the packet, or a
// [*decode.SyntaxError]; in both cases p is unchanged. Parse does not allocate unless
// it fails, and keeps no reference to b.
//
// It ignores the bits that are constant or reserved inside a payload;
// [Config.Append] writes them as hardware does. They are: of an I-sync information
// byte bits 7, 4 and 0; of branch information bits 5 of byte 0 and 7:6 of byte 1;
// of a waypoint update bit 0 of the first address byte, bit 6 of a last byte that
// is not the fifth, and all of the information byte but AltISA; of any fifth
// address byte bit 7, and in ARM state bit 3; of a count bits 1:0 of the first
// byte, bit 7 of it where it is no atom, and bit 7 of the fifth; of the seventh
// byte of a 48-bit timestamp bits 7:6. Nor does the version matter: a VMID packet
// and an exception return are read in PFT 1.0 too.
func (c *Config) Parse(p *Packet, b []byte) error {
	if len(b) == 0 {
		return io.ErrUnexpectedEOF
	}
	h := b[0]
	switch {
	case h&1 != 0: // Cxxx xxx1
		return c.parseBranch(p, b)
	case h&0x80 == 0:
		return c.parseOther(p, b)
	case c.CycleAccurate: // 1xxx xxx0
		return parseCountedAtom(p, b)
	default:
		return parseAtoms(p, h)
	}
}

// parseOther decodes the packets whose header is one value, none of which
// makes up much of a stream.
func (c *Config) parseOther(p *Packet, b []byte) error {
	switch h := b[0]; h {
	case headerASync:
		n, err := async.Short.Parse(b, protocol)
		if err == nil {
			*p = Packet{Kind: ASync, Len: n}
		}
		return err
	case headerISync:
		return c.parseISync(p, b)
	case headerTimestamp, headerTimestampClock:
		return c.parseTimestamp(p, b)
	case headerContextID:
		return c.parseContextID(p, b)
	case headerWaypointUpdate:
		return parseWaypointUpdate(p, b)
	case headerVMID:
		if len(b) < 2 {
			return io.ErrUnexpectedEOF
		}
		*p = Packet{Kind: VMID, Len: 2, VMID: b[1]}
	case headerExceptionReturn:
		*p = Packet{Kind: ExceptionReturn, Len: 1}
	case headerTrigger:
		*p = Packet{Kind: Trigger, Len: 1}
	case headerIgnore:
		*p = Packet{Kind: Ignore, Len: 1}
	default:
		return protocol.Reserved(h, "table 4.1 has no packet of that header")
	}
	return nil
}

// parseAtoms decodes an atom header outside cycle-accurate mode: below bit 7
// zeros and a 1, then one bit per atom, the newest in bit 1; 1 is N.
func parseAtoms(p *Packet, h byte) error {
	n := bits.Len8(h&0x7e) - 2
	if n < 1 {
		return protocol.Reserved(h, "an atom header without atoms")
	}
	*p = Packet{}
	p.Kind, p.Len = Atom, 1
	p.Atoms = bits.Reverse8(h<<(7-n)) & (1<<n - 1)
	p.AtomCount = uint8(n)
	return nil
}

// parseCountedAtom decodes an atom in cycle-accurate mode, 1CNN NNF0: the
// header is the first byte of its count.
func parseCountedAtom(p *Packet, b []byte) error {
	cycles, n := parseCycles(b)
	if n == 0 {
		return io.ErrUnexpectedEOF
	}
	*p = Packet{}
	p.Kind, p.Len = Atom, n
	p.Atoms, p.AtomCount = b[0]>>1&1, 1
	p.HasCycles, p.Cycles, p.CycleBytes = true, cycles, uint8(n-1)
	return nil
}

// parseBranch decodes a branch address packet (§4.5.4). Information with
// exception 0 makes no exception: it is an ordinary branch that changes NS, Hyp
// or AltISA.
func (c *Config) parseBranch(p *Packet, b []byte) error {
	n := addressLen(b)
	if n == 0 {
		return io.ErrUnexpectedEOF
	}
	info := b[n:n]
	if n > 1 && b[n-1]&addressBit6 != 0 {
		if info = b[n : n+informationLen(b[n:])]; len(info) == 0 {
			return io.ErrUnexpectedEOF
		}
	}
	end := n + len(info)
	var cycles uint32
	var cycleBytes int
	if c.CycleAccurate {
		if cycles, cycleBytes = parseCycles(b[end:]); cycleBytes == 0 {
			return io.ErrUnexpectedEOF
		}
		end += cycleBytes
	}
	*p = Packet{}
	p.Kind, p.Len = BranchAddress, end
	p.setAddress(b[:n])
	if len(info) > 0 {
		p.setInformation(info)
	}
	p.HasCycles, p.Cycles, p.CycleBytes = c.CycleAccurate, cycles, uint8(cycleBytes)
	return nil
}

// parseWaypointUpdate decodes a waypoint update: address bytes as in a branch
// address, but bit 6 announces an information byte only in the fifth, and there
// is never a count.
func parseWaypointUpdate(p *Packet, b []byte) error {
	n := 1 + addressLen(b[1:])
	if n == 1 {
		return io.ErrUnexpectedEOF
	}
	end := n
	if n == 1+maxAddressBytes && b[n-1]&addressBit6 != 0 {
		if end++; len(b) < end {
			return io.ErrUnexpectedEOF
		}
	}
	*p = Packet{Kind: WaypointUpdate, Len: end}
	p.setAddress(b[1:n])
	if end > n {
		p.Info, p.AltISA = 1, b[n]&infoAltISA != 0
	}
	return nil
}

// The information byte of an I-sync.
const (
	isyncReasonShift = 5
	isyncReasonMask  = 3
	isyncNS          = 1 << 3
	isyncAltISA      = 1 << 2
	isyncHyp         = 1 << 1
	isyncOne         = 1 << 0 // always 1, in all 499 I-syncs of the captures
)

// parseISync decodes an I-sync: address, information, a count if the reason
// is not "periodic", Context ID.
//
// Address bits 1:0 = 2 would be an A32 instruction at a halfword. The document
// draws bit 1 as 0 in ARM state and says no more. We treat it as a bad packet: no
// hardware can send it, so the bytes are damaged or no I-sync, and every address up
// to the next I-sync would depend on them. OpenCSD accepts it. Jazelle state has no
// encoding here.
func (c *Config) parseISync(p *Packet, b []byte) error {
	n := 1 + 4 + 1
	if len(b) < n {
		return io.ErrUnexpectedEOF
	}
	address := schema.Address(decode.LittleEndian(b[1:5]))
	if address&3 == 2 {
		return protocol.Bad(headerISync, "an I-sync in ARM state at an address that is no multiple of 4")
	}
	info := b[5]
	reason := schema.ISyncReason(info >> isyncReasonShift & isyncReasonMask)
	counted := c.CycleAccurate && reason != schema.ISyncPeriodic
	var cycles uint32
	var cycleBytes int
	if counted {
		if cycles, cycleBytes = parseCycles(b[n:]); cycleBytes == 0 {
			return io.ErrUnexpectedEOF
		}
		n += cycleBytes
	}
	end := n + c.ContextIDBytes
	if len(b) < end {
		return io.ErrUnexpectedEOF
	}
	*p = Packet{
		Kind: ISync, Len: end,
		Address: address &^ 1, ISA: isyncISA(address, info), Reason: reason,
		AltISA: info&isyncAltISA != 0, NS: info&isyncNS != 0, Hyp: info&isyncHyp != 0,
		HasCycles: counted, Cycles: cycles, CycleBytes: uint8(cycleBytes),
		ContextID: decode.LittleEndian(b[n:end]),
	}
	return nil
}

// isyncISA returns the instruction set from the T bit, bit 0 of the address, and
// AltISA.
func isyncISA(address schema.Address, info byte) schema.ISA {
	switch {
	case address&1 == 0:
		return schema.A32
	case info&isyncAltISA != 0:
		return schema.T32EE
	default:
		return schema.T32
	}
}

// parseContextID decodes a Context ID packet: the new value, least significant
// byte first.
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
	timestamp, timestampBytes := c.TimestampCode().Parse(b[1:])
	if timestampBytes == 0 {
		return io.ErrUnexpectedEOF
	}
	n := 1 + timestampBytes
	var cycles uint32
	var cycleBytes int
	if c.CycleAccurate {
		if cycles, cycleBytes = parseCycles(b[n:]); cycleBytes == 0 {
			return io.ErrUnexpectedEOF
		}
		n += cycleBytes
	}
	*p = Packet{
		Kind: Timestamp, Len: n,
		HasCycles: c.CycleAccurate, Cycles: cycles, CycleBytes: uint8(cycleBytes),
		Timestamp: timestamp, TimestampBytes: uint8(timestampBytes), ClockChange: b[0] == headerTimestampClock,
	}
	return nil
}
