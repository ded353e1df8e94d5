package etmv2

import (
	"io"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// A Branch is a branch address (§6.7.1, docs/etmv2.md §5.5).
type Branch struct {
	// Address as sent: Bits bits, without the low bits that are always 0 in the
	// instruction set (A32 two, Thumb one). Bytes is the number of bytes, 1 to 5.
	Address schema.Address
	Bits    uint8
	Bytes   uint8
	// ISA is in five bytes only: A32 or T32. With fewer, it does not change.
	ISA schema.ISA
	// Cancel is the E bit: the most recent instruction was cancelled. It is in five
	// bytes of an A32 address only.
	Cancel bool
}

// The fifth byte of a branch address: the position of the highest 1 of bits 4:3
// shows the state. All other values are reserved (table 6.9).
const (
	fifthThumb  = 0x10 // 0001 A[31:28]
	fifthARM    = 0x08 // 0E00 1 A[31:29]
	fifthCancel = 0x40
)

// addressShift is the number of low address bits that are always 0.
func addressShift(state schema.ISA) uint8 {
	if state == schema.A32 {
		return 2
	}
	return 1
}

// NewBranch returns the branch address of bytes bytes, 1 to 5, to an address. Fewer
// than five bytes have its low bits only, and cannot cancel.
func NewBranch(to decode.PC, cancel bool, bytes uint8) Branch {
	b := Branch{Address: to.Address >> addressShift(to.ISA), Bytes: bytes}
	if bytes == maxAddressBytes {
		b.ISA, b.Bits, b.Cancel = to.ISA, 32-addressShift(to.ISA), cancel
		return b
	}
	b.Bits = 7*bytes - 1
	b.Address &= 1<<b.Bits - 1
	return b
}

// BranchBytes is how many bytes a branch address needs at least, after last: those
// that cover all bits that differ, and five if the state differs or the branch
// cancels.
func BranchBytes(to, last decode.PC, cancel bool) uint8 {
	if cancel || to.ISA != last.ISA {
		return maxAddressBytes
	}
	return bytesFor((to.Address^last.Address)>>addressShift(to.ISA), 6)
}

// Target returns the address of r after the last one was last: fewer than five
// bytes replace its low bits and do not change the state.
func (r *Branch) Target(last decode.PC) decode.PC {
	state := last.ISA
	if r.Bytes == maxAddressBytes {
		state = r.ISA
	}
	shift := addressShift(state)
	sent := schema.Address(1<<(r.Bits+shift) - 1)
	return decode.PC{Address: (last.Address&^sent | r.Address<<shift).In32(), ISA: state}
}

// parse decodes the branch address at the start of b, and returns its length.
func (r *Branch) parse(b []byte) (n int, err error) {
	v, shift := uint32(0), 0
	for i, x := range b {
		low := x & addressByte
		switch i {
		case 0:
			v, shift = uint32(low>>1), 6
		case maxAddressBytes - 1:
			return r.parseFifth(v, x)
		default:
			v |= uint32(low) << shift
			shift += 7
		}
		if x&more == 0 {
			*r = Branch{Address: schema.Address(v), Bits: uint8(shift), Bytes: uint8(i + 1)}
			return i + 1, nil
		}
	}
	return 0, io.ErrUnexpectedEOF
}

// parseFifth decodes the fifth byte x, after 27 bits.
func (r *Branch) parseFifth(v uint32, x byte) (n int, err error) {
	switch {
	case x&^0x0f == fifthThumb:
		*r = Branch{Address: schema.Address(v | uint32(x&0x0f)<<27), Bits: 31, ISA: schema.T32}
	case x&^(0x07|fifthCancel) == fifthARM:
		*r = Branch{Address: schema.Address(v | uint32(x&0x07)<<27), Bits: 30, ISA: schema.A32, Cancel: x&fifthCancel != 0}
	default:
		return 0, protocol.Bad(x, "a fifth byte of a branch address that is reserved")
	}
	r.Bytes = maxAddressBytes
	return maxAddressBytes, nil
}

// append appends the bytes of r.
func (r *Branch) append(dst []byte) []byte {
	v := r.Address
	x := byte(v&0x3f)<<1 | branchBit
	v >>= 6
	for i := uint8(1); i < r.Bytes; i++ {
		dst = append(dst, x|more)
		x = byte(v) & addressByte
		v >>= 7
	}
	if r.Bytes == maxAddressBytes {
		x = r.fifth(x)
	}
	return append(dst, x)
}

// fifth returns the fifth byte of r, whose highest address bits are x.
func (r *Branch) fifth(x byte) byte {
	if r.ISA == schema.A32 {
		return x&0x07 | fifthARM | decode.Flag(r.Cancel, fifthCancel)
	}
	return x&0x0f | fifthThumb
}
