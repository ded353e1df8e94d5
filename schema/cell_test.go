package schema_test

import (
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/internal/sample"
)

// Cells of every type are equal if their texts are equal, and are appended
// unchanged.
func TestCells(t *testing.T) {
	table := sample.EveryType()
	r := rand.New(rand.NewPCG(1, 3))
	equal, different := 0, 0
	for range 20 {
		a, b, c := schema.NewBatch(table), schema.NewBatch(table), schema.NewBatch(table)
		sample.Fill(a, r, 50)
		sample.Fill(b, r, 50)
		for i := range table.Columns {
			v, w, copied := &a.Columns[i], &b.Columns[i], &c.Columns[i]
			for row := range 50 {
				same := sample.Text(v, row) == sample.Text(w, row)
				if got := v.Equal(row, w, row); got != same {
					t.Fatalf("%s: %s and %s are equal: %v", v.Column.Name, sample.Text(v, row), sample.Text(w, row), got)
				}
				if same {
					equal++
				} else {
					different++
				}
				copied.AppendFrom(v, row)
				want := sample.Text(v, row)
				if v.Column.Type == schema.Bytes && !v.Null(row) {
					want = hex.EncodeToString([]byte(want))
				}
				if got := copied.Text(row); got != want {
					t.Fatalf("%s: %s, want %s", v.Column.Name, got, want)
				}
			}
		}
		if c.Rows() != 50 { // panics on uneven columns
			t.Fatal("rows are lost")
		}
	}
	if equal < 100 || different < 100 {
		t.Fatalf("only %d equal cells, and %d different ones", equal, different)
	}
}
