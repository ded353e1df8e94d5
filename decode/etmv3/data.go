package etmv3

import (
	"io"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// The headers of data packets (§7.2, table 7.1), without their variable bits.
// TT, the tag, is never 0.
const (
	headerStoreFailed    = 0x50
	headerDataSuppressed = 0x62

	headerOutOfOrderData = 0x00 // 0TT0 SS00
	headerPlaceholder    = 0x50 // 01A1 TT00
	headerNormalData     = 0x02 // 00A0 SS10
	headerValueNotTraced = 0x6a // 011A 1010

	dataA           = 1 << 5 // A of placeholder and normal data
	notTracedA      = 1 << 4 // A of value not traced
	sizeShift       = 2      // SS
	dataTagShift    = 5      // TT of out-of-order data
	placeholderTag  = 2      // TT of a placeholder
	tagMask         = 3
	sizeMask        = 3
	dataTagBits     = tagMask << dataTagShift
	placeholderBits = tagMask << placeholderTag
)

// valueBytes is the meaning of SS (§7.4.2, docs/etmv3.md §3.9).
var valueBytes = [4]uint8{0, 1, 2, 4}

// dataKind returns the kind of data packet with header h, 0 if h is of no data
// packet.
func dataKind(h byte) Kind {
	switch {
	case h == headerStoreFailed:
		return StoreFailed
	case h == headerDataSuppressed:
		return DataSuppressed
	case h&0x93 == headerOutOfOrderData && h&dataTagBits != 0:
		return OutOfOrderData
	case h&0xd3 == headerPlaceholder && h&placeholderBits != 0:
		return OutOfOrderPlaceholder
	case h&0xd3 == headerNormalData:
		return NormalData
	case h&0xef == headerValueNotTraced:
		return ValueNotTraced
	default:
		return 0
	}
}

// parseData decodes a data packet (§7.4, docs/etmv3.md §3.9), and refuses all other
// headers.
func (c *Config) parseData(p *Packet, b []byte) error {
	h := b[0]
	q := Packet{Kind: dataKind(h)}
	switch {
	case q.Kind == 0:
		return protocol.Reserved(h, "no packet has that header")
	case !c.DataAddress && !c.DataValue:
		return protocol.Reserved(h, "a data packet, but ETMCR[3:2] says there is no data trace")
	case !c.DataValue && (q.Kind == OutOfOrderData || q.Kind == StoreFailed):
		return protocol.Reserved(h, "a packet about a data value, but ETMCR[2] says there are none")
	}
	switch q.Kind {
	case OutOfOrderData:
		q.Tag, q.ValueBytes = h>>dataTagShift&tagMask, valueBytes[h>>sizeShift&sizeMask]
	case OutOfOrderPlaceholder:
		q.Tag, q.NewAddress = h>>placeholderTag&tagMask, h&dataA != 0
	case NormalData:
		q.NewAddress, q.ValueBytes = h&dataA != 0, valueBytes[h>>sizeShift&sizeMask]
	case ValueNotTraced:
		q.NewAddress = h&notTracedA != 0
	default: // only a header
	}
	n := 1
	if q.NewAddress && c.DataAddress {
		bytes := q.setDataAddress(b[n:])
		if bytes == 0 {
			return io.ErrUnexpectedEOF
		}
		n += bytes
	}
	if c.DataValue {
		end := n + int(q.ValueBytes)
		if len(b) < end {
			return io.ErrUnexpectedEOF
		}
		q.Value = decode.LittleEndian(b[n:end])
		n = end
	}
	q.Len = n
	*p = q
	return nil
}

// bigEndian is the bit of a fifth data address byte, 0 0 0 E A[31:28], that
// reports the data endianness (docs/etmv3.md §8.4).
const bigEndian = 1 << 4

// setDataAddress sets the address of p from the address bytes at the start of b: 7
// bits a byte, low first, four in the fifth (§7.4.2). It returns how many there
// are, 0 if b ends before the last of them.
func (p *Packet) setDataAddress(b []byte) (n int) {
	v, n := decode.ParseSevens(b, maxAddressBytes)
	p.Address, p.AddressBytes, p.AddressBits = schema.Address(uint32(v)), uint8(n), uint8(min(7*n, 32))
	p.BigEndian = n == maxAddressBytes && b[n-1]&bigEndian != 0
	return n
}

func (c *Config) appendData(dst []byte, p *Packet) []byte {
	h := byte(0)
	switch p.Kind {
	case OutOfOrderData:
		h = headerOutOfOrderData | p.Tag<<dataTagShift | sizeBits(p.ValueBytes)
	case OutOfOrderPlaceholder:
		h = headerPlaceholder | p.Tag<<placeholderTag | decode.Flag(p.NewAddress, dataA)
	case NormalData:
		h = headerNormalData | decode.Flag(p.NewAddress, dataA) | sizeBits(p.ValueBytes)
	default:
		h = headerValueNotTraced | decode.Flag(p.NewAddress, notTracedA)
	}
	dst = append(dst, h)
	if p.NewAddress && c.DataAddress {
		dst = decode.AppendSevens(dst, uint64(p.Address), int(p.AddressBytes))
		if p.BigEndian {
			dst[len(dst)-1] |= bigEndian
		}
	}
	if c.DataValue {
		dst = decode.AppendLittleEndian(dst, p.Value, int(p.ValueBytes))
	}
	return dst
}

// sizeBits is SS for a value of n bytes.
func sizeBits(n uint8) byte {
	return min(n, 3) << sizeShift // 4 is coded 3
}
