package etmv2

import (
	"io"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/decode/port"
	"github.com/tracelake/tracelake/schema"
)

// Kind is the kind of a packet of a group.
type Kind uint8

// The packet kinds, in the order of the table of headers (§6.4, docs/etmv2.md
// §5.4).
const (
	NormalData Kind = iota + 1
	LoadMiss
	LoadMissData
	ValueNotTraced
	ContextID
	BranchAddress
)

// A Packet is one packet of a group. A field that its kind does not carry is zero.
// Packets hold no pointers and may be copied.
type Packet struct {
	Kind Kind
	Len  int // bytes, header included
	// More is the C bit: another packet of the group follows. A branch address is
	// always the last one.
	More bool

	Branch Branch

	// NewAddress is the A bit of normal data and load miss: the first packet of an
	// instruction. Address has the AddressBits low bits of the data address, sent in
	// AddressBytes bytes (0 to 5).
	NewAddress   bool
	Address      schema.Address
	AddressBits  uint8
	AddressBytes uint8

	Tag uint8 // TT of load miss and load miss data: 0 to 3
	// ValueBytes is SS: the value without its leading zero bytes has 0, 1, 2 or 4
	// bytes.
	ValueBytes uint8
	Value      uint32

	ContextID uint32
}

// The headers of a group, without their variable bits (§6.4, docs/etmv2.md §5.4).
// Any header with bit 0 set is a branch address.
const (
	headerNormalData     = 0x02 // C0A0 SS10
	headerLoadMiss       = 0x50 // C1A1 TT00
	headerLoadMissData   = 0x00 // CTT0 SS00
	headerValueNotTraced = 0x6a // C110 1010
	headerContextID      = 0x6e // C110 1110

	more        = 1 << 7 // C; in address bytes: another byte follows
	branchBit   = 1 << 0
	dataA       = 1 << 5
	sizeShift   = 2 // SS
	missShift   = 2 // TT of a load miss
	valueShift  = 5 // TT of load miss data
	fieldMask   = 3 // of SS and TT
	addressByte = 0x7f

	maxAddressBytes = 5
)

// valueBytes is the meaning of SS (§6.4.1).
var valueBytes = [4]uint8{0, 1, 2, 4}

// protocol is the name in errors.
const protocol decode.Codec = "etmv2"

// kindOf returns the kind of the packet with header h, 0 if h is reserved.
func kindOf(h byte) Kind {
	switch {
	case h&branchBit != 0:
		return BranchAddress
	case h&0x13 == headerLoadMissData:
		return LoadMissData
	case h&0x53 == headerLoadMiss:
		return LoadMiss
	case h&0x53 == headerNormalData:
		return NormalData
	case h&^more == headerValueNotTraced:
		return ValueNotTraced
	case h&^more == headerContextID:
		return ContextID
	default:
		return 0
	}
}

// Parse decodes the packet at the start of b, which is in a group, into p.
//
// The error is [io.ErrUnexpectedEOF] if b ends inside the packet, or a
// [*decode.SyntaxError]; in both cases p is unchanged. Parse does not allocate unless
// it fails, and keeps no reference to b.
func (c *Config) Parse(p *Packet, b []byte) error {
	if len(b) == 0 {
		return io.ErrUnexpectedEOF
	}
	h := b[0]
	q := Packet{Kind: kindOf(h), More: h&more != 0, Len: 1}
	var err error
	switch q.Kind {
	case BranchAddress:
		q.More = false
		q.Len, err = q.Branch.parse(b)
	case NormalData:
		q.NewAddress, q.ValueBytes = h&dataA != 0, valueBytes[h>>sizeShift&fieldMask]
		err = c.parseData(&q, b)
	case LoadMiss:
		q.NewAddress, q.Tag = h&dataA != 0, h>>missShift&fieldMask
		err = c.parseData(&q, b)
	case LoadMissData:
		q.Tag, q.ValueBytes = h>>valueShift&fieldMask, valueBytes[h>>sizeShift&fieldMask]
		err = c.parseData(&q, b)
	case ContextID:
		q.ContextID, err = little(b, &q.Len, c.ContextIDBytes)
	case ValueNotTraced:
	default:
		err = protocol.Reserved(h, "no packet has that header")
	}
	if err == nil {
		*p = q
	}
	return err
}

// parseData decodes the address and the value of a data packet, as far as they are
// traced (§6.4.1).
func (c *Config) parseData(p *Packet, b []byte) error {
	if p.NewAddress && c.DataAddress {
		if err := p.parseAddress(b[p.Len:]); err != nil {
			return err
		}
	}
	if p.ValueBytes == 0 {
		return nil
	}
	if !c.DataValue {
		return protocol.Bad(b[0], "a data value, but ETMCR[2] says there are none")
	}
	end := p.Len + int(p.ValueBytes)
	if len(b) < end {
		return io.ErrUnexpectedEOF
	}
	p.Value = c.Value(b[p.Len:end])
	p.Len = end
	return nil
}

// parseAddress decodes the data address at the start of b (§6.5.6).
func (p *Packet) parseAddress(b []byte) error {
	for i, x := range b {
		if x&more != 0 && i < port.DataAddressMost-1 {
			continue
		}
		v, bits, err := port.ParseDataAddress(b[:i+1])
		if err != nil {
			return protocol.Bad(x, err.Error())
		}
		p.Address, p.AddressBytes, p.AddressBits = v, uint8(i+1), bits
		p.Len += i + 1
		return nil
	}
	return io.ErrUnexpectedEOF
}

// little returns the number of n bytes at b[*at], low byte first, and moves *at
// after it.
func little(b []byte, at *int, n int) (uint32, error) {
	end := *at + n
	if len(b) < end {
		return 0, io.ErrUnexpectedEOF
	}
	v := decode.LittleEndian(b[*at:end])
	*at = end
	return v, nil
}

// Append appends the bytes of p to dst and returns the extended slice. It is the
// inverse of [Config.Parse]. The encoding follows the numbers in p (Branch.Bytes,
// AddressBytes, ValueBytes); nothing is shortened or lengthened. Len and AddressBits
// follow from the rest. Append panics if p has no kind.
func (c *Config) Append(dst []byte, p Packet) []byte {
	switch p.Kind {
	case BranchAddress:
		return p.Branch.append(dst)
	case NormalData:
		return c.appendData(dst, &p, headerNormalData|decode.Flag(p.NewAddress, dataA)|sizeBits(p.ValueBytes))
	case LoadMiss:
		return c.appendData(dst, &p, headerLoadMiss|decode.Flag(p.NewAddress, dataA)|p.Tag<<missShift)
	case LoadMissData:
		return c.appendData(dst, &p, headerLoadMissData|p.Tag<<valueShift|sizeBits(p.ValueBytes))
	case ValueNotTraced:
		return append(dst, headerValueNotTraced|decode.Flag(p.More, more))
	case ContextID:
		return decode.AppendLittleEndian(append(dst, headerContextID|decode.Flag(p.More, more)), p.ContextID, c.ContextIDBytes)
	default:
		panic("etmv2: Append of a packet without a kind")
	}
}

func (c *Config) appendData(dst []byte, p *Packet, header byte) []byte {
	dst = append(dst, header|decode.Flag(p.More, more))
	if p.NewAddress && c.DataAddress {
		dst = decode.AppendSevens(dst, uint64(p.Address), int(p.AddressBytes))
	}
	return c.AppendValue(dst, p.Value, int(p.ValueBytes))
}

// ValueSize returns how many bytes SS gives a value (§6.4.1).
func ValueSize(v uint32) uint8 {
	switch {
	case v == 0:
		return 0
	case v < 1<<8:
		return 1
	case v < 1<<16:
		return 2
	default:
		return 4
	}
}

// sizeBits is SS for a value of n bytes.
func sizeBits(n uint8) byte {
	return min(n, 3) << sizeShift // 4 is coded 3
}

// bytesFor returns how many bytes cover the bits that are set in changed: the first
// has so many low bits, each other 7 more.
func bytesFor(changed schema.Address, first uint8) uint8 {
	n := uint8(1)
	for changed >>= first; changed != 0 && n < maxAddressBytes; changed >>= 7 {
		n++
	}
	return n
}
