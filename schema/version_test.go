package schema_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/arrowfile"
	"github.com/tracelake/tracelake/schema/internal/sample"
	"github.com/tracelake/tracelake/schema/parquetfile"
)

// A file of another version, or of none, is not read as if it were of
// this one.
func TestReadOtherVersions(t *testing.T) {
	for _, v := range []string{"0", "2", "5", "", "x", "3.0"} {
		want := fmt.Sprintf("has schema version %q, this program reads 3 to 4", v)
		if _, err := schema.ParseVersion(v); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, format := range []schema.Format{schema.Parquet, schema.Arrow} {
		path := filepath.Join(t.TempDir(), "losses."+format.String())
		writeFile(t, path, &schema.Losses)
		good, err := os.ReadFile(path)
		check(t, err)
		for _, tt := range []struct{ old, new, want string }{
			{"tracelake.schema_version", "tracelake.schema_version", ""},
			{"tracelake.schema_version", "tracelake.schema_versio_", "has no tracelake.schema_version in its metadata"},
		} {
			b := bytes.ReplaceAll(good, []byte(tt.old), []byte(tt.new))
			check(t, os.WriteFile(path, b, 0o666))
			_, err = openFile(path, &schema.Losses)
			if got := fmt.Sprint(err); tt.want == "" && err != nil || tt.want != "" && !strings.Contains(got, tt.want) {
				t.Errorf("%s: %s, want %q", format, got, tt.want)
			}
		}
	}
}

// earlierTable returns a table as a schema version has it.
func earlierTable(t *schema.Table, version int) *schema.Table {
	earlier := *t
	earlier.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c schema.Column) bool { return c.Since > version })
	return &earlier
}

// writeLacking writes a file without the columns that came with this version.
func writeLacking(t *testing.T, path string, table *schema.Table, rows string) {
	t.Helper()
	earlier := earlierTable(table, schema.Version-1)
	writeFile(t, path, earlier, sample.As(earlier, [][]*schema.Batch{{sample.Rows(table, rows)}})[0]...)
}

// writeEarlier writes a file as a program of the version before does.
func writeEarlier(t *testing.T, path string, table *schema.Table, rows string) {
	t.Helper()
	writeLacking(t, path, table, rows)
	b, err := os.ReadFile(path)
	check(t, err)
	for _, encoded := range []string{"schema_version\x18\x01%d", "\x01\x00\x00\x00%d\x00"} { // of Thrift and FlatBuffers
		now, before := fmt.Sprintf(encoded, schema.Version), fmt.Sprintf(encoded, schema.Version-1)
		b = bytes.ReplaceAll(b, []byte(now), []byte(before))
	}
	check(t, os.WriteFile(path, b, 0o666))
}

// openFile opens a file of a table.
func openFile(path string, table *schema.Table) (schema.Reader, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(path, ".arrow") {
		return arrowfile.Open(bytes.NewReader(b), int64(len(b)), table)
	}
	return parquetfile.Open(bytes.NewReader(b), int64(len(b)), table)
}

// In a file of the version before, columns that it did not have are NULL; a file of this version
// has to have them.
func TestReadEarlier(t *testing.T) {
	const rows = "0x13 0 - 100 7 - secure a32 3\n0x13 5 0 104 4294967295 4294967295 hyp t32"
	for _, format := range []schema.Format{schema.Parquet, schema.Arrow} {
		path := filepath.Join(t.TempDir(), "contexts."+format.String())
		writeEarlier(t, path, &schema.Contexts, rows)
		r, err := openFile(path, &schema.Contexts)
		check(t, err)
		b, err := r.Next()
		check(t, err)
		var got [][]string
		for i := range b.Rows() {
			got = append(got, nil)
			for c := range b.Columns {
				got[i] = append(got[i], b.Columns[c].Text(i))
			}
		}
		compare(t, got, "19 0 - 100 7 - secure a32 -\n19 5 0 104 4294967295 4294967295 hyp t32 -")

		writeLacking(t, path, &schema.Contexts, rows)
		_, err = openFile(path, &schema.Contexts)
		if want := `has no column "exception_level", which contexts`; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", format, err, want)
		}
	}
}

// The views of a dataset of the version before have the columns, and so have those of this version
// where one of several datasets is of it.
func TestViewsOfEarlier(t *testing.T) {
	dir := t.TempDir()
	writeDatasetOf(t, schema.Version-1, filepath.Join(dir, "old"), schema.LevelBlocks, blocksDataset())
	writeDataset(t, filepath.Join(dir, "new"), schema.LevelBlocks, blocksDataset())
	viewsTest{directory: dir, views: "old/views.sql", asks: []ask{
		{"SELECT count(*), count(exception_level), count(transaction) FROM instructions", "73 0 0"},
		{"SELECT count(exception_level), typeof(any_value(exception_level)) FROM blocks", "0 INTEGER"},
	}}.runBoth(t)
	viewsTest{directory: dir, views: "new/views.sql", datasets: []string{"old", "new"}, asks: []ask{
		{
			"SELECT dataset, count(*), sum(exception_level), bool_or(transaction) FROM instructions WHERE source = 19 GROUP BY ALL ORDER BY ALL",
			"new 72 3 true\nold 72 - -",
		},
	}}.runBoth(t)
}
