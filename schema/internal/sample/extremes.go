package sample

import (
	"math"

	"github.com/tracelake/tracelake/schema"
)

// ExtremeRows is how many rows Extremes returns: more than any enum has values.
const ExtremeRows = 35

// Values at the ends of their types, and such as readers get wrong: of 2³¹ and
// more, of more bits than a float64 holds, with quotes, outside ASCII, empty.
var (
	extremes = map[schema.Type][]uint64{
		schema.Uint8:  {0, 255, 128, 127},
		schema.Uint16: {0, 65535, 0x8000, 0x7fff},
		schema.Uint32: {0x80000000, 0xffffffff, 0, 0x7fffffff, 0xffff0000},
		schema.Uint63: {math.MaxInt64, 0, 1<<53 + 1, 1 << 31, 1 << 32},
		schema.Uint64: {1<<64 - 1, 0, 1 << 63, 1<<63 - 1, 1 << 32, 1<<53 + 1},
		schema.Int32:  {0, math.MaxInt32, 1 << 31, 1<<32 - 1}, // the last are the least, and -1
		schema.Int64:  {math.MaxInt64, 0, 1 << 63, 1<<64 - 1, 1<<53 + 1},
		schema.Bool:   {0, 1},
		schema.Float64: { // the least bits are the number next to 0, 1<<63 is -0
			math.Float64bits(math.MaxFloat64), math.Float64bits(-math.MaxFloat64), 0, 1, 1 << 63, math.Float64bits(-1. / 3),
			math.Float64bits(1<<53 + 2),
		},
	}
	extremeStrings = []string{`it's "quoted"`, "naïve — 追跡 🦶", "", "line\nbreak\ttab", `C:\new`, "NULL", "0"}
	extremeJSON    = []string{`{}`, `{"n": "it's \"quoted\"", "é": 9007199254740993}`}
	extremeBytes   = []string{"\x00\xff\x80", "", "\xde\xad\xbe\xef", "'"}
)

// Extremes returns a batch of rows of t with extreme values, every value of
// enums, and NULL in every column that can be. The source is as given.
func Extremes(t *schema.Table, source uint8) *schema.Batch {
	b := schema.NewBatch(t)
	for i := range b.Columns {
		v := &b.Columns[i]
		for row := range ExtremeRows {
			appendExtreme(v, source, row, (row+i)%3 > 0)
		}
	}
	return b
}

func appendExtreme(v *schema.Vector, source uint8, row int, valid bool) {
	c := v.Column
	if c.Name == "source" {
		v.U8 = append(v.U8, source)
		return
	}
	switch {
	case !valid && c.Nullable:
		v.AppendNull()
	case c.Type == schema.String:
		appendText(v, extremeStrings[row%len(extremeStrings)])
	case c.Type == schema.JSON:
		appendText(v, extremeJSON[row%len(extremeJSON)])
	case c.Type == schema.Bytes:
		appendText(v, extremeBytes[row%len(extremeBytes)])
	case c.Type == schema.Enum:
		appendValue(v, uint64(row), true) // modulo the number of names
	default:
		appendValue(v, extremes[c.Type][row%len(extremes[c.Type])], true)
	}
}

// Cell returns row i of v as text, bytes in hexadecimal; nil for NULL.
func Cell(v *schema.Vector, i int) *string {
	if v.Null(i) {
		return nil
	}
	return new(v.Text(i))
}
