package parquetfile

import (
	"bytes"
	"encoding/binary"

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
	steps, wide := v.U8, v.Wide
	size, last := deltaSize(len(steps)), wide[0]
	dst = appendDeltaHead(dst, size, len(steps), last)
	e.all.addOne(last, e.sign)
	wide = wide[1:]
	for at := 1; at < len(steps); at += size {
		b := steps[at:min(at+size, len(steps))]
		if bytes.IndexByte(b, schema.Escape) < 0 {
			dst, last = appendByteBlock(dst, b, size/deltaMinis), last+sum(b)
			continue
		}
		d := e.block[:len(b)]
		for i, step := range b {
			d[i] = uint64(step)
			if step == schema.Escape {
				e.all.addOne(last, e.sign)
				d[i] = wide[0] - last
				last, wide = wide[0], wide[1:]
				e.all.addOne(last, e.sign)
				continue
			}
			last += uint64(step)
		}
		dst = appendDeltas(dst, d, size/deltaMinis)
	}
	e.all.addOne(last, e.sign)
	return dst, format.DeltaBinaryPacked, true
}

// appendByteBlock is appendDeltas for differences of a byte each.
func appendByteBlock(dst, d []byte, mini int) []byte {
	if bytes.Equal(d[1:], d[:len(d)-1]) {
		return append(binary.AppendVarint(dst, int64(d[0])), make([]byte, deltaMinis)...)
	}
	dst = append(dst, 0) // the least difference
	n := (len(d) + mini - 1) / mini
	for i := range deltaMinis {
		width := uint8(0)
		if i < n {
			width = 8
		}
		dst = append(dst, width)
	}
	dst = append(dst, d...)
	return append(dst, make([]byte, n*mini-len(d))...)
}

// sum returns the sum of bytes, at most deltaBlock of them.
func sum(b []byte) uint64 {
	const low = 0x00ff_00ff_00ff_00ff // four sums of 16 bits
	total := uint64(0)
	for ; len(b) >= 8; b = b[8:] {
		x := binary.LittleEndian.Uint64(b)
		total += x&low + x>>8&low // 128 times 2 × 254 is less than 1<<16
	}
	total = total&0xffff + total>>16&0xffff + total>>32&0xffff + total>>48
	for _, x := range b {
		total += uint64(x)
	}
	return total
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
