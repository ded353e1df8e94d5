package parquetfile

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/internal/bitmap"
)

// Differences come in blocks of miniblocks (Encodings.md, "DELTA_BINARY_PACKED =
// 5"). The widths in them are half a byte or whole bytes, for the reason that widths of
// indexes are: see hybrid.go. Blocks are long, so that their heads seldom come between.
const (
	deltaBlock      = 1024
	deltaMinis      = 4
	fewDeltas       = 4096 // with fewer values, blocks are as short as the format allows
	shortDeltaBlock = 128
	deltaNibble     = 15  // the most that half a byte has
	deltaByte       = 255 // the most that one byte has
)

// deltas are rising numbers of 64 bits, stored as differences.
type deltas struct {
	noDictionary
	sign uint64
	all  span[uint64]

	valid []uint64 // scratch
	block [deltaBlock]uint64
	small [deltaBlock]uint8
}

func (e *deltas) reset() { e.all = span[uint64]{} }

func (e *deltas) appendPage(dst []byte, v *schema.Vector, valid []uint8) ([]byte, format.Encoding) {
	values := compact(&e.valid, v.U64, valid)
	size, last := deltaSize(len(values)), values[0]
	dst = appendDeltaHead(dst, size, len(values), last)
	e.all.addOne(last, e.sign)
	for values = values[1:]; len(values) > 0; {
		m := values[:min(size, len(values))]
		values = values[len(m):]
		dst = e.appendBlock(dst, m, last, size/deltaMinis)
		last = m[len(m)-1]
	}
	return dst, format.DeltaBinaryPacked
}

// appendBlock appends a block of the differences of values after last. Nearly all are
// of one byte at most: then values rise.
func (e *deltas) appendBlock(dst []byte, values []uint64, last uint64, mini int) []byte {
	small, all, before := e.small[:len(values)], uint64(0), last
	for i, x := range values {
		small[i] = uint8(x - before)
		all |= x - before
		before = x
	}
	if all <= deltaByte && before^e.sign >= last^e.sign {
		e.all.addOne(before, e.sign)
		return appendSmallDeltas(dst, small, all, mini)
	}
	e.all.add(values, e.sign)
	d := e.block[:len(values)]
	for i, x := range values {
		d[i] = x - last
		last = x
	}
	return appendDeltas(dst, d, mini)
}

// deltaSize returns how many values are in a block of a page of n.
func deltaSize(n int) int {
	if n < fewDeltas {
		return shortDeltaBlock
	}
	return deltaBlock
}

// appendDeltaHead appends the head of a page of n values.
func appendDeltaHead(dst []byte, size, n int, first uint64) []byte {
	dst = binary.AppendUvarint(dst, uint64(size))
	dst = binary.AppendUvarint(dst, uint64(deltaMinis))
	dst = binary.AppendUvarint(dst, uint64(n))
	return binary.AppendVarint(dst, int64(first))
}

// appendSmallDeltas appends a block of differences of a byte each, which have no other
// bits than all: in half a byte if that has them.
func appendSmallDeltas(dst []byte, d []uint8, all uint64, mini int) []byte {
	if isConstant(d) {
		return append(binary.AppendVarint(dst, int64(d[0])), make([]byte, deltaMinis)...)
	}
	width := 8
	if all <= deltaNibble {
		width = 4
	}
	minis := (len(d) + mini - 1) / mini
	dst = append(dst, 0) // the least: a difference is the same bits in every block
	for range minis {
		dst = append(dst, uint8(width))
	}
	dst = append(dst, make([]byte, deltaMinis-minis)...)
	end := len(dst) + minis*mini*width/8
	if width == 4 {
		dst = bitmap.AppendNibbles(dst, d)
	} else {
		dst = append(dst, d...)
	}
	return append(dst, make([]byte, end-len(dst))...)
}

// appendDeltas appends a block of differences, which it changes.
func appendDeltas(dst []byte, d []uint64, mini int) []byte {
	least, equal := int64(d[0]), true
	for _, x := range d {
		least = min(least, int64(x))
		equal = equal && x == d[0]
	}
	dst = binary.AppendVarint(dst, least)
	widths := len(dst)
	dst = append(dst, make([]byte, deltaMinis)...)
	if equal {
		return dst
	}
	for i := 0; len(d) > 0; i++ {
		m := d[:min(mini, len(d))]
		d = d[len(m):]
		most := uint64(0)
		for k := range m {
			m[k] -= uint64(least)
			most |= m[k]
		}
		size := (bits.Len64(most) + 7) / 8
		dst[widths+i] = uint8(8 * size)
		dst = appendNumbers(dst, m, size, mini)
	}
	return dst
}

// appendNumbers appends the low bytes of numbers, as many as size, and zeros for
// those that are missing to a miniblock.
func appendNumbers(dst []byte, m []uint64, size, mini int) []byte {
	at := len(dst)
	dst = slices.Grow(dst, size*mini+8)[:at+size*mini]
	out := dst[at : at+size*mini+8]
	switch size {
	case 0:
	case 1:
		for i, x := range m {
			out[i] = uint8(x)
		}
	default:
		for i, x := range m {
			binary.LittleEndian.PutUint64(out[i*size:], x)
		}
	}
	clear(out[size*len(m) : size*mini])
	return dst
}

// appendEncoded implements encoder.
func (e *deltas) appendEncoded(dst []byte, v *schema.Vector) ([]byte, format.Encoding, bool) {
	switch {
	case v.Encoding == schema.Narrow:
		return e.appendSteps(dst, v.U8, v.Wide), format.DeltaBinaryPacked, true
	case v.Encoding == schema.Repeated && v.Step == 0:
		return e.appendRepeats(dst, v.Repeats), format.DeltaBinaryPacked, true
	case v.Encoding == schema.Repeated && len(v.Repeats) == 1:
		return e.appendCount(dst, v.Repeats[0]), format.DeltaBinaryPacked, true
	}
	return dst, 0, false
}

// appendRepeats appends numbers that repeat.
func (e *deltas) appendRepeats(dst []byte, list []schema.Repeat) []byte {
	n := 0
	for _, x := range list {
		n += int(x.Rows)
	}
	r := repeats{list: list}
	last, _ := r.take(1)
	size := deltaSize(n)
	dst = appendDeltaHead(dst, size, n, last)
	e.all.addOne(last, e.sign)
	for n--; n > 0; n -= size {
		dst, last = e.appendRepeatBlock(dst, &r, last, min(n, size), size/deltaMinis)
	}
	return dst
}

// appendCount appends numbers that count up.
func (e *deltas) appendCount(dst []byte, all schema.Repeat) []byte {
	first, n := all.Value, int(all.Rows)
	e.all.add([]uint64{first, first + uint64(n) - 1}, e.sign)
	size := deltaSize(n)
	dst = appendDeltaHead(dst, size, n, first)
	block := appendDeltas(nil, []uint64{1}, size/deltaMinis)
	for at := 1; at < n; at += size {
		dst = append(dst, block...)
	}
	return dst
}

// appendRepeatBlock appends a block of the differences of the next n values after
// last, and returns the last one. A difference is written where its value begins, into
// zeros; if one is of more than a byte, the block is written as that of single values is.
func (e *deltas) appendRepeatBlock(dst []byte, r *repeats, last uint64, n, mini int) ([]byte, uint64) {
	from, before := *r, last
	small, all := e.small[:n], uint64(0)
	clear(small)
	for i := 0; i < n; {
		x, k := r.take(n - i)
		small[i] = uint8(x - last)
		all |= x - last
		last = x
		i += k
	}
	if all <= deltaByte && last^e.sign >= before^e.sign {
		e.all.addOne(last, e.sign)
		return appendSmallDeltas(dst, small, all, mini), last
	}
	e.valid = scratch(e.valid, n)
	for i := 0; i < n; {
		x, k := from.take(n - i)
		for j := range k {
			e.valid[i+j] = x
		}
		i += k
	}
	return e.appendBlock(dst, e.valid, before, mini), last
}

func (e *deltas) bounds() (least, greatest []byte) { return e.all.bytes(e.sign, 8) }
