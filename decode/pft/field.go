package pft

import (
	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// The fields that several packets share: addresses, information bytes and cycle
// counts.

const maxAddressBytes = 5

// The fifth address byte: bit 6 as in bytes 1 to 3, then the instruction set as
// the position of the highest 1 of bits 5:3, then the highest address bits. Bit
// 3 is 1 in ARM state, which is also assumed if none is 1.
const (
	addressBit6    = 1 << 6
	addressJazelle = 1 << 5 // five address bits
	addressThumb   = 1 << 4 // four
	addressARM     = 1 << 3 // three
)

// addressLen returns the number of address bytes at the start of b, 0 if b ends
// before the last of them.
func addressLen(b []byte) int {
	for i := range min(len(b), maxAddressBytes-1) {
		if b[i]&more == 0 {
			return i + 1
		}
	}
	if len(b) < maxAddressBytes {
		return 0
	}
	return maxAddressBytes
}

// setAddress sets the address fields of p from the address bytes b (§4.5.4): six
// bits in the first byte, seven in those up to the fourth, six in one of these if
// it is the last.
//
// A fixed shift for each byte of a known length makes [Config.Parse] 1.5 times as
// fast as one loop that finds both.
func (p *Packet) setAddress(b []byte) {
	p.AddressBytes = uint8(len(b))
	v := uint32(b[0] >> 1 & 0x3f)
	switch len(b) {
	case 1:
		p.Address, p.AddressBits = schema.Address(v), 6
	case 2:
		p.Address, p.AddressBits = schema.Address(v|uint32(b[1]&0x3f)<<6), 12
	case 3:
		p.Address, p.AddressBits = schema.Address(v|uint32(b[1]&0x7f)<<6|uint32(b[2]&0x3f)<<13), 19
	case 4:
		p.Address, p.AddressBits = schema.Address(v|uint32(b[1]&0x7f)<<6|uint32(b[2]&0x7f)<<13|uint32(b[3]&0x3f)<<20), 26
	default:
		p.Address = schema.Address(v | uint32(b[1]&0x7f)<<6 | uint32(b[2]&0x7f)<<13 | uint32(b[3]&0x7f)<<20)
		p.setFifthByte(b[4])
	}
}

// setFifthByte completes the 27 bits of the address bytes before it.
func (p *Packet) setFifthByte(x byte) {
	switch {
	case x&addressJazelle != 0:
		p.ISA, p.AddressBits = schema.Jazelle, 32
	case x&addressThumb != 0:
		p.ISA, p.AddressBits = schema.T32, 31
	default:
		p.ISA, p.AddressBits = schema.A32, 30
	}
	p.Address |= schema.Address(x) << 27 & (1<<p.AddressBits - 1)
}

// appendAddress appends the address bytes of p; bit6 is bit 6 of the last one.
func appendAddress(dst []byte, p *Packet, bit6 bool) []byte {
	v := p.Address
	x := byte(v&0x3f)<<1 | 1
	if p.AddressBytes == 1 {
		return append(dst, x)
	}
	dst = append(dst, x|more)
	v >>= 6
	for range min(p.AddressBytes, maxAddressBytes-1) - 2 {
		dst = append(dst, byte(v)|more)
		v >>= 7
	}
	switch {
	case p.AddressBytes < maxAddressBytes:
		x = byte(v & 0x3f)
	case p.ISA == schema.A32:
		dst = append(dst, byte(v)|more)
		x = addressARM | byte(v>>7&0x07)
	case p.ISA == schema.Jazelle:
		dst = append(dst, byte(v)|more)
		x = addressJazelle | byte(v>>7&0x1f)
	default:
		dst = append(dst, byte(v)|more)
		x = addressThumb | byte(v>>7&0x0f)
	}
	if bit6 {
		x |= addressBit6
	}
	return append(dst, x)
}

// The information bytes of a branch address.
const (
	infoAltISA = 1 << 6 // byte 0; a waypoint update has it too
	infoNS     = 1 << 0
	infoHyp    = 1 << 5 // byte 1
)

// informationLen returns the number of information bytes of a branch address at
// the start of b, 0 if b ends before the last of them.
func informationLen(b []byte) int {
	switch {
	case len(b) > 0 && b[0]&more == 0:
		return 1
	case len(b) > 1:
		return 2
	default:
		return 0
	}
}

// setInformation sets fields of p from the information bytes b of a branch address
// (§4.5.4): C, AltISA, 0, Exc[3:0], NS, and if C is 1 a second byte, 0, 0, Hyp,
// Exc[8:4].
func (p *Packet) setInformation(b []byte) {
	p.Info = uint8(len(b))
	p.AltISA = b[0]&infoAltISA != 0
	p.NS = b[0]&infoNS != 0
	p.Exception = uint16(b[0] >> 1 & 0x0f)
	if len(b) > 1 {
		p.Hyp = b[1]&infoHyp != 0
		p.Exception |= uint16(b[1]&0x1f) << 4
	}
}

// appendInformation appends the information bytes of a branch address.
func appendInformation(dst []byte, p *Packet) []byte {
	if p.Info == 0 {
		return dst
	}
	x := byte(p.Exception&0x0f)<<1 | decode.Flag(p.AltISA, infoAltISA) | decode.Flag(p.NS, infoNS)
	if p.Info == 1 {
		return append(dst, x)
	}
	return append(dst, x|more, byte(p.Exception>>4&0x1f)|decode.Flag(p.Hyp, infoHyp))
}

// The first byte of a cycle count. Bit 7 belongs to the packet: 1 in I-syncs
// and atoms, 0 in branch addresses and timestamps.
const (
	cyclesMore     = 1 << 6
	cyclesShift    = 2 // bits 5:2 are count[3:0]
	maxCyclesBytes = 5
)

// parseCycles decodes the cycle count at the start of b (§4.4): 4 bits in the
// first byte, then 7 in each. n is its length in bytes, 0 if b ends before it does.
func parseCycles(b []byte) (cycles uint32, n int) {
	if len(b) == 0 {
		return 0, 0
	}
	cycles = uint32(b[0] >> cyclesShift & 0x0f)
	if b[0]&cyclesMore == 0 {
		return cycles, 1
	}
	for i := 1; i < len(b); i++ {
		x := b[i]
		cycles |= uint32(x&^more) << (7*i - 3)
		if x&more == 0 || i == maxCyclesBytes-1 {
			return cycles, i + 1
		}
	}
	return 0, 0
}

// appendCycles appends a cycle count in n bytes; rest has the other bits of the
// first byte.
func appendCycles(dst []byte, cycles uint32, n uint8, rest byte) []byte {
	x := rest | byte(cycles&0x0f)<<cyclesShift | decode.Flag(n > 1, cyclesMore)
	cycles >>= 4
	for ; n > 1; n-- {
		dst = append(dst, x)
		x = byte(cycles&0x7f) | decode.Flag(n > 2, more)
		cycles >>= 7
	}
	return append(dst, x)
}
