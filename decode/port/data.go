package port

import (
	"errors"
	"fmt"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// Addresses and values of data, which both protocols send alike (docs/etmv2.md §4.7,
// §5.4). The lengths of values are what the protocols say.

// DataAddressMost is how many bytes a data address has at most.
const DataAddressMost = 5

// The fields of a data address: 7 bits a byte, the low ones first; bit 7: more follow.
const (
	more          = 0x80
	addressBits   = 7
	fifthByteBits = 4 // A[31:28]
)

// errDataAddress is the error for bytes that are no data address.
var errDataAddress = errors.New("data address")

// ParseDataAddress reads a whole data address: b has the bytes up to the one with bit 7
// clear, at most DataAddressMost. It returns the low bits that were sent, and how many
// they are: 7, 14, 21, 28 or 32.
func ParseDataAddress(b []byte) (address schema.Address, bits uint8, err error) {
	if len(b) == 0 || len(b) > DataAddressMost {
		return 0, 0, fmt.Errorf("%w of %d bytes: 1 to %d are possible", errDataAddress, len(b), DataAddressMost)
	}
	for i, x := range b {
		address |= schema.Address(x&^more) << (addressBits * i)
	}
	if len(b) < DataAddressMost {
		return address, uint8(addressBits * len(b)), nil
	}
	if fifth := b[DataAddressMost-1]; fifth>>fifthByteBits != 0 {
		return 0, 0, fmt.Errorf("%w with fifth byte 0x%02X: above 0x0F it is reserved", errDataAddress, fifth)
	}
	return address, 32, nil
}

// DataAddressBytes is the least number of bytes that hold all bits in which an address
// differs from the last one, and at least 1.
func DataAddressBytes(address, last schema.Address) int {
	n := 1
	for changed := (address ^ last) >> addressBits; changed != 0 && n < DataAddressMost; changed >>= addressBits {
		n++
	}
	return n
}

// Value returns the data value in b, which has at most four bytes.
func (c *Config) Value(b []byte) uint32 {
	if !c.BigEndian {
		return decode.LittleEndian(b)
	}
	var v uint32
	for _, x := range b {
		v = v<<8 | uint32(x)
	}
	return v
}

// AppendValue appends a data value in n bytes, at most four.
func (c *Config) AppendValue(dst []byte, v uint32, n int) []byte {
	if !c.BigEndian {
		return decode.AppendLittleEndian(dst, v, n)
	}
	for i := n - 1; i >= 0; i-- {
		dst = append(dst, byte(v>>(8*i)))
	}
	return dst
}
