package parquetfile

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/tracelake/tracelake/schema"
)

// This file writes numbers that come as a byte each: see [schema.Narrow] and
// [schema.Stepped].

// A byter encodes values that come as bytes.
type byter interface {
	// appendBytes is appendPage for a vector that is Narrow or Stepped. It fails if single
	// values are better.
	appendBytes(dst []byte, v *schema.Vector) ([]byte, format.Encoding, bool)
}

// appendBytes implements byter. A block in which each difference is a byte has these
// bytes; one with others is written as that of single values is.
func (e *deltas) appendBytes(dst []byte, v *schema.Vector) ([]byte, format.Encoding, bool) {
	if v.Form != schema.Stepped {
		return dst, 0, false
	}
	steps, last, wide := v.U8, v.Wide[0], v.Wide[1:]
	size := deltaSize(len(steps))
	dst = appendDeltaHead(dst, size, len(steps), last)
	e.all.addOne(last, e.sign)
	for at := 1; at < len(steps); at += size {
		b := steps[at:min(at+size, len(steps))]
		if bytes.IndexByte(b, schema.Escape) < 0 {
			sum, all := sumOf(b)
			dst, last = appendSmallDeltas(dst, b, all, size/deltaMinis), last+sum
			e.all.addOne(last, e.sign)
			continue
		}
		if to, n, ok := e.appendRising(&dst, b, last, wide, size/deltaMinis); ok {
			last, wide = to, wide[n:]
			continue
		}
		values, before := e.values[:len(b)], last
		for i, step := range b {
			if last += uint64(step); step == schema.Escape {
				last, wide = wide[0], wide[1:]
			}
			values[i] = last
		}
		dst = e.appendBlock(dst, values, before, size/deltaMinis)
	}
	return dst, format.DeltaBinaryPacked, true
}

// A leapt is a difference of more than a byte, of a row of a block.
type leapt struct {
	row int
	by  uint64
}

// maxLeaps is how many rows of a block that appendRising takes are more than a byte.
const maxLeaps = 256

// appendRising appends a block in which values rise, some by a byte and some, the first of
// wide, by more: as appendDeltas does. It returns the last value, and how many are of wide.
// It fails, and appends nothing, where appendBlock has to decide.
func (e *deltas) appendRising(dst *[]byte, b []uint8, last uint64, wide []uint64, mini int) (to uint64, n int, ok bool) {
	least, leaps := uint64(slices.Min(b)), e.leaps[:0]
	to = last
	for at := 0; ; at++ {
		next := bytes.IndexByte(b[at:], schema.Escape)
		if next < 0 {
			sum, _ := sumOf(b[at:])
			to += sum
			break
		}
		sum, _ := sumOf(b[at : at+next])
		at += next
		by := wide[len(leaps)] - to - sum
		if len(leaps) == maxLeaps || by <= deltaByte || by > math.MaxInt64 {
			return 0, 0, false
		}
		to = wide[len(leaps)]
		leaps = append(leaps, leapt{at, by})
	}
	if least == schema.Escape || to^e.sign < last^e.sign { // nothing but leaps, or beyond the greatest number
		return 0, 0, false
	}
	e.all.addOne(to, e.sign)
	*dst = e.appendMinis(*dst, b, least, leaps, mini)
	return to, len(leaps), true
}

// appendMinis appends the miniblocks of a block, less the least difference.
func (e *deltas) appendMinis(dst, b []uint8, least uint64, leaps []leapt, mini int) []byte {
	dst = binary.AppendVarint(dst, int64(least))
	widths := len(dst)
	dst = append(dst, make([]byte, deltaMinis)...)
	for from := 0; from < len(b); from += mini {
		m, most, n := b[from:min(from+mini, len(b))], uint64(0), 0
		for n < len(leaps) && leaps[n].row < from+len(m) {
			most |= leaps[n].by - least
			n++
		}
		if n == 0 {
			most = uint64(slices.Max(m)) - least
		}
		size := (bits.Len64(most) + 7) / 8
		dst[widths+from/mini] = uint8(8 * size)
		at := len(dst)
		dst = append(dst, e.zeros[:size*mini]...)
		out := dst[at:]
		for i, x := range m {
			e.small[i] = x - uint8(least)
		}
		spread(out, e.small[:len(m)], size)
		for _, x := range leaps[:n] {
			for k := range size {
				out[size*(x.row-from)+k] = uint8((x.by - least) >> (8 * k))
			}
		}
		leaps = leaps[n:]
	}
	return dst
}

// spread writes bytes as little-endian numbers of a size into zeros.
func spread(out []byte, b []uint8, size int) {
	switch size {
	case 0:
	case 1:
		copy(out, b)
	case 2:
		for i, x := range b {
			out[2*i] = x
		}
	default:
		for i, x := range b {
			out[size*i] = x
		}
	}
}

// sumOf returns the sum of bytes, at most deltaBlock of them, and all bits that they have.
func sumOf(b []byte) (sum, all uint64) {
	const low = 0x00ff_00ff_00ff_00ff // four sums of 16 bits
	for ; len(b) >= 8; b = b[8:] {
		x := binary.LittleEndian.Uint64(b)
		all |= x
		sum += x&low + x>>8&low // 128 times 2 × 254 is less than 1<<16
	}
	sum = sum&0xffff + sum>>16&0xffff + sum>>32&0xffff + sum>>48
	all |= all >> 32
	all |= all >> 16
	all |= all >> 8
	for _, x := range b {
		sum += uint64(x)
		all |= uint64(x)
	}
	return sum, all & deltaByte
}

// appendBytes implements byter.
func (e *integers[T]) appendBytes(dst []byte, v *schema.Vector) ([]byte, format.Encoding, bool) {
	if e.full || v.Form != schema.Narrow {
		return dst, 0, false
	}
	wide, numbers := v.Wide, &e.bytes
	e.index = scratch(e.index, 2*len(v.U8))
	for i, x := range v.U8 {
		n := numbers[x]
		if n == 0 {
			value := uint64(x)
			if x == schema.Escape {
				value, wide = wide[0], wide[1:]
			}
			index, ok := e.dict.find(T(value))
			if !ok {
				return dst, 0, false // what is in the dictionary now will be found
			}
			if n = uint32(index) + 1; x != schema.Escape {
				numbers[x] = n
			}
		}
		binary.LittleEndian.PutUint16(e.index[2*i:], uint16(n-1))
	}
	return e.appendIndex(dst, e.index), format.RLEDictionary, true
}
