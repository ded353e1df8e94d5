// Package sample makes tables and batches to test the file formats with.
package sample

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/tracelake/tracelake/schema"
)

// EveryType returns a table with a column for each type, nullable or not, and
// for each way to store it.
func EveryType() *schema.Table {
	t := &schema.Table{Name: "every_type", PerSource: true}
	for _, c := range []schema.Column{
		{Name: "u8", Type: schema.Uint8},
		{Name: "u16", Type: schema.Uint16},
		{Name: "u32", Type: schema.Uint32},
		{Name: "u63", Type: schema.Uint63},
		{Name: "u64", Type: schema.Uint64},
		{Name: "i32", Type: schema.Int32},
		{Name: "i64", Type: schema.Int64},
		{Name: "rising_u63", Type: schema.Uint63, Rising: true},
		{Name: "rising_u64", Type: schema.Uint64, Rising: true},
		{Name: "rising_i64", Type: schema.Int64, Rising: true},
		{Name: "rising_i32", Type: schema.Int32, Rising: true},
		{Name: "rising_u32", Type: schema.Uint32, Rising: true},
		{Name: "bool", Type: schema.Bool},
		{Name: "enum", Type: schema.Enum, Names: schema.KindNames},
		{Name: "string", Type: schema.String},
		{Name: "json", Type: schema.JSON},
		{Name: "bytes", Type: schema.Bytes},
		{Name: "double", Type: schema.Float64},
	} {
		c.Doc = "A column \"quoted\" & <marked>, it's of type " + c.Name + "."
		t.Columns = append(t.Columns, c)
		c.Name, c.Nullable, c.Unit = c.Name+"_null", true, "ticks"
		t.Columns = append(t.Columns, c)
	}
	return t
}

// A series draws the values of a column, one after another: numbers, whose low
// bits become a value of whatever type.
type series func() uint64

// newSeries returns a series of one of the shapes that columns have.
func newSeries(r *rand.Rand) series {
	x := r.Uint64()
	switch r.IntN(7) {
	case 0: // constant
		return func() uint64 { return x }
	case 1: // all bits set
		return func() uint64 { return ^uint64(0) }
	case 2: // runs
		return func() uint64 {
			if r.IntN(40) == 0 {
				x = r.Uint64() % 500
			}
			return x
		}
	case 3: // two values
		return func() uint64 { return 2 + 2*(r.Uint64()&1) }
	case 4: // few values, at 2³¹
		return func() uint64 { return 0x7fffff80 + r.Uint64()%300 }
	case 5: // rising
		return func() uint64 {
			x += r.Uint64() % 3
			return x
		}
	}
	return r.Uint64
}

// Fill adds n rows to b. R chooses the shape of each column, and its share of
// NULLs.
func Fill(b *schema.Batch, r *rand.Rand, n int) {
	for i := range b.Columns {
		v := &b.Columns[i]
		next := newSeries(r)
		null := []int{0, 1, 50, 99, 100}[r.IntN(5)] // percent
		runLength := 1 + 99*r.IntN(2)               // how many rows in a row are NULL, or not
		valid := true
		for row := range n {
			if row%runLength == 0 {
				valid = !v.Column.Nullable || r.IntN(100) >= null
			}
			x := next()
			if v.Column.Type == schema.Float64 {
				x = math.Float64bits(float64(int64(x)) / 3) // no pattern of them is NaN
			}
			appendValue(v, x, valid)
		}
	}
}

// appendValue appends a number; of a Float64 column it is the bit pattern.
func appendValue(v *schema.Vector, x uint64, valid bool) {
	if v.Column.Nullable {
		v.Valid = append(v.Valid, 0)
		if valid {
			v.Valid[len(v.Valid)-1] = 1
		} else {
			x = 0
		}
	}
	switch v.Column.Type {
	case schema.Uint8:
		v.U8 = append(v.U8, uint8(x))
	case schema.Bool:
		v.U8 = append(v.U8, uint8(x&1))
	case schema.Enum:
		v.U8 = append(v.U8, uint8(x%uint64(len(v.Column.Names))))
	case schema.Uint16:
		v.U16 = append(v.U16, uint16(x))
	case schema.Uint32, schema.Int32:
		v.U32 = append(v.U32, uint32(x))
	case schema.Uint63:
		v.U64 = append(v.U64, x&schema.MaxUint63)
	case schema.Uint64, schema.Int64, schema.Float64:
		v.U64 = append(v.U64, x)
	case schema.String, schema.JSON:
		v.Str = append(v.Str, fmt.Sprintf("%x", x))
	case schema.Bytes:
		v.Bin = append(v.Bin, fmt.Appendf(nil, "%x", x))
	}
}

// Null is what Text returns for NULL.
const Null = "NULL"

// Text returns row i of v in words, as fmt prints the value.
func Text(v *schema.Vector, i int) string {
	if v.Column.Nullable && v.Valid[i] == 0 {
		return Null
	}
	switch v.Column.Type {
	case schema.Uint8:
		return strconv.FormatUint(uint64(v.U8[i]), 10)
	case schema.Bool:
		return strconv.FormatBool(v.U8[i] == 1)
	case schema.Enum:
		return v.Column.Names[v.U8[i]]
	case schema.Uint16:
		return strconv.FormatUint(uint64(v.U16[i]), 10)
	case schema.Uint32:
		return strconv.FormatUint(uint64(v.U32[i]), 10)
	case schema.Int32:
		return strconv.FormatInt(int64(int32(v.U32[i])), 10)
	case schema.Uint63:
		return strconv.FormatUint(v.U64[i], 10)
	case schema.Uint64, schema.Int64:
		return strconv.FormatInt(int64(v.U64[i]), 10)
	case schema.String, schema.JSON:
		return v.Str[i]
	case schema.Bytes:
		return string(v.Bin[i])
	case schema.Float64:
		return strconv.FormatFloat(math.Float64frombits(v.U64[i]), 'g', -1, 64)
	}
	panic(fmt.Sprintf("sample: no type %d", v.Column.Type))
}

// Double returns a double that another program wrote, as Text writes it. What is no
// number it returns as it is.
func Double(text string) string {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
