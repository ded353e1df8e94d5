package parquetfile

import (
	"bytes"
	"encoding/binary"

	"github.com/tracelake/tracelake/schema/internal/bitmap"
)

// The RLE/bit-packing hybrid (Encodings.md, "RLE = 3"), for levels and for
// dictionary indexes. It allows any mixture; this package writes only RLE runs, if
// values seldom change, or one bit-packed run. Widths other than 1 are whole bytes:
// that is more bits, but fewer bytes after compression, because the compressor
// still sees repetition.

// sparse is the least average length of a run in a page of RLE runs: a run costs
// as many bytes as a few values.
const sparse = 16

// appendBits appends values of 0 and 1 at width 1.
func appendBits(dst []byte, values []uint8) []byte {
	if isRuns(values) {
		return appendRuns(dst, values)
	}
	return bitmap.Append(appendPackedHeader(dst, len(values)), values)
}

// appendBytes appends values at width 8.
func appendBytes(dst []byte, values []uint8) []byte {
	if isRuns(values) {
		return appendRuns(dst, values)
	}
	dst = append(appendPackedHeader(dst, len(values)), values...)
	return append(dst, make([]byte, padding(len(values)))...)
}

// appendWords appends values at width 16, two bytes each.
func appendWords(dst, words []byte) []byte {
	n := len(words) / 2
	if isWordRuns(words) {
		return appendWordRuns(dst, words)
	}
	dst = append(appendPackedHeader(dst, n), words...)
	return append(dst, make([]byte, 2*padding(n))...)
}

// appendPackedHeader appends the head of one bit-packed run of n values. Such a
// run consists of groups of 8, the last filled up.
func appendPackedHeader(dst []byte, n int) []byte {
	return binary.AppendUvarint(dst, uint64(n+padding(n))/8<<1|1)
}

func padding(n int) int { return -n & 7 }

// isRuns says whether values change seldom enough to be written as runs.
func isRuns(values []uint8) bool {
	changes := 0
	for limit := len(values) / sparse; len(values) > 1; {
		n := min(len(values), 1025) // look at the count now and then, not for each value
		last := values[0]
		for _, v := range values[1:n] {
			if v != last {
				changes++
			}
			last = v
		}
		if changes > limit {
			return false
		}
		values = values[n-1:]
	}
	return true
}

// isWordRuns is isRuns for words.
func isWordRuns(words []byte) bool {
	changes := 0
	for limit := len(words) / 2 / sparse; len(words) > 2; {
		n := min(len(words), 2*1025)
		last := binary.LittleEndian.Uint16(words)
		for at := 2; at < n; at += 2 {
			v := binary.LittleEndian.Uint16(words[at:])
			if v != last {
				changes++
			}
			last = v
		}
		if changes > limit {
			return false
		}
		words = words[n-2:]
	}
	return true
}

// appendRuns appends values as runs.
func appendRuns(dst []byte, values []uint8) []byte {
	for len(values) > 0 {
		v, n := values[0], 1
		for n < len(values) && values[n] == v {
			n++
		}
		dst = appendRun(dst, v, n)
		values = values[n:]
	}
	return dst
}

// appendWordRuns appends words as runs.
func appendWordRuns(dst, words []byte) []byte {
	for len(words) > 0 {
		n := 2
		for n < len(words) && words[n] == words[0] && words[n+1] == words[1] {
			n += 2
		}
		dst = appendWordRun(dst, binary.LittleEndian.Uint16(words), n/2)
		words = words[n:]
	}
	return dst
}

// appendLevels appends the definition levels of a v1 page, with their length in
// front. Nil means that no value is NULL.
func appendLevels(dst []byte, valid []uint8, rows int) []byte {
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	switch {
	case valid == nil:
		dst = appendRun(dst, 1, rows)
	case bytes.IndexByte(valid, 1) < 0:
		dst = appendRun(dst, 0, rows)
	default:
		dst = appendBits(dst, valid)
	}
	binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	return dst
}

// appendRun appends n times the same value of up to 8 bits.
func appendRun(dst []byte, v uint8, n int) []byte {
	return append(binary.AppendUvarint(dst, uint64(n)<<1), v)
}

// appendWordRun appends n times the same value of 9 to 16 bits.
func appendWordRun(dst []byte, v uint16, n int) []byte {
	return append(binary.AppendUvarint(dst, uint64(n)<<1), byte(v), byte(v>>8))
}
