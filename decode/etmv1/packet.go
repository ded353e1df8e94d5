package etmv1

import (
	"fmt"
	"io"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// An Address is the address packet of a branch: one to five bytes (docs/etmv2.md §4.4).
type Address struct {
	// Address has the bits that were sent, at their place, and 0 elsewhere. Bit 0 is
	// set if the target is Thumb code.
	Address schema.Address
	Bytes   uint8 // 1 to 5: how many were sent
	// Of the fifth byte:
	Reason  Reason
	Jazelle bool // the J bit
}

// MaxAddressBytes is the length of a full address.
const MaxAddressBytes = 5

// A Reason is why a branch has a full address. An address of fewer bytes has the
// reason [Branch].
type Reason uint8

// The reasons (§5.6.2, docs/etmv2.md §4.4). Those above Periodic are reserved.
const (
	Branch    Reason = iota // a branch; before v1.2 a periodic full address too
	TraceOn                 // tracing was enabled
	Overflow                // restart after the FIFO overflowed
	DebugExit               // the core left debug state
	Periodic                // synchronisation, or the Context ID changed
)

// Restarts reports whether trace starts at the address: no instruction branched to it.
func (r Reason) Restarts() bool { return r == TraceOn || r == Overflow || r == DebugExit }

// Reserved reports that no macrocell sends the reason.
func (r Reason) Reserved() bool { return r > Periodic }

// The fields of the bytes.
const (
	addressMore = 0x80 // of the first four: another byte follows
	addressBits = 7    // in each of them

	fifthHigh        = 0x0F // A[31:28]
	fifthReasonShift = 4
	fifthReason      = 7 // above fifthReasonShift
	fifthJazelle     = 0x80
)

// Bits returns how many low bits of the address were sent.
func (a *Address) Bits() uint8 { return min(addressBits*a.Bytes, 32) }

// Full reports whether the whole address was sent.
func (a *Address) Full() bool { return a.Bytes == MaxAddressBytes }

// HasContextID reports whether ContextIDSize bytes follow the address (§5.6.3).
func (a *Address) HasContextID() bool { return a.Full() && a.Reason != Branch }

// push adds the next byte of the address and reports whether it is the last.
func (a *Address) push(b byte) (last bool) {
	a.Bytes++
	if a.Bytes == MaxAddressBytes {
		a.Address |= schema.Address(b&fifthHigh) << 28
		a.Reason, a.Jazelle = Reason(b>>fifthReasonShift&fifthReason), b&fifthJazelle != 0
		return true
	}
	a.Address |= schema.Address(b&^addressMore) << (addressBits * (a.Bytes - 1))
	return b&addressMore == 0
}

// ParseAddress reads the address at the start of b. It fails with
// [io.ErrUnexpectedEOF] if b ends inside the address.
func ParseAddress(b []byte) (Address, error) {
	var a Address
	for i := range b {
		if done := a.push(b[i]); done {
			return a, nil
		}
	}
	return Address{}, io.ErrUnexpectedEOF
}

// AppendAddress appends the bytes of a, whose Address may have more bits than are
// sent.
func AppendAddress(dst []byte, a Address) []byte {
	if a.Bytes == 0 || a.Bytes > MaxAddressBytes {
		panic(fmt.Sprintf("etmv1: an address of %d bytes", a.Bytes))
	}
	dst = decode.AppendSevens(dst, uint64(a.Address), int(a.Bytes))
	if a.Full() {
		dst[len(dst)-1] |= byte(a.Reason)<<fifthReasonShift | decode.Flag(a.Jazelle, fifthJazelle)
	}
	return dst
}
