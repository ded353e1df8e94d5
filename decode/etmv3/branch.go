package etmv3

import (
	"io"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// A Branch is an address as branch packets have it, and the information bytes
// after it (§7.3.5, docs/etmv3.md §3.4).
type Branch struct {
	// Address as sent: Bits bits, without the low bits that are always 0 in the
	// instruction set (A32 two, Thumb one, Jazelle none). Bytes is the number of
	// address bytes, 1 to 5.
	Address schema.Address
	Bits    uint8
	Bytes   uint8
	// ISA is in a fifth address byte: A32, Jazelle, or T32, which means T32EE if
	// the last AltISA, of this or an earlier packet, is set.
	ISA schema.ISA

	// Info is the number of information bytes, 0 to 3. NS and AltISA are in byte
	// 0, Hyp in byte 1; without information bytes the packet has none of them.
	Info   uint8
	AltISA bool
	NS     bool
	Hyp    bool
	Cancel bool // information byte 0, or the old exception form
	// Old reports the old exception form, without information bytes. Exception is
	// then EEE, whose numbers differ.
	Old bool
	// Exception is Excp, 9 bits. 0 is an exception in the old form only.
	Exception uint16
	// Resume is present where HasResume: in information byte 2.
	HasResume bool
	Resume    uint8
}

// IsException reports whether the branch is the entry to an exception.
func (r *Branch) IsException() bool { return r.Old || r.Exception != 0 }

// Target returns the address of r, after the last address was last. isa is the
// instruction set at the target: r.ISA if r has five address bytes, otherwise the
// one before r.
func (r *Branch) Target(last schema.Address, isa schema.ISA) schema.Address {
	shift := addressShift(isa)
	sent := schema.Address(1<<(r.Bits+shift) - 1)
	return (last&^sent | r.Address<<shift).In32()
}

// addressShift is the number of low address bits that are always 0.
func addressShift(isa schema.ISA) uint8 {
	switch isa {
	case schema.A32:
		return 2
	case schema.Jazelle:
		return 0
	default:
		return 1
	}
}

const maxAddressBytes = 5

// addressBit6 is the bit of the last address byte that announces information
// bytes: of a fifth byte, and in the alternative encoding of any but the first.
const addressBit6 = 1 << 6

// The fifth address byte: bit 6 as above, then the instruction set as the
// position of the highest 1 of bits 5:3, then the highest address bits.
const (
	addressJazelle = 1 << 5 // five address bits
	addressThumb   = 1 << 4 // four
	addressARM     = 1 << 3 // three
)

// The fifth address byte of the old exception form, 1 Can EEE A[31:29]
// (docs/etmv3.md §3.4.1).
const (
	oldForm      = 1 << 7
	oldCancel    = 1 << 6
	oldExcpShift = 3
)

// parseBranch decodes a branch address packet (§7.3.5).
func (c *Config) parseBranch(p *Packet, b []byte) error {
	address, info, err := c.branchLens(b[0], b, !c.AltBranch)
	if err != nil {
		return err
	}
	*p = Packet{}
	p.Kind, p.Len = BranchAddress, address+info
	c.setBranch(&p.Branch, b[:address], b[address:address+info])
	return nil
}

// branchLens returns the numbers of address and of information bytes at the start
// of b. h is the header of the packet, for errors; old allows the old exception
// form.
func (c *Config) branchLens(h byte, b []byte, old bool) (address, info int, err error) {
	address = addressLen(b)
	if address == 0 {
		return 0, 0, io.ErrUnexpectedEOF
	}
	if address == maxAddressBytes && !validFifthByte(b[4], old) {
		return 0, 0, protocol.Bad(h, "a fifth address byte that is reserved")
	}
	if c.announcesInformation(b[:address]) {
		info, err = informationLen(h, b[address:])
	}
	return address, info, err
}

// announcesInformation reports whether information bytes follow the address bytes
// b.
func (c *Config) announcesInformation(b []byte) bool {
	last := b[len(b)-1]
	switch len(b) {
	case 1:
		return false
	case maxAddressBytes:
		return last&(oldForm|addressBit6) == addressBit6
	default:
		return c.AltBranch && last&addressBit6 != 0
	}
}

// setBranch sets r, which is zero, from the address bytes and the information
// bytes, if any.
func (c *Config) setBranch(r *Branch, address, info []byte) {
	r.setAddress(address, c.AltBranch)
	if len(info) > 0 {
		c.setInformation(r, info)
	}
}

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

func validFifthByte(x byte, old bool) bool {
	if x&oldForm != 0 {
		return old
	}
	return x&(addressJazelle|addressThumb|addressARM) != 0
}

// setAddress sets the address fields of r from the address bytes b: six bits in
// the first byte, seven in those up to the fourth. In the alternative encoding
// (§7.3.5, docs/etmv3.md §3.4.2) the last of these has six.
//
// A fixed shift for each byte of a known length is faster than one loop that
// finds both.
func (r *Branch) setAddress(b []byte, alternative bool) {
	r.Bytes = uint8(len(b))
	last, short := byte(0x7f), uint8(0)
	if alternative {
		last, short = 0x3f, 1
	}
	v := uint32(b[0] >> 1 & 0x3f)
	switch len(b) {
	case 1:
		r.Address, r.Bits = schema.Address(v), 6
	case 2:
		r.Address, r.Bits = schema.Address(v|uint32(b[1]&last)<<6), 13-short
	case 3:
		r.Address, r.Bits = schema.Address(v|uint32(b[1]&0x7f)<<6|uint32(b[2]&last)<<13), 20-short
	case 4:
		r.Address, r.Bits = schema.Address(v|uint32(b[1]&0x7f)<<6|uint32(b[2]&0x7f)<<13|uint32(b[3]&last)<<20), 27-short
	default:
		r.Address = schema.Address(v | uint32(b[1]&0x7f)<<6 | uint32(b[2]&0x7f)<<13 | uint32(b[3]&0x7f)<<20)
		r.setFifthByte(b[4])
	}
}

// setFifthByte completes the 27 bits of the address bytes before it.
func (r *Branch) setFifthByte(x byte) {
	switch {
	case x&oldForm != 0:
		r.ISA, r.Bits = schema.A32, 30
		r.Old, r.Cancel, r.Exception = true, x&oldCancel != 0, uint16(x>>oldExcpShift&7)
	case x&addressJazelle != 0:
		r.ISA, r.Bits = schema.Jazelle, 32
	case x&addressThumb != 0:
		r.ISA, r.Bits = schema.T32, 31
	default:
		r.ISA, r.Bits = schema.A32, 30
	}
	r.Address |= schema.Address(x) << 27 & (1<<r.Bits - 1)
}

// The information bytes of a branch address, C AltISA Canc Excp[3:0] NS, then C
// 0 Hyp Excp[8:4], then 0 1 0 0 Resume[3:0] (§7.3.5, docs/etmv3.md §3.4.3).
const (
	infoAltISA = 1 << 6 // byte 0
	infoCancel = 1 << 5
	infoNS     = 1 << 0
	infoByte2  = 1 << 6 // distinguishes byte 2 from byte 1
	infoHyp    = 1 << 5 // byte 1
	infoResume = 0x0f   // byte 2
)

// informationLen returns the number of information bytes at the start of b. Byte
// 1, byte 2, or both in that order may follow byte 0.
func informationLen(h byte, b []byte) (int, error) {
	for n, x := range b {
		switch {
		case n > 0 && x&infoByte2 != 0 && x&more != 0:
			return 0, protocol.Bad(h, "an information byte behind byte 2")
		case n > 1 && x&infoByte2 == 0:
			return 0, protocol.Bad(h, "a second information byte 1")
		case x&more == 0:
			return n + 1, nil
		}
	}
	return 0, io.ErrUnexpectedEOF
}

// setInformation sets fields of r from the information bytes b.
func (c *Config) setInformation(r *Branch, b []byte) {
	r.Info = uint8(len(b))
	r.AltISA, r.Cancel, r.NS = b[0]&infoAltISA != 0, b[0]&infoCancel != 0, b[0]&infoNS != 0
	r.Exception = uint16(b[0] >> 1 & 0x0f)
	for _, x := range b[1:] {
		if x&infoByte2 != 0 {
			r.HasResume, r.Resume = true, x&infoResume
		} else {
			r.Hyp = c.Virtualization && x&infoHyp != 0
			r.Exception |= uint16(x&0x1f) << 4
		}
	}
}

// hasByte1 reports whether information byte 1 is present: of two bytes, the second
// may be byte 2.
func (r *Branch) hasByte1() bool {
	return r.Info == 3 || r.Info == 2 && !r.HasResume
}

// appendBranch appends the address and information bytes of r.
func (c *Config) appendBranch(dst []byte, r *Branch) []byte {
	v := r.Address
	x := byte(v&0x3f)<<1 | 1
	v >>= 6
	for i := uint8(1); i < r.Bytes; i++ {
		dst = append(dst, x|more)
		x = byte(v) & 0x7f
		v >>= 7
	}
	switch {
	case r.Bytes == maxAddressBytes:
		x = r.fifthByte(x)
	case c.AltBranch && r.Bytes > 1:
		x = x&0x3f | decode.Flag(r.Info > 0, addressBit6)
	}
	return appendInformation(append(dst, x), r)
}

// fifthByte returns the fifth address byte of r, whose highest address bits are x.
func (r *Branch) fifthByte(x byte) byte {
	switch {
	case r.Old:
		return x&0x07 | oldForm | decode.Flag(r.Cancel, oldCancel) | byte(r.Exception&7)<<oldExcpShift
	case r.ISA == schema.A32:
		x = x&0x07 | addressARM
	case r.ISA == schema.Jazelle:
		x = x&0x1f | addressJazelle
	default:
		x = x&0x0f | addressThumb
	}
	return x | decode.Flag(r.Info > 0, addressBit6)
}

// appendInformation appends the information bytes of r.
func appendInformation(dst []byte, r *Branch) []byte {
	if r.Info == 0 {
		return dst
	}
	dst = append(dst, decode.Flag(r.Info > 1, more)|decode.Flag(r.AltISA, infoAltISA)|decode.Flag(r.Cancel, infoCancel)|
		byte(r.Exception&0x0f)<<1|decode.Flag(r.NS, infoNS))
	if r.hasByte1() {
		dst = append(dst, decode.Flag(r.Info > 2, more)|decode.Flag(r.Hyp, infoHyp)|byte(r.Exception>>4&0x1f))
	}
	if r.HasResume {
		dst = append(dst, infoByte2|r.Resume&infoResume)
	}
	return dst
}
