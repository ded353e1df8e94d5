package parquetfile

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/tracelake/tracelake/schema"
)

// uint8s are numbers of 8 bits, always in a dictionary.
type uint8s struct {
	values []uint8    // in the order they first come
	number [256]uint8 // index of a value
	known  [256]bool  // whether it has one
	valid  []uint8    // scratch
	index  []uint8
	runs   indexes
}

func (e *uint8s) reset() {
	e.values = e.values[:0]
	e.known = [256]bool{}
}

func (e *uint8s) appendPage(dst []byte, v *schema.Vector, valid []uint8) ([]byte, format.Encoding) {
	values := compact(&e.valid, v.U8, valid)
	if isConstant(values) {
		i := e.find(values[0])
		return appendRun(append(dst, byte(widthOf(len(e.values)))), i, len(values)), format.RLEDictionary
	}
	e.index = slices.Grow(e.index[:0], len(values))[:len(values)]
	index := e.index
	for i, x := range values {
		index[i] = e.find(x)
	}
	return appendIndexes(dst, index, len(e.values)), format.RLEDictionary
}

// appendEncoded implements encoder.
func (e *uint8s) appendEncoded(dst []byte, v *schema.Vector) ([]byte, format.Encoding, bool) {
	if v.Encoding != schema.Repeated {
		return dst, 0, false
	}
	e.runs = indexRuns(e.runs[:0], v.Repeats, func(x uint64) uint16 { return uint16(e.find(uint8(x))) })
	if !e.runs.areLong() {
		return dst, 0, false
	}
	return e.runs.appendIndexes(dst, len(e.values)), format.RLEDictionary, true
}

// find returns the index of x, adding it if it is new.
func (e *uint8s) find(x uint8) uint8 {
	if !e.known[x] {
		e.known[x] = true
		e.number[x] = uint8(len(e.values))
		e.values = append(e.values, x)
	}
	return e.number[x]
}

func (e *uint8s) appendDictionary(dst []byte) ([]byte, int) {
	for _, x := range e.values {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(x))
	}
	return dst, len(e.values)
}

func (e *uint8s) bounds() (least, greatest []byte) {
	if len(e.values) == 0 {
		return nil, nil
	}
	return []byte{slices.Min(e.values), 0, 0, 0}, []byte{slices.Max(e.values), 0, 0, 0}
}

// isConstant says whether all values are the same. It runs at memory speed, and
// most small columns are constant.
func isConstant(values []uint8) bool {
	return bytes.Count(values, values[:1]) == len(values)
}
