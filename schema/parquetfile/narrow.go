package parquetfile

import (
	"bytes"
	"encoding/binary"

	"github.com/parquet-go/parquet-go/format"

	"github.com/tracelake/tracelake/schema"
)

// This file writes numbers that come as a byte each: see [schema.Narrow].

// appendSteps appends numbers that come as steps. A block in which each difference is a byte
// has these bytes; one with others is written as that of single values is.
func (e *deltas) appendSteps(dst []byte, steps []uint8, wide []uint64) []byte {
	last, wide := wide[0], wide[1:]
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
		e.valid, wide = widen(e.valid, b, wide, last)
		dst, last = e.appendBlock(dst, e.valid, last, size/deltaMinis), e.valid[len(b)-1]
	}
	return dst
}

// widen returns the values that steps after one are, in the memory of dst, and what is left
// of those of rows that are Escape.
func widen(dst []uint64, steps []uint8, wide []uint64, last uint64) (values, _ []uint64) {
	dst = scratch(dst, len(steps))
	for i, step := range steps {
		last += uint64(step)
		if step == schema.Escape {
			last, wide = wide[0], wide[1:]
		}
		dst[i] = last
	}
	return dst, wide
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

// appendNarrow appends numbers that come as themselves.
func (e *integers[T]) appendNarrow(dst []byte, v *schema.Vector) ([]byte, format.Encoding, bool) {
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
	return e.dict.indexes.append(dst, e.index, len(e.dict.values)), format.RLEDictionary, true
}
