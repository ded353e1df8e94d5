package sample

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/schema"
)

// Rows returns a batch of t with the rows of text, one on a line, as [Append] takes them.
func Rows(t *schema.Table, text string) *schema.Batch {
	b := schema.NewBatch(t)
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			Append(b, line)
		}
	}
	return b
}

// Append appends a row: its cells apart by spaces, numbers as in Go, enums by name, "-" for NULL,
// which columns at its end may lack that have NULL. It panics on anything else, being for tests.
func Append(b *schema.Batch, row string) {
	cells, columns := strings.Fields(row), b.Table.Columns
	for n := len(cells); n < len(columns) && columns[n].Nullable; n++ {
		cells = append(cells, "-")
	}
	if len(cells) != len(columns) {
		panic(fmt.Sprintf("sample: %d cells for %d columns of %s: %s", len(cells), len(columns), b.Table.Name, row))
	}
	for i, cell := range cells {
		if err := AppendCell(&b.Columns[i], cell); err != nil {
			panic(fmt.Sprintf("sample: %s: %v", row, err))
		}
	}
}

// AppendCell appends a cell as [Append] takes it.
func AppendCell(v *schema.Vector, cell string) error {
	c := v.Column
	switch {
	case cell == "-" && !c.Nullable:
		return fmt.Errorf("NULL in %s", c.Name)
	case cell == "-":
		v.AppendNull()
	case c.Type == schema.String, c.Type == schema.JSON, c.Type == schema.Bytes:
		appendText(v, cell)
	default:
		x, err := number(c, cell)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		appendValue(v, x, true)
	}
	return nil
}

func appendText(v *schema.Vector, s string) {
	if v.Column.Type == schema.Bytes {
		v.Bin = append(v.Bin, []byte(s))
	} else {
		v.Str = append(v.Str, s)
	}
	if v.Column.Nullable {
		v.Valid = append(v.Valid, 1)
	}
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// number returns a cell as appendValue takes it.
func number(c *schema.Column, cell string) (uint64, error) {
	switch c.Type {
	case schema.Enum:
		code := slices.Index(c.Names, cell)
		if code < 0 {
			return 0, fmt.Errorf("%s is none of %v", cell, c.Names)
		}
		return uint64(code), nil
	case schema.Bool:
		b, err := strconv.ParseBool(cell)
		return uint64(bit(b)), err
	case schema.Int32, schema.Int64:
		x, err := strconv.ParseInt(cell, 0, 64)
		return uint64(x), err
	case schema.Float64:
		x, err := strconv.ParseFloat(cell, 64)
		return math.Float64bits(x), err
	}
	return strconv.ParseUint(cell, 0, 64)
}
