package dataset_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/internal/small"
)

// Each table of a dataset has the same records whatever its format, of as many rows as its files
// have; instructions are also made of blocks.
func TestRecords(t *testing.T) {
	want := map[string]string{}
	for _, format := range []schema.Format{schema.Parquet, schema.Arrow} {
		for _, level := range []schema.Level{schema.LevelInstructions, schema.LevelBlocks} {
			s := small.New()
			s.Options.Level, s.Options.Format = level, format
			d, err := dataset.Open(s.Write(t))
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			for _, table := range schema.Tables() {
				text, rows := records(t, d, table)
				if n := d.Rows(table); rows != n && (table != &schema.Instructions || rows != 10) {
					t.Errorf("%s, %s: %d rows of %s, want %d", format, level, rows, table.Name, n)
				}
				key := table.Name
				if table.Level != schema.AnyLevel { // instructions of blocks have the offset and cycles of their run
					key += level.String()
				}
				if was, ok := want[key]; ok && text != was {
					t.Errorf("%s, %s: %s has\n%s\nwant\n%s", format, level, table.Name, text, was)
				}
				want[key] = text
			}
		}
	}
}

// records returns the rows of a table as text, and how many there are.
func records(t *testing.T, d *dataset.Dataset, table *schema.Table) (text string, rows int64) {
	t.Helper()
	for r, err := range d.Records(table) {
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range r.Columns() {
			field := r.Schema().Field(i)
			if unit, _ := field.Metadata.GetValue("unit"); unit != table.Columns[i].Unit || field.Name != table.Columns[i].Name {
				t.Errorf("%s: field %s in %q", table.Name, field.Name, unit)
			}
			text += fmt.Sprintln(field.Name, c)
		}
		rows += r.NumRows()
		r.Release()
	}
	return text, rows
}

// A damaged part is an error, the last that comes.
func TestRecordsOfDamagedFiles(t *testing.T) {
	dir := small.New().Write(t)
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	overwrite(t, dir, d.Manifest.Tables[schema.Counts.Name].Parts[0])
	var records []arrow.Record
	var errs []error
	for r, err := range d.Records(&schema.Counts) {
		records, errs = append(records, r), append(errs, err)
	}
	if len(errs) != 1 || errs[0] == nil || records[0] != nil {
		t.Errorf("%d records, %v", len(records), errs)
	}
}

// overwrite has a part be of zeros.
func overwrite(t *testing.T, dir string, part schema.PartFile) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(part.Path)), make([]byte, part.Bytes), 0o666); err != nil {
		t.Fatal(err)
	}
}
