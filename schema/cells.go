package schema

import (
	"fmt"
	"math"
)

// The functions that append rows are generated (columns_gen.go), and so are the
// indexes of columns. This file has what they are made of.

// Keys are the first cells of a row of most tables.
type Keys struct {
	Source     uint8
	Seq        int64
	Segment    Null[int32]
	ByteOffset int64
}

// The columns of Keys, the first ones of the tables that have them.
const (
	KeySource     IndexU8  = 0
	KeySeq        IndexU64 = 1
	KeySegment    IndexU32 = 2
	KeyByteOffset IndexU64 = 3
)

// HasKeys says whether t begins with the columns of [Keys]; in data_accesses seq
// may be NULL.
func (t *Table) HasKeys() bool {
	return len(t.Columns) > int(KeyByteOffset) && t.Columns[KeyByteOffset].Name == offsetColumn.Name
}

// The indexes of columns have types that say which slice of a [Vector] has the
// values.
type (
	// An IndexU8 is the index of a column with values in U8.
	IndexU8 int
	// An IndexU16 is the index of a column with values in U16.
	IndexU16 int
	// An IndexU32 is the index of a column with values in U32.
	IndexU32 int
	// An IndexAddress is the index of a column of addresses, with values in U64.
	IndexAddress int
	// An IndexU64 is the index of a column with values in U64.
	IndexU64 int
	// An IndexStr is the index of a column with values in Str.
	IndexStr int
	// An IndexBin is the index of a column with values in Bin.
	IndexBin int
)

// In returns the values of the column in a batch of its table.
func (i IndexU8) In(b *Batch) *[]uint8 { return &b.Columns[i].U8 }

// At returns the value of the column in a row of a batch of its table.
func (i IndexU8) At(b *Batch, row int) uint8 { return b.Columns[i].U8[row] }

// In returns the values of the column in a batch of its table.
func (i IndexU16) In(b *Batch) *[]uint16 { return &b.Columns[i].U16 }

// At returns the value of the column in a row of a batch of its table.
func (i IndexU16) At(b *Batch, row int) uint16 { return b.Columns[i].U16[row] }

// In returns the values of the column in a batch of its table.
func (i IndexU32) In(b *Batch) *[]uint32 { return &b.Columns[i].U32 }

// At returns the value of the column in a row of a batch of its table.
func (i IndexU32) At(b *Batch, row int) uint32 { return b.Columns[i].U32[row] }

// In returns the values of the column in a batch of its table.
func (i IndexAddress) In(b *Batch) *[]uint64 { return &b.Columns[i].U64 }

// At returns the value of the column in a row of a batch of its table.
func (i IndexAddress) At(b *Batch, row int) Address { return Address(b.Columns[i].U64[row]) }

// In returns the values of the column in a batch of its table.
func (i IndexU64) In(b *Batch) *[]uint64 { return &b.Columns[i].U64 }

// At returns the value of the column in a row of a batch of its table.
func (i IndexU64) At(b *Batch, row int) uint64 { return b.Columns[i].U64[row] }

// of returns the columns of a batch of t.
func (b *Batch) of(t *Table) []Vector {
	if b.Table != t {
		panic(fmt.Sprintf("schema: a row of %s for a batch of %s", t.Name, b.Table.Name))
	}
	return b.Columns
}

func putU8[T ~uint8](v *Vector, x T)                      { v.U8 = append(v.U8, uint8(x)) }
func putU16(v *Vector, x uint16)                          { v.U16 = append(v.U16, x) }
func putU32[T ~uint32 | ~int32](v *Vector, x T)           { v.U32 = append(v.U32, uint32(x)) }
func putU64[T ~uint64 | ~int64](v *Vector, x T)           { v.U64 = append(v.U64, uint64(x)) }
func putBool(v *Vector, x bool)                           { v.U8 = append(v.U8, btou(x)) }
func putStr(v *Vector, s string)                          { v.Str = append(v.Str, s) }
func putBin(v *Vector, p []byte)                          { v.Bin = append(v.Bin, p) }
func putNullU8[T ~uint8](v *Vector, x Null[T])            { putU8(v, valid(v, x)) }
func putNullU16(v *Vector, x Null[uint16])                { putU16(v, valid(v, x)) }
func putNullU32[T ~uint32 | ~int32](v *Vector, x Null[T]) { putU32(v, valid(v, x)) }
func putNullU64[T ~uint64 | ~int64](v *Vector, x Null[T]) { putU64(v, valid(v, x)) }
func putNullBool(v *Vector, x Null[bool])                 { putBool(v, valid(v, x)) }

func putFloat64(v *Vector, x float64)           { v.U64 = append(v.U64, math.Float64bits(x)) }
func putNullFloat64(v *Vector, x Null[float64]) { putFloat64(v, valid(v, x)) }

// putNullUint63 appends a number. It panics on a value that is out of range: the
// caller has to make that NULL.
func putNullUint63(v *Vector, x Null[uint64]) {
	n := valid(v, x)
	if n > MaxUint63 {
		panic(fmt.Sprintf("schema: %d in column %s", n, v.Column.Name))
	}
	v.U64 = append(v.U64, n)
}

// putNullStr appends a text; "" is NULL.
func putNullStr(v *Vector, s string) { putStr(v, valid(v, Null[string]{s, s != ""})) }

// valid appends whether x is present, and returns its value.
func valid[T any](v *Vector, x Null[T]) T {
	v.Valid = append(v.Valid, btou(x.OK))
	if !x.OK {
		var zero T
		return zero
	}
	return x.V
}

func btou(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
