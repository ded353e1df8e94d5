package sample

import (
	"testing"

	"github.com/tracelake/tracelake/schema"
)

// Compare checks that two batches, the n-th of a file, have the same rows. The
// value in a NULL slot has to be the zero value.
func Compare(t testing.TB, n int, got, want *schema.Batch) {
	t.Helper()
	if got.Rows() != want.Rows() {
		t.Fatalf("batch %d: %d rows, want %d", n, got.Rows(), want.Rows())
	}
	for i := range want.Columns {
		g, w := &got.Columns[i], &want.Columns[i]
		for row := range want.Rows() {
			if x, y := Text(g, row), Text(w, row); x != y {
				t.Fatalf("batch %d, %s, row %d: %s, want %s", n, w.Column.Name, row, x, y)
			}
			if Text(w, row) == Null && !isZero(g, row) {
				t.Fatalf("batch %d, %s, row %d: a value beside NULL", n, w.Column.Name, row)
			}
		}
	}
}

func isZero(v *schema.Vector, row int) bool {
	switch v.Column.Type {
	case schema.Uint8, schema.Bool, schema.Enum:
		return v.U8[row] == 0
	case schema.Uint16:
		return v.U16[row] == 0
	case schema.Uint32, schema.Int32:
		return v.U32[row] == 0
	case schema.Uint63, schema.Int64, schema.Float64:
		return v.U64[row] == 0
	case schema.String, schema.JSON:
		return v.Str[row] == ""
	case schema.Bytes:
		return len(v.Bin[row]) == 0
	}
	return false
}
