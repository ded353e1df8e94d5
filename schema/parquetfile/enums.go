package parquetfile

import (
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/internal/bitmap"
)

// enums are the codes of an enum: indexes as they are, into a dictionary of all
// of its names.
type enums struct {
	*schema.Column
	seen  [256]bool // by code
	valid []uint8   // scratch
	runs  indexes
	// entries has the code of each entry of a vector.
	entries []uint16
}

func (e *enums) reset() { e.seen = [256]bool{} }

func (e *enums) appendPage(dst []byte, v *schema.Vector, valid []uint8) ([]byte, format.Encoding) {
	values := compact(&e.valid, v.U8, valid)
	if isConstant(values) {
		e.seen[values[0]] = true
	} else {
		for _, code := range values {
			e.seen[code] = true
		}
	}
	return e.appendCodes(dst, values)
}

// appendCodes appends codes that were seen.
func (e *enums) appendCodes(dst []byte, codes []uint8) ([]byte, format.Encoding) {
	e.check()
	return appendIndexes(dst, codes, len(e.Names)), format.RLEDictionary
}

// appendEncoded implements encoder.
func (e *enums) appendEncoded(dst []byte, v *schema.Vector) ([]byte, format.Encoding, bool) {
	switch v.Encoding {
	case schema.Repeated:
		return e.appendRepeats(dst, v)
	case schema.Indexed:
		return e.appendIndexed(dst, v)
	case schema.Plain, schema.OfCode, schema.Narrow:
	}
	return dst, 0, false
}

// appendIndexed appends codes that come as indexes.
func (e *enums) appendIndexed(dst []byte, v *schema.Vector) ([]byte, format.Encoding, bool) {
	if len(v.Absent) > 0 {
		return dst, 0, false
	}
	e.entries = e.entries[:0]
	for _, x := range v.Entries {
		e.seen[uint8(x)] = true
		e.entries = append(e.entries, uint16(uint8(x)))
	}
	e.valid = lookUpBytes(e.valid, v.Index, e.entries)
	dst, encoding := e.appendCodes(dst, e.valid)
	return dst, encoding, true
}

// appendRepeats appends codes that repeat.
func (e *enums) appendRepeats(dst []byte, v *schema.Vector) ([]byte, format.Encoding, bool) {
	e.runs = indexRuns(e.runs[:0], v.Repeats, func(x uint64) uint16 {
		e.seen[uint8(x)] = true
		return uint16(x)
	})
	if !e.runs.areLong() {
		return dst, 0, false
	}
	e.check()
	return e.runs.appendIndexes(dst, len(e.Names)), format.RLEDictionary, true
}

// check panics on a code without a name: readers could not open the file.
func (e *enums) check() {
	if i := slices.Index(e.seen[len(e.Names):], true); i >= 0 {
		panic(fmt.Sprintf("parquetfile: code %d in %s, which has %d names", len(e.Names)+i, e.Name, len(e.Names)))
	}
}

func (e *enums) appendDictionary(dst []byte) ([]byte, int) {
	if !slices.Contains(e.seen[:], true) {
		return dst, 0
	}
	for _, n := range e.Names {
		dst = appendText(dst, n)
	}
	return dst, len(e.Names)
}

func (e *enums) bounds() (least, greatest []byte) {
	var all textSpan
	for code, name := range e.Names {
		if e.seen[code] {
			all.add(name)
		}
	}
	return all.bytes()
}

// bools are booleans.
type bools struct {
	memoryless
	valid []uint8 // scratch
}

func (e *bools) appendPage(dst []byte, v *schema.Vector, valid []uint8) ([]byte, format.Encoding) {
	values := compact(&e.valid, v.U8, valid)
	return bitmap.Append(dst, values), format.Plain
}

// appendEncoded implements encoder.
func (e *bools) appendEncoded(dst []byte, v *schema.Vector) ([]byte, format.Encoding, bool) { //nolint:unparam // as in encoder
	if v.Encoding != schema.Narrow {
		return dst, 0, false
	}
	return appendWholeBytes(dst, &v.Bits), format.Plain, true
}
