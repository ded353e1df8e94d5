package schema_test

import (
	"encoding/hex"
	"math/rand/v2"
	"strings"
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
				if n, back := v.Compare(row, w, row), w.Compare(row, v, row); (n == 0) != same || n != -back {
					t.Fatalf("%s: %s and %s compare as %d and %d", v.Column.Name, sample.Text(v, row), sample.Text(w, row), n, back)
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

// Rows are in order of the numbers themselves, of the bytes of texts, and of the
// codes of enums; NULL is before all.
func TestCompareCells(t *testing.T) {
	for _, tt := range []struct {
		column schema.Column
		cells  string // in order
	}{
		{schema.Column{Type: schema.Int32}, "-2147483648 -1 0 2147483647"},
		{schema.Column{Type: schema.Int64}, "-9223372036854775808 -1 0 9223372036854775807"},
		{schema.Column{Type: schema.Uint64, Nullable: true}, "- 0 9223372036854775807 9223372036854775808 18446744073709551615"},
		{schema.Column{Type: schema.Uint32, Nullable: true}, "- 0 1 4294967295"},
		{schema.Column{Type: schema.Float64, Nullable: true}, "- -1e300 -0.5 0 5e-324 2 10"},
		{schema.Column{Type: schema.String, Nullable: true}, "- B a aa b é"},
		{schema.Column{Type: schema.Enum, Names: schema.ISANames}, "a32 t32 t32ee jazelle a64"},
	} {
		table := &schema.Table{Name: "one", Columns: []schema.Column{tt.column}}
		v := &sample.Rows(table, strings.ReplaceAll(tt.cells, " ", "\n")).Columns[0]
		for i := 1; i < v.Len(); i++ {
			if v.Compare(i-1, v, i) >= 0 || v.Compare(i, v, i-1) <= 0 || v.Compare(i, v, i) != 0 {
				t.Errorf("%s is not before %s", v.Text(i-1), v.Text(i))
			}
		}
	}
}
