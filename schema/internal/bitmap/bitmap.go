// Package bitmap packs booleans into bits, least significant first, as both
// Parquet and Arrow have them.
package bitmap

import "encoding/binary"

// gather moves the lowest bit of byte i of a product's factor to bit 56+i; no
// two of its terms meet in one bit, so nothing carries.
const gather = 0x0102040810204080

// Append appends the bits of src, whose values are 0 or 1, to dst. Bits left
// over in the last byte are 0.
func Append(dst, src []uint8) []byte {
	for len(src) >= 8 {
		dst = append(dst, byte(binary.LittleEndian.Uint64(src)*gather>>56))
		src = src[8:]
	}
	if len(src) > 0 {
		var last [8]uint8
		copy(last[:], src)
		dst = append(dst, byte(binary.LittleEndian.Uint64(last[:])*gather>>56))
	}
	return dst
}
