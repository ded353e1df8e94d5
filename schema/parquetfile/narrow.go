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
		var all uint64
		if all, last, wide = e.widen(b, wide, last); all <= deltaByte {
			dst = appendSmallDeltas(dst, b, all, size/deltaMinis) // an Escape is a difference of as much
			continue
		}
		dst = appendDeltas(dst, e.block[:len(b)], size/deltaMinis)
	}
	return dst
}

// widen makes the differences that steps after a value are. It returns all bits that they
// have, the last value, and what is left of the values of rows that are Escape.
func (e *deltas) widen(steps []uint8, wide []uint64, last uint64) (all, _ uint64, _ []uint64) {
	d := e.block[:len(steps)]
	before, falls := last, false
	for i, step := range steps {
		x := uint64(step)
		if step == schema.Escape {
			x, wide = wide[0]-last, wide[1:]
			falls = falls || int64(x) < 0
		}
		d[i] = x
		all |= x
		last += x
	}
	if !falls && before^e.sign <= last^e.sign {
		e.all.addOne(last, e.sign)
		return all, last, wide
	}
	for _, x := range d {
		before += x
		e.all.addOne(before, e.sign)
	}
	return ^uint64(0), last, wide // values fall, so no difference is small
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
	return e.appendIndex(dst, e.index), format.RLEDictionary, true
}
