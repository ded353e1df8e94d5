package parquetfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/internal/bitmap"
)

// smalls are numbers of 8 bits, always in a dictionary.
type smalls struct {
	values []uint8    // in the order they first come
	number [256]uint8 // index of a value
	known  [256]bool  // whether it has one
	valid  []uint8    // scratch
	index  []uint8
}

func (e *smalls) reset() {
	e.values = e.values[:0]
	e.known = [256]bool{}
}

func (e *smalls) appendPage(dst []byte, v *schema.Vector, valid []uint8) ([]byte, format.Encoding) {
	values := v.U8
	if valid != nil {
		e.valid = compact(e.valid, values, valid)
		values = e.valid
	}
	if isConstant(values) {
		i := e.find(values[0])
		return appendRun(append(dst, 8), i, len(values)), format.RLEDictionary
	}
	e.index = slices.Grow(e.index[:0], len(values))[:len(values)]
	index := e.index
	for i, x := range values {
		index[i] = e.find(x)
	}
	return appendNarrow(dst, index, len(e.values)), format.RLEDictionary
}

// find returns the index of x, adding it if it is new.
func (e *smalls) find(x uint8) uint8 {
	if !e.known[x] {
		e.known[x] = true
		e.number[x] = uint8(len(e.values))
		e.values = append(e.values, x)
	}
	return e.number[x]
}

func (e *smalls) appendDictionary(dst []byte) ([]byte, int) {
	for _, x := range e.values {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(x))
	}
	return dst, len(e.values)
}

func (e *smalls) bounds() (least, greatest []byte) {
	if len(e.values) == 0 {
		return nil, nil
	}
	return []byte{slices.Min(e.values), 0, 0, 0}, []byte{slices.Max(e.values), 0, 0, 0}
}

// codes are those of an enum: indexes as they are, into a dictionary of all of
// its names.
type codes struct {
	names []string
	used  bool
	valid []uint8 // scratch
}

func (e *codes) reset() { e.used = false }

func (e *codes) appendPage(dst []byte, v *schema.Vector, valid []uint8) ([]byte, format.Encoding) {
	values := v.U8
	if valid != nil {
		e.valid = compact(e.valid, values, valid)
		values = e.valid
	}
	e.used = true
	dst = append(dst, 8)
	if isConstant(values) {
		e.check(v.Column, values[0])
		return appendRun(dst, values[0], len(values)), format.RLEDictionary
	}
	e.check(v.Column, slices.Max(values))
	return appendBytes(dst, values), format.RLEDictionary
}

// check panics on a code without a name: readers could not open the file.
func (e *codes) check(c *schema.Column, code uint8) {
	if int(code) >= len(e.names) {
		panic(fmt.Sprintf("parquetfile: code %d in %s, which has %d names", code, c.Name, len(e.names)))
	}
}

// isConstant says whether all values are the same. It runs at memory speed, and
// most small columns are constant.
func isConstant(values []uint8) bool {
	return bytes.Count(values, values[:1]) == len(values)
}

func (e *codes) appendDictionary(dst []byte) ([]byte, int) {
	if !e.used {
		return dst, 0
	}
	for _, n := range e.names {
		dst = appendText(dst, n)
	}
	return dst, len(e.names)
}

func (e *codes) bounds() (least, greatest []byte) { return nil, nil }

// flags are booleans.
type flags struct {
	valid []uint8 // scratch
}

func (e *flags) reset() {}

func (e *flags) appendPage(dst []byte, v *schema.Vector, valid []uint8) ([]byte, format.Encoding) {
	values := v.U8
	if valid != nil {
		e.valid = compact(e.valid, values, valid)
		values = e.valid
	}
	return bitmap.Append(dst, values), format.Plain
}

func (e *flags) appendDictionary(dst []byte) ([]byte, int) { return dst, 0 }

func (e *flags) bounds() (least, greatest []byte) { return nil, nil }

// nulls returns how many rows of v are NULL.
func nulls(v *schema.Vector) int {
	if !v.Column.Nullable {
		return 0
	}
	return bytes.Count(v.Valid, []byte{0})
}
