package dataset_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/internal/small"
)

// earlier is a dataset of the first 1024 bytes of the sample, as the program wrote
// it before tables and columns were added to version 2.
const earlier = "../testdata/version2"

// A dataset that an earlier program wrote is read and checked. It has no rows of
// what was added.
func TestOpenEarlier(t *testing.T) {
	d, err := dataset.Open(earlier)
	check(t, err)
	defer d.Close()
	check(t, readAll(d))
	for _, table := range schema.Answers() {
		if d.Has(table) || d.Rows(table) != 0 || d.Sources(table) != nil {
			t.Errorf("has %s", table.Name)
		}
	}
	for table, want := range map[*schema.Table]string{
		&schema.Sources:      "branch_checks branch_agrees isync_checks isync_agrees decoded_share placed_share agreement",
		&schema.Images:       "image role match code_sha256",
		&schema.Instructions: "", &schema.Losses: "", &schema.Counts: "",
	} {
		lacks, err := d.Lacks(table)
		check(t, err)
		var names []string
		for _, i := range lacks {
			names = append(names, table.Columns[i].Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s lacks %q, want %q", table.Name, got, want)
		}
	}
	for b, err := range d.Batches(&schema.Images) {
		check(t, err)
		if schema.ImageRole(schema.ImagesRole.At(b, 0)) != schema.RoleMemory || !b.Columns[schema.ImagesMatch].Null(0) {
			t.Error("the image has a role")
		}
	}
	if got := problems(t, earlier); got != nil {
		t.Errorf("%q", got)
	}
}

// A dataset of a later program is read, in what this one knows; all of its files
// are checked.
func TestOpenLater(t *testing.T) {
	for _, format := range []schema.Format{schema.Parquet, schema.Arrow} {
		w := small.New()
		w.Options.Format = format
		dir := w.Write(t)
		now, err := dataset.Open(dir)
		check(t, err)
		want := texts(t, now)
		check(t, now.Close())
		small.Future(t, dir)
		d, err := dataset.Open(dir)
		check(t, err)
		if !slices.Equal(d.Unknown, []string{"marks"}) {
			t.Errorf("unknown %q", d.Unknown)
		}
		if got := texts(t, d); !slices.Equal(got, want) {
			t.Errorf("rows\n%q, want\n%q", got, want)
		}
		check(t, d.Close())
		r, err := dataset.Check(t.Context(), dir, nil)
		check(t, err)
		if len(r.Problems) > 0 || r.Tables != len(d.Manifest.Tables) || len(r.Unchecked) != 1 ||
			!strings.HasPrefix(r.Unchecked[0], "the rows of marks, which this program does not know") {
			t.Errorf("%+v", r)
		}
		part := filepath.Join("marks", "10-00000."+format.String())
		damage(t, dir, part)
		if got := problems(t, dir); len(got) != 1 || !strings.HasPrefix(got[0],
			filepath.ToSlash(part)+": is not as it was written") {
			t.Errorf("%q", got)
		}
	}
}

// Files of a table that is not known lie in its folder: a manifest cannot make any
// file one of the dataset.
func TestCheckUnknown(t *testing.T) {
	for _, tt := range []struct{ old, replacement, want string }{
		{`"marks/10-00000.parquet"`, `"marks/../views.sql"`,
			`manifest.json: names "marks/../views.sql", which is no part of marks`},
		{`"marks/10-00000.parquet"`, `"losses/10-00000.parquet"`,
			`manifest.json: names "losses/10-00000.parquet", which is no part of marks`},
		{`"marks/10-00000.parquet"`, `"marks/.."`, `manifest.json: names "marks/..", which is no part of marks`},
		{`"marks/10-00000.parquet"`, `"marks/a/10-00000.parquet"`,
			`manifest.json: names "marks/a/10-00000.parquet", which is no part of marks`},
		{`"marks/10-00000.parquet"`, `"marks"`, `manifest.json: names "marks", which is no part of marks`},
		{"\"marks\": {\n      \"rows\": 3", "\"marks\": {\n      \"rows\": 4", "manifest.json: says 4 rows and "},
	} {
		dir := small.New().Write(t)
		small.Future(t, dir)
		small.EditManifest(t, dir, tt.old, tt.replacement)
		if got := problems(t, dir); len(got) == 0 || !strings.HasPrefix(got[0], tt.want) {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// texts returns all rows of a dataset as text.
func texts(t *testing.T, d *dataset.Dataset) []string {
	t.Helper()
	var rows []string
	for _, table := range schema.Tables() {
		for b, err := range d.Batches(table) {
			check(t, err)
			for i := range b.Rows() {
				var row strings.Builder
				row.WriteString(table.Name)
				for c := range b.Columns {
					row.WriteString(" " + b.Columns[c].Text(i))
				}
				rows = append(rows, row.String())
			}
		}
	}
	if len(rows) < 15 {
		t.Fatalf("only %d rows", len(rows))
	}
	return rows
}

// damage changes a byte in the middle of a file.
func damage(t *testing.T, dir, name string) {
	t.Helper()
	path := filepath.Join(dir, name)
	b, err := os.ReadFile(path)
	check(t, err)
	b[len(b)/2] ^= 1
	check(t, os.WriteFile(path, b, 0o666))
}
