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
		bare, zero := withoutNull(g)
		for row := range want.Rows() {
			if x, y := Text(g, row), Text(w, row); x != y {
				t.Fatalf("batch %d, %s, row %d: %s, want %s", n, w.Column.Name, row, x, y)
			}
			if w.Null(row) && !bare.Equal(row, &zero, 0) {
				t.Fatalf("batch %d, %s, row %d: a value beside NULL", n, w.Column.Name, row)
			}
		}
	}
}

// withoutNull returns the values of v as those of a column without NULL, and the zero value of that.
func withoutNull(v *schema.Vector) (bare, zero schema.Vector) {
	column := *v.Column
	column.Nullable = false
	bare, zero = *v, schema.Vector{Column: &column}
	bare.Column = &column
	zero.AppendZeros(1)
	return bare, zero
}
