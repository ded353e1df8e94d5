package parquetfile

import (
	"github.com/parquet-go/parquet-go/format"

	"github.com/tracelake/tracelake/schema"
)

// rising are rising numbers of 32 bits, stored as differences. Differences of signed ones
// have to have 32 bits, which those of numbers that are not negative have: a page with
// another has plain values.
type rising struct {
	noDictionary
	size   int    // bytes of a plain value
	sign   uint32 // the sign bit, 0 for unsigned numbers
	deltas deltas
	plain  span[uint32] // what plain pages hold

	valid []uint32 // scratch
	wide  schema.Vector
}

func (e *rising) reset() {
	e.deltas.reset()
	e.plain = span[uint32]{}
}

func (e *rising) appendPage(dst []byte, v *schema.Vector, valid []uint8) ([]byte, format.Encoding) {
	values := compact(&e.valid, v.U32, valid)
	e.wide.U64 = e.wide.U64[:0]
	for _, x := range values {
		if x&e.sign != 0 {
			e.plain.add(values, e.sign)
			return appendPlain(dst, values, e.size), format.Plain
		}
		e.wide.U64 = append(e.wide.U64, uint64(x))
	}
	return e.deltas.appendPage(dst, &e.wide, nil)
}

func (e *rising) bounds() (least, greatest []byte) {
	all := e.plain
	if d := &e.deltas.all; d.some {
		all.add([]uint32{uint32(d.least), uint32(d.greatest)}, e.sign)
	}
	return all.bytes(e.sign, e.size)
}
