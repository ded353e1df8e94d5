package etmv2

import (
	"io"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// A TFO is the packet that a Trace FIFO Offset puts into the FIFO (§6.5.3,
// docs/etmv2.md §5.3).
type TFO struct {
	Len    int // bytes, header included
	Reason schema.ISyncReason
	// LSM reports that a load or store multiple is in progress: At is its address, and
	// Current that of the instruction that executes, as a branch after At.
	LSM       bool
	ContextID uint32
	At        decode.PC
	Current   Branch
	Low       uint8 // header bits 4:0, which are 0 unless TFOLOW=any
}

// The header of a TFO packet: LSM in bit 7, the reason in bits 6:5.
const (
	tfoLSM         = 1 << 7
	tfoReasonShift = 5
	tfoLowMask     = 0x1f
)

// ParseTFO decodes the TFO packet at the start of b into p. It fails like
// [Config.Parse].
func (c *Config) ParseTFO(p *TFO, b []byte) error {
	if len(b) == 0 {
		return io.ErrUnexpectedEOF
	}
	h := b[0]
	q := TFO{LSM: h&tfoLSM != 0, Reason: schema.ISyncReason(h >> tfoReasonShift & fieldMask), Low: h & tfoLowMask, Len: 1}
	if q.Low != 0 && c.TFOLow == 0 {
		return protocol.Reserved(h, "bits 4:0 of a TFO header are not 0")
	}
	if q.LSM && q.Reason == schema.ISyncPeriodic {
		return protocol.Bad(h, "a periodic TFO in a load or store multiple")
	}
	id, err := little(b, &q.Len, c.ContextIDBytes)
	if err != nil {
		return err
	}
	address, err := little(b, &q.Len, 4)
	if err != nil {
		return err
	}
	q.ContextID, q.At = id, pcOf(schema.Address(address))
	if q.LSM {
		if len(b) > q.Len && b[q.Len]&branchBit == 0 {
			return protocol.Bad(b[q.Len], "no branch address after the address of a load or store multiple")
		}
		n, err := q.Current.parse(b[q.Len:])
		if err != nil {
			return err
		}
		q.Len += n
	}
	*p = q
	return nil
}

// pcOf returns the PC whose address has the Thumb bit in bit 0.
func pcOf(address schema.Address) decode.PC {
	if address&1 != 0 {
		return decode.PC{Address: address &^ 1, ISA: schema.T32}
	}
	return decode.PC{Address: address, ISA: schema.A32}
}

// AppendTFO appends the bytes of p, the inverse of [Config.ParseTFO].
func (c *Config) AppendTFO(dst []byte, p TFO) []byte {
	dst = append(dst, decode.Flag(p.LSM, tfoLSM)|byte(p.Reason)<<tfoReasonShift|p.Low&tfoLowMask)
	dst = decode.AppendLittleEndian(dst, p.ContextID, c.ContextIDBytes)
	address := p.At.Address
	if p.At.ISA == schema.T32 {
		address |= 1
	}
	dst = decode.AppendLittleEndian(dst, uint32(address), 4)
	if p.LSM {
		dst = p.Current.append(dst)
	}
	return dst
}

// tfoBit is the bit of TRACEPKT that distinguishes a TFO, and an idle cycle of
// cycle-accurate trace, from a sample that may be dropped (§6.1.6).
const tfoBit = 1 << 0

// TFOValue returns the value that the byte TRACEPKT[7:0] of a TFO has (§6.5.2,
// docs/etmv2.md §5.2). It fails if the byte is reserved.
func (c *Config) TFOValue(x byte) (v int, ok bool) {
	high := int(x >> 1 & 7)
	if x&tfoBit == 0 {
		return 0, false
	}
	if c.TFO == TFOFlag {
		switch {
		case high >= 4:
			high -= 4
		case high == 0:
			high = 4
		default:
			return 0, false
		}
	}
	return high<<4 | int(x>>4), true
}

// MaxTFOValue is the highest value that a TFO can have.
func (c *Config) MaxTFOValue() int {
	if c.TFO == TFOFlag {
		return 79
	}
	return 127
}

// TFOByte returns the byte TRACEPKT[7:0] for a value up to MaxTFOValue.
func (c *Config) TFOByte(v int) byte {
	high := v >> 4
	if c.TFO == TFOFlag {
		high = (high + 4) & 7
	}
	return byte(v&0xf)<<4 | byte(high)<<1 | tfoBit
}

// Idle is TRACEPKT[3:0] of an idle cycle in cycle-accurate trace.
const Idle = 7
