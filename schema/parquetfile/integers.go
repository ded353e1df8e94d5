package parquetfile

import (
	"encoding/binary"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/tracelake/tracelake/schema"
)

// integers are numbers of 16 to 64 bits, in a dictionary until it is full.
type integers[T unsigned] struct {
	pick  func(*schema.Vector) []T
	size  int // bytes of a plain value
	sign  T   // the sign bit, 0 for unsigned numbers
	dict  dictionary[T]
	plain span[T] // what plain pages hold
	full  bool    // pages are plain from here on

	valid []T    // scratch
	index []byte // words, low byte first
	runs  indexes
	// entries has the index of each entry of a vector.
	entries []uint16
	present []uint32
	narrow  []uint8
	bytes   [256]uint32 // 1 + index of a value of one byte; 0: it is not known to have one
}

func (e *integers[T]) reset() {
	e.dict.reset()
	e.plain = span[T]{}
	e.full = false
	e.bytes = [256]uint32{}
}

func (e *integers[T]) appendPage(dst []byte, v *schema.Vector, valid []uint8) ([]byte, format.Encoding) {
	values := compact(&e.valid, e.pick(v), valid)
	if !e.full {
		index, ok := e.dict.index(e.index[:0], values)
		e.index = index
		if ok {
			return e.dict.indexes.append(dst, index, len(e.dict.values)), format.RLEDictionary
		}
		e.full = true
	}
	e.plain.add(values, e.sign)
	return appendPlain(dst, values, e.size), format.Plain
}

// appendEncoded implements encoder.
func (e *integers[T]) appendEncoded(dst []byte, v *schema.Vector) ([]byte, format.Encoding, bool) {
	switch {
	case e.full:
	case v.Encoding == schema.Repeated:
		return e.appendRepeats(dst, v)
	case v.Encoding == schema.Indexed:
		return e.appendIndexed(dst, v)
	case v.Encoding == schema.Narrow:
		return e.appendNarrow(dst, v)
	}
	return dst, 0, false
}

// appendIndexed appends numbers that come as indexes.
func (e *integers[T]) appendIndexed(dst []byte, v *schema.Vector) ([]byte, format.Encoding, bool) {
	if len(v.Entries) > maxEntries-len(e.dict.values) {
		return dst, 0, false
	}
	e.entries = e.entries[:0]
	only, alike := -1, true
	for i, x := range v.Entries {
		index := uint16(0)
		if len(v.Absent) == 0 || v.Absent[i] == 0 {
			index, _ = e.dict.find(T(x)) // there is room for all of them
			alike = alike && (only < 0 || only == int(index))
			only = int(index)
		}
		e.entries = append(e.entries, index)
	}
	rows := present(e.present, v)
	if len(v.Absent) > 0 {
		e.present = rows
	}
	if alike {
		e.runs = append(e.runs[:0], indexRun{uint16(only), len(rows)})
		return e.runs.appendIndexes(dst, len(e.dict.values)), format.RLEDictionary, true
	}
	if len(e.dict.values) > 1<<8 {
		e.index = lookUpWords(e.index, rows, e.entries)
		return appendWords(append(dst, 16), e.index), format.RLEDictionary, true
	}
	e.narrow = lookUpBytes(e.narrow, rows, e.entries)
	return appendIndexes(dst, e.narrow, len(e.dict.values)), format.RLEDictionary, true
}

// lookUpWords returns the word of each index, low byte first, in the memory of dst.
func lookUpWords(dst []byte, index []uint32, words []uint16) []byte {
	dst = scratch(dst, 2*len(index))
	for i, x := range index {
		binary.LittleEndian.PutUint16(dst[2*i:], words[x])
	}
	return dst
}

// lookUpBytes does so for words that are less than 256.
func lookUpBytes(dst []byte, index []uint32, words []uint16) []byte {
	dst = scratch(dst, len(index))
	for i, x := range index {
		dst[i] = uint8(words[x])
	}
	return dst
}

// appendRepeats appends numbers that repeat.
func (e *integers[T]) appendRepeats(dst []byte, v *schema.Vector) ([]byte, format.Encoding, bool) {
	if 2*len(v.Repeats) > maxEntries-len(e.dict.values) {
		return dst, 0, false
	}
	e.runs = indexRuns(e.runs[:0], v.Repeats, func(x uint64) uint16 {
		i, _ := e.dict.find(T(x)) // there is room for all of them
		return i
	})
	if !e.runs.areLong() {
		return dst, 0, false // what is in the dictionary now will be found
	}
	return e.runs.appendIndexes(dst, len(e.dict.values)), format.RLEDictionary, true
}

func (e *integers[T]) appendDictionary(dst []byte) ([]byte, int) {
	return appendPlain(dst, e.dict.values, e.size), len(e.dict.values)
}

func (e *integers[T]) bounds() (least, greatest []byte) {
	all := e.plain
	all.add(e.dict.values, e.sign)
	return all.bytes(e.sign, e.size)
}

// appendPlain appends values as PLAIN has them (Encodings.md, "PLAIN = 0").
func appendPlain[T unsigned](dst []byte, values []T, size int) []byte {
	n := len(dst)
	dst = slices.Grow(dst, size*len(values))[:n+size*len(values)]
	out := dst[n:]
	if size == 8 {
		for i, v := range values {
			binary.LittleEndian.PutUint64(out[8*i:], uint64(v))
		}
		return dst
	}
	for i, v := range values {
		binary.LittleEndian.PutUint32(out[4*i:], uint32(v))
	}
	return dst
}

// A span is the least and the greatest of some values. Their sign bits are
// inverted, so that they compare as unsigned numbers.
type span[T unsigned] struct {
	least, greatest T
	some            bool
}

func (s *span[T]) add(values []T, sign T) {
	if len(values) == 0 {
		return
	}
	if !s.some {
		*s = span[T]{values[0] ^ sign, values[0] ^ sign, true}
	}
	least, greatest := s.least, s.greatest
	for _, v := range values {
		least, greatest = min(least, v^sign), max(greatest, v^sign)
	}
	s.least, s.greatest = least, greatest
}

// addOne adds one value.
func (s *span[T]) addOne(v, sign T) {
	if !s.some {
		*s = span[T]{v ^ sign, v ^ sign, true}
	}
	s.least, s.greatest = min(s.least, v^sign), max(s.greatest, v^sign)
}

func (s *span[T]) bytes(sign T, size int) (least, greatest []byte) {
	if !s.some {
		return nil, nil
	}
	return appendPlain(nil, []T{s.least ^ sign}, size), appendPlain(nil, []T{s.greatest ^ sign}, size)
}
