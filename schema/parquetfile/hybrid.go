package parquetfile

import (
	"encoding/binary"
	"slices"

	"github.com/tracelake/tracelake/schema/internal/bitmap"
)

// The RLE/bit-packing hybrid (Encodings.md, "RLE = 3"), for levels and for
// dictionary indexes. It allows any mixture; this package writes only RLE runs, if
// values seldom change, or one bit-packed run. Widths divide a byte, or are whole
// bytes: that may be more bits, but fewer bytes after compression, because the
// compressor still sees repetition.

// sparse is the least average length of a run in a page of RLE runs: a run costs
// as many bytes as a few values.
const sparse = 16

// widthOf returns the width of indexes into a dictionary of so many entries.
func widthOf(entries int) int {
	for width := 1; width < 16; width *= 2 {
		if entries <= 1<<width {
			return width
		}
	}
	return 16
}

// appendIndexes appends the width of indexes below 256 into a dictionary of so many
// entries, and the indexes.
func appendIndexes(dst []byte, index []uint8, entries int) []byte {
	width := widthOf(entries)
	return appendSmall(append(dst, byte(width)), index, width)
}

// appendBits appends values of 0 and 1 at width 1.
func appendBits(dst []byte, values []uint8) []byte { return appendSmall(dst, values, 1) }

// appendSmall appends values at a width of 8 or less.
func appendSmall(dst []byte, values []uint8, width int) []byte {
	if isRuns(values, 1) {
		return appendRuns(dst, values, 1)
	}
	return appendPacked(appendPackedHeader(dst, len(values)), values, width)
}

// appendPacked appends values at a width of 8 or less, in groups of 8.
func appendPacked(dst []byte, values []uint8, width int) []byte {
	end := len(dst) + (len(values)+padding(len(values)))/8*width
	switch width {
	case 1:
		dst = bitmap.Append(dst, values)
	case 2:
		dst = bitmap.AppendPairs(dst, values)
	case 4:
		dst = bitmap.AppendNibbles(dst, values)
	default:
		dst = append(dst, values...)
	}
	return append(dst, make([]byte, end-len(dst))...)
}

// appendWords appends values at width 16, two bytes each.
func appendWords(dst, words []byte) []byte {
	if isRuns(words, 2) {
		return appendRuns(dst, words, 2)
	}
	n := len(words) / 2
	dst = append(appendPackedHeader(dst, n), words...)
	return append(dst, make([]byte, 2*padding(n))...)
}

// appendPackedHeader appends the head of one bit-packed run of n values. Such a
// run consists of groups of 8, the last filled up.
func appendPackedHeader(dst []byte, n int) []byte {
	return binary.AppendUvarint(dst, uint64(n+padding(n))/8<<1|1)
}

func padding(n int) int { return -n & 7 }

// isRuns says whether values, of one byte or two each, change seldom enough to be
// written as runs.
func isRuns(values []byte, size int) bool {
	changes, limit := 0, len(values)/size/sparse
	for at, odd := size, size-1; at < len(values); at += size {
		if values[at] != values[at-size] || values[at+odd] != values[at-1] {
			if changes++; changes > limit {
				return false
			}
		}
	}
	return true
}

// appendRuns appends values, of one byte or two each, as runs.
func appendRuns(dst, values []byte, size int) []byte {
	for len(values) > 0 {
		n := size
		for n < len(values) && values[n] == values[0] && values[n+size-1] == values[size-1] {
			n += size
		}
		dst = append(binary.AppendUvarint(dst, uint64(n/size)<<1), values[:size]...)
		values = values[n:]
	}
	return dst
}

// appendRun appends n times the same value of up to 8 bits.
func appendRun(dst []byte, v uint8, n int) []byte {
	return append(binary.AppendUvarint(dst, uint64(n)<<1), v)
}

// narrow returns the low bytes of words, in the memory of dst.
func narrow(dst []uint8, words []byte) []uint8 {
	n := len(words) / 2
	dst = slices.Grow(dst[:0], n+4)
	for ; len(words) >= 8; words = words[8:] {
		x := binary.LittleEndian.Uint64(words) & 0x00ff00ff00ff00ff
		x = (x | x>>8) & 0x0000ffff0000ffff
		dst = binary.LittleEndian.AppendUint32(dst, uint32(x|x>>16))
	}
	for ; len(words) > 0; words = words[2:] {
		dst = append(dst, words[0])
	}
	return dst
}
