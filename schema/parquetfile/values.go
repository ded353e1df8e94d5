package parquetfile

import (
	"bytes"
	"fmt"

	"github.com/parquet-go/parquet-go/format"

	"github.com/tracelake/tracelake/schema"
)

// values encodes the values of one column of a row group, page by page.
type values interface {
	// appendPage appends the values of v to the body of a page, and returns their
	// encoding. If valid is not nil, it omits the values that are 0 in valid; at
	// least one is 1.
	appendPage(dst []byte, v *schema.Vector, valid []uint8) ([]byte, format.Encoding)
	// appendDictionary appends the body of the dictionary page to dst and
	// returns how many entries it has. Without any there is no such page.
	appendDictionary(dst []byte) ([]byte, int)
	// bounds returns the least and the greatest value as the footer has them,
	// nil if they are not kept.
	bounds() (least, greatest []byte)
	reset()
}

// newValues returns the encoder for c: rising values are stored as differences,
// booleans as bits, long text as plain values, and all else with a dictionary.
func newValues(c *schema.Column) values {
	switch c.Type {
	case schema.Uint8:
		return &uint8s{}
	case schema.Uint16:
		return &integers[uint16]{size: 4, pick: func(v *schema.Vector) []uint16 { return v.U16 }}
	case schema.Uint32:
		return newWords(c, 8, 0)
	case schema.Int32:
		return newWords(c, 4, 1<<31)
	case schema.Uint63:
		return newLongs(c, 0)
	case schema.Uint64, schema.Int64:
		return newLongs(c, longSign)
	case schema.Bool:
		return &bools{}
	case schema.Enum:
		return &enums{Column: c}
	case schema.String:
		return &dictStrings{}
	case schema.JSON:
		return &plainStrings{}
	case schema.Bytes:
		return byteStrings{}
	case schema.Float64:
		return &doubles{}
	}
	panic(fmt.Sprintf("parquetfile: no type %d", c.Type))
}

// longSign is the sign bit of a number of 64 bits.
const longSign = 1 << 63

func newWords(c *schema.Column, size int, sign uint32) values {
	if c.Rising {
		return &rising{size: size, sign: sign}
	}
	return &integers[uint32]{size: size, sign: sign, pick: func(v *schema.Vector) []uint32 { return v.U32 }}
}

func newLongs(c *schema.Column, sign uint64) values {
	if c.Rising {
		return &deltas{sign: sign}
	}
	return &integers[uint64]{size: 8, sign: sign, pick: func(v *schema.Vector) []uint64 { return v.U64 }}
}

// compact returns the values of src that are valid, in that memory; all if valid is nil.
func compact[T any](memory *[]T, src []T, valid []uint8) []T {
	if valid == nil {
		return src
	}
	dst := scratch(*memory, len(src))
	*memory = dst
	valid = valid[:len(src)]
	n := 0
	for i, v := range src {
		dst[n] = v // may be overwritten by the next: no branch to mispredict
		n += int(valid[i] & 1)
	}
	return dst[:n]
}

// noDictionary is part of encoders that have no dictionary.
type noDictionary struct{}

func (noDictionary) appendDictionary(dst []byte) ([]byte, int) { return dst, 0 }

// memoryless is part of encoders that keep nothing of a page: neither a dictionary nor bounds.
type memoryless struct{ noDictionary }

func (memoryless) reset() {}

func (memoryless) bounds() (least, greatest []byte) { return nil, nil }

// nulls returns how many rows of v are NULL.
func nulls(v *schema.Vector) int {
	switch {
	case v.Marks.N > 0:
		return v.Marks.N - v.Marks.Count()
	case v.Encoding == schema.Indexed:
		return absent(v)
	}
	return bytes.Count(v.Valid, []byte{0})
}

// absent is nulls for a vector that is Indexed.
func absent(v *schema.Vector) int {
	switch bytes.Count(v.Absent, []byte{1}) {
	case 0:
		return 0
	case len(v.Absent):
		return len(v.Index)
	}
	n := 0
	for _, i := range v.Index {
		n += int(v.Absent[i])
	}
	return n
}
