package sample

import (
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/schema"
)

// Groups returns row groups of a table, with a batch of each size, as r fills it.
func Groups(table *schema.Table, r *rand.Rand, sizes [][]int) [][]*schema.Batch {
	var groups [][]*schema.Batch
	for _, rows := range sizes {
		var g []*schema.Batch
		for _, n := range rows {
			b := schema.NewBatch(table)
			Fill(b, r, n)
			g = append(g, b)
		}
		groups = append(groups, g)
	}
	return groups
}

// WriteGroup adds batches to f as one row group, encoded by e.
func WriteGroup(t testing.TB, f schema.File, e schema.Encoder, batches []*schema.Batch) {
	t.Helper()
	for _, b := range batches {
		if err := e.Append(b); err != nil {
			t.Fatal(err)
		}
	}
	c, err := e.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.WriteRowGroup(c); err != nil {
		t.Fatal(err)
	}
}

// CompareFile checks that f has the batches of groups, and nothing after them.
func CompareFile(t testing.TB, f schema.Reader, groups [][]*schema.Batch) {
	t.Helper()
	for n, want := range slices.Concat(groups...) {
		got, err := f.Next()
		if err != nil {
			t.Fatal(err)
		}
		Compare(t, n, got, want)
	}
	if b, err := f.Next(); b != nil || !errors.Is(err, io.EOF) {
		t.Errorf("after the last: %v, %v", b, err)
	}
}

// ReadDamaged reads f to its end, or to an error. Every batch has rows, but not
// too many, and the same number of each column.
func ReadDamaged(t testing.TB, f schema.Reader) {
	t.Helper()
	for {
		b, err := f.Next()
		if err != nil {
			return
		}
		if n := b.Rows(); n < 1 || n > schema.BatchRows { // Rows panics on uneven columns
			t.Fatalf("a batch of %d rows", n)
		}
	}
}
