package schema

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Null says whether row i is NULL.
func (v *Vector) Null(i int) bool { return v.Column.Nullable && v.Valid[i] == 0 }

// Equal says whether row i is the same as row j of w, a vector of the same type.
// Two NULLs are.
func (v *Vector) Equal(i int, w *Vector, j int) bool {
	if v.Null(i) || w.Null(j) {
		return v.Null(i) && w.Null(j)
	}
	switch v.Column.Type {
	case Uint8, Bool, Enum:
		return v.U8[i] == w.U8[j]
	case Uint16:
		return v.U16[i] == w.U16[j]
	case Uint32, Int32:
		return v.U32[i] == w.U32[j]
	case Uint63, Uint64, Int64, Float64:
		return v.U64[i] == w.U64[j]
	case String, JSON:
		return v.Str[i] == w.Str[j]
	case Bytes:
		return bytes.Equal(v.Bin[i], w.Bin[j])
	}
	panic(fmt.Sprintf("schema: no type %d", v.Column.Type))
}

// Compare says whether row i comes before row j of w, a vector of the same type
// (negative), after it, or is the same: NULL first, texts by their bytes, enums by
// code.
func (v *Vector) Compare(i int, w *Vector, j int) int {
	if a, b := v.Null(i), w.Null(j); a || b {
		return cmp.Compare(btou(b), btou(a))
	}
	switch v.Column.Type {
	case Uint8, Bool, Enum:
		return cmp.Compare(v.U8[i], w.U8[j])
	case Uint16:
		return cmp.Compare(v.U16[i], w.U16[j])
	case Uint32:
		return cmp.Compare(v.U32[i], w.U32[j])
	case Int32:
		return cmp.Compare(int32(v.U32[i]), int32(w.U32[j]))
	case Uint63, Uint64:
		return cmp.Compare(v.U64[i], w.U64[j])
	case Int64:
		return cmp.Compare(int64(v.U64[i]), int64(w.U64[j]))
	case Float64:
		return cmp.Compare(math.Float64frombits(v.U64[i]), math.Float64frombits(w.U64[j]))
	case String, JSON:
		return strings.Compare(v.Str[i], w.Str[j])
	case Bytes:
		return bytes.Compare(v.Bin[i], w.Bin[j])
	}
	panic(fmt.Sprintf("schema: no type %d", v.Column.Type))
}

// Text returns row i for people to read: numbers in decimal, as files have them, enums by name,
// bytes in hex, NULL as that.
func (v *Vector) Text(i int) string {
	if v.Null(i) {
		return "NULL"
	}
	switch v.Column.Type {
	case Uint8:
		return strconv.Itoa(int(v.U8[i]))
	case Bool:
		return strconv.FormatBool(v.U8[i] != 0)
	case Enum:
		return v.Column.Names[v.U8[i]]
	case Uint16:
		return strconv.Itoa(int(v.U16[i]))
	case Uint32:
		return strconv.FormatUint(uint64(v.U32[i]), 10)
	case Int32:
		return strconv.Itoa(int(int32(v.U32[i])))
	case Uint63:
		return strconv.FormatUint(v.U64[i], 10)
	case Uint64, Int64:
		return strconv.FormatInt(int64(v.U64[i]), 10)
	case String, JSON:
		return v.Str[i]
	case Bytes:
		return fmt.Sprintf("%x", v.Bin[i])
	case Float64:
		return strconv.FormatFloat(math.Float64frombits(v.U64[i]), 'g', -1, 64)
	}
	panic(fmt.Sprintf("schema: no type %d", v.Column.Type))
}

// AppendFrom appends row i of w, a vector of the same type, which is nullable
// only if v is. Bytes are not copied.
func (v *Vector) AppendFrom(w *Vector, i int) {
	if v.Column.Nullable {
		v.Valid = append(v.Valid, btou(!w.Null(i)))
	}
	switch v.Column.Type {
	case Uint8, Bool, Enum:
		v.U8 = append(v.U8, w.U8[i])
	case Uint16:
		v.U16 = append(v.U16, w.U16[i])
	case Uint32, Int32:
		v.U32 = append(v.U32, w.U32[i])
	case Uint63, Uint64, Int64, Float64:
		v.U64 = append(v.U64, w.U64[i])
	case String, JSON:
		v.Str = append(v.Str, w.Str[i])
	case Bytes:
		v.Bin = append(v.Bin, w.Bin[i])
	default:
		panic(fmt.Sprintf("schema: no type %d", v.Column.Type))
	}
}

// AppendNull appends a NULL to a column that may have one.
func (v *Vector) AppendNull() {
	if !v.Column.Nullable {
		panic("schema: a NULL in " + v.Column.Name)
	}
	v.AppendZeros(1)
}

// AppendZeros appends n rows, each NULL, or the zero value if the column has no
// NULL.
func (v *Vector) AppendZeros(n int) {
	if v.Column.Nullable {
		v.Valid = append(v.Valid, make([]uint8, n)...)
	}
	switch v.Column.Type {
	case Uint8, Bool, Enum:
		v.U8 = append(v.U8, make([]uint8, n)...)
	case Uint16:
		v.U16 = append(v.U16, make([]uint16, n)...)
	case Uint32, Int32:
		v.U32 = append(v.U32, make([]uint32, n)...)
	case Uint63, Uint64, Int64, Float64:
		v.U64 = append(v.U64, make([]uint64, n)...)
	case String, JSON:
		v.Str = append(v.Str, make([]string, n)...)
	case Bytes:
		v.Bin = append(v.Bin, make([][]byte, n)...)
	default:
		panic(fmt.Sprintf("schema: no type %d", v.Column.Type))
	}
}

// AppendInteger appends a number that a file has. It fails if the column cannot have it.
func (v *Vector) AppendInteger(n int64) error {
	switch c := v.Column; {
	case c.Type == Uint8 && n == int64(uint8(n)):
		v.U8 = append(v.U8, uint8(n))
	case c.Type == Uint16 && n == int64(uint16(n)):
		v.U16 = append(v.U16, uint16(n))
	case c.Type == Uint32 && n == int64(uint32(n)):
		v.U32 = append(v.U32, uint32(n))
	case c.Type == Int32:
		v.U32 = append(v.U32, uint32(n))
	case c.Type == Int64, c.Type == Uint64, c.Type == Uint63 && n >= 0:
		v.U64 = append(v.U64, uint64(n))
	default:
		return fmt.Errorf("%d is out of its range", n)
	}
	return nil
}
