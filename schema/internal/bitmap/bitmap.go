// Package bitmap packs booleans and other small numbers into bits, least significant
// first, as both Parquet and Arrow have them.
package bitmap

import (
	"encoding/binary"
	"slices"
)

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

// AppendPairs appends the 2 lowest bits of each number in src to dst; the others are 0.
// Bits left over in the last byte are 0.
func AppendPairs(dst, src []uint8) []byte {
	n := len(src) / 8
	dst = slices.Grow(dst, 2*n+2)
	for ; len(src) >= 8; src = src[8:] {
		dst = binary.LittleEndian.AppendUint16(dst, pairs(src))
	}
	if len(src) > 0 {
		var last [8]uint8
		copy(last[:], src)
		dst = binary.LittleEndian.AppendUint16(dst, pairs(last[:]))[:len(dst)+(len(src)+3)/4]
	}
	return dst
}

// pairs moves 8 numbers of 2 bits next to each other, two at a time.
func pairs(src []uint8) uint16 {
	x := binary.LittleEndian.Uint64(src)
	x = (x | x>>6) & 0x000f000f000f000f
	x = (x | x>>12) & 0x000000ff000000ff
	return uint16(x | x>>24)
}

// AppendNibbles appends the 4 lowest bits of each number in src to dst; the others are
// 0. Bits left over in the last byte are 0.
func AppendNibbles(dst, src []uint8) []byte {
	n := len(src) / 8
	dst = slices.Grow(dst, 4*n+4)
	for ; len(src) >= 8; src = src[8:] {
		dst = binary.LittleEndian.AppendUint32(dst, nibbles(src))
	}
	if len(src) > 0 {
		var last [8]uint8
		copy(last[:], src)
		dst = binary.LittleEndian.AppendUint32(dst, nibbles(last[:]))[:len(dst)+(len(src)+1)/2]
	}
	return dst
}

// nibbles moves 8 numbers of 4 bits next to each other, two at a time.
func nibbles(src []uint8) uint32 {
	x := binary.LittleEndian.Uint64(src)
	x = (x | x>>4) & 0x00ff00ff00ff00ff
	x = (x | x>>8) & 0x0000ffff0000ffff
	return uint32(x | x>>16)
}
