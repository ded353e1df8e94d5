package datasettest_test

import (
	"path/filepath"
	"testing"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// A made-up dataset opens, and has what it is to have.
func TestLarge(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := (datasettest.Large{Functions: 100, Stacks: 30, Calls: 20}).Write(dir); err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for table, want := range map[*schema.Table]int64{&schema.Functions: 100, &schema.Code: 1600, &schema.Stacks: 30, &schema.Calls: 20} {
		if n := d.Rows(table); n != want {
			t.Errorf("%d rows of %s, want %d", n, table.Name, want)
		}
	}
}
