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

// earlier is a dataset of the first 1024 bytes of the sample, as a program of schema
// version 2 wrote it.
const earlier = "../testdata/version2"

// Of a dataset of an older schema version the bytes are checked; its rows are not read.
func TestOpenEarlier(t *testing.T) {
	want := filepath.FromSlash(earlier) + ": made by an older tracelake; export it again"
	if _, err := dataset.Open(earlier); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	d, err := dataset.OpenAny(earlier)
	check(t, err)
	defer d.Close()
	if d.Has(&schema.Losses) || d.Manifest.Totals.Instructions != 2780 {
		t.Errorf("%+v", d.Manifest.Totals)
	}
	r, err := dataset.Check(t.Context(), earlier, nil)
	check(t, err)
	unchecked := []string{"rows: an older tracelake wrote them, of schema version 2"}
	if len(r.Problems) > 0 || !r.Older || r.Files != 8 || r.Tables != 7 || !slices.Equal(r.Unchecked, unchecked) {
		t.Errorf("%+v", r)
	}
	dir := filepath.Join(t.TempDir(), "damaged")
	check(t, os.CopyFS(dir, os.DirFS(earlier)))
	damage(t, dir, filepath.Join("losses", "10-00000.parquet"))
	if got := problems(t, dir); len(got) != 1 || !strings.HasPrefix(got[0], "losses/10-00000.parquet: is not as it was written") {
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
		if len(r.Problems) > 0 || r.Tables != len(d.Manifest.Tables) || len(r.Unchecked) != 1 || !strings.HasPrefix(r.Unchecked[0], "the rows of marks, which this program does not know") {
			t.Errorf("%+v", r)
		}
		part := filepath.Join("marks", "10-00000."+format.String())
		damage(t, dir, part)
		if got := problems(t, dir); len(got) != 1 || !strings.HasPrefix(got[0], filepath.ToSlash(part)+": is not as it was written") {
			t.Errorf("%q", got)
		}
	}
}

// Files of a table that is not known lie in its folder: a manifest cannot make any
// file one of the dataset.
func TestCheckUnknown(t *testing.T) {
	for _, tt := range []struct{ old, replacement, want string }{
		{`"marks/10-00000.parquet"`, `"marks/../views.sql"`, `manifest.json: names "marks/../views.sql", which is no part of marks`},
		{`"marks/10-00000.parquet"`, `"losses/10-00000.parquet"`, `manifest.json: names "losses/10-00000.parquet", which is no part of marks`},
		{`"marks/10-00000.parquet"`, `"marks/.."`, `manifest.json: names "marks/..", which is no part of marks`},
		{`"marks/10-00000.parquet"`, `"marks/a/10-00000.parquet"`, `manifest.json: names "marks/a/10-00000.parquet", which is no part of marks`},
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
