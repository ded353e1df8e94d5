package parquetfile

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/tracelake/tracelake/schema"
)

// Differences come in blocks of miniblocks (Encodings.md, "DELTA_BINARY_PACKED =
// 5"). The widths in them are whole bytes, for the reason that widths of indexes
// are: see hybrid.go. Blocks are long, so that their heads seldom come between.
const (
	deltaBlock      = 1024
	deltaMinis      = 4
	fewDeltas       = 4096 // with fewer values, blocks are as short as the format allows
	shortDeltaBlock = 128
	deltaByte       = 255 // the most that one byte has
)

// deltas are rising numbers of 64 bits, stored as differences.
type deltas struct {
	sign uint64
	all  span[uint64]

	valid []uint64 // scratch
	block [deltaBlock]uint64
}

func (e *deltas) reset() { e.all = span[uint64]{} }

func (e *deltas) appendPage(dst []byte, v *schema.Vector, valid []uint8) ([]byte, format.Encoding) {
	values := v.U64
	if valid != nil {
		e.valid = compact(e.valid, values, valid)
		values = e.valid
	}
	e.all.add(values, e.sign)
	size := deltaSize(len(values))
	dst = appendDeltaHead(dst, size, len(values), values[0])
	for at := 1; at < len(values); at += size {
		d := e.block[:min(size, len(values)-at)]
		last := values[at-1]
		for i, x := range values[at : at+len(d)] {
			d[i] = x - last
			last = x
		}
		dst = appendDeltas(dst, d, size/deltaMinis)
	}
	return dst, format.DeltaBinaryPacked
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

// appendDeltas appends a block of differences, which it changes.
func appendDeltas(dst []byte, d []uint64, mini int) []byte {
	least, all, equal := int64(d[0]), uint64(0), true
	for _, x := range d {
		least = min(least, int64(x))
		all |= x
		equal = equal && x == d[0]
	}
	if !equal && all <= deltaByte {
		least = 0 // a difference is the same byte in every block
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
		size := 1
		if all > deltaByte {
			most := uint64(0)
			for k := range m {
				m[k] -= uint64(least)
				most |= m[k]
			}
			size = (bits.Len64(most) + 7) / 8
		}
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

// appendRepeats implements repeater.
func (e *deltas) appendRepeats(dst []byte, v *schema.Vector) ([]byte, format.Encoding, bool) {
	if v.Form == schema.Counted {
		return e.appendCount(dst, v)
	}
	n := 0
	for _, x := range v.Repeats {
		if !x.Null {
			n += int(x.Rows)
			e.all.addOne(x.Value, e.sign)
		}
	}
	r := repeats{list: v.Repeats}
	last, _ := r.take(1)
	size := deltaSize(n)
	dst = appendDeltaHead(dst, size, n, last)
	for n--; n > 0; n -= size {
		dst, last = e.appendRepeatBlock(dst, &r, last, min(n, size), size/deltaMinis)
	}
	return dst, format.DeltaBinaryPacked, true
}

// appendCount appends values that count up.
func (e *deltas) appendCount(dst []byte, v *schema.Vector) ([]byte, format.Encoding, bool) {
	if len(v.Repeats) != 1 || v.Column.Nullable {
		return dst, 0, false
	}
	first, n := v.Repeats[0].Value, int(v.Repeats[0].Rows)
	e.all.add([]uint64{first, first + uint64(n) - 1}, e.sign)
	size := deltaSize(n)
	dst = appendDeltaHead(dst, size, n, first)
	block := appendDeltas(nil, []uint64{1}, size/deltaMinis)
	for at := 1; at < n; at += size {
		dst = append(dst, block...)
	}
	return dst, format.DeltaBinaryPacked, true
}

// appendRepeatBlock appends a block of the differences of the next n values after
// last, and returns the last one. A difference of one byte is written where its
// value begins, into zeros; a block with any other is written as that of single
// values is.
func (e *deltas) appendRepeatBlock(dst []byte, r *repeats, last uint64, n, mini int) ([]byte, uint64) {
	block, from, before := len(dst), *r, last
	dst = append(dst, 0) // the least difference
	full := (n + mini - 1) / mini
	for i := range deltaMinis {
		width := uint8(0)
		if i < full {
			width = 8
		}
		dst = append(dst, width)
	}
	at := len(dst)
	dst = slices.Grow(dst, full*mini)[:at+full*mini]
	out := dst[at:]
	clear(out)
	all, starts := uint64(0), 0
	for i := 0; i < n; starts++ {
		x, k := r.take(n - i)
		out[i] = uint8(x - last)
		all |= x - last
		last = x
		i += k
	}
	if all != 0 && all <= deltaByte && starts < n {
		return dst, last
	}
	d := e.block[:n]
	clear(d)
	for i := 0; i < n; {
		x, k := from.take(n - i)
		d[i] = x - before
		before = x
		i += k
	}
	return appendDeltas(dst[:block], d, mini), last
}

func (e *deltas) appendDictionary(dst []byte) ([]byte, int) { return dst, 0 }

func (e *deltas) bounds() (least, greatest []byte) { return e.all.bytes(e.sign, 8) }
