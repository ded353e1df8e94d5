package dataset_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/internal/small"
)

// A directory that is no dataset, or an incomplete one, is refused, and the error
// names it.
func TestOpenRefuses(t *testing.T) {
	part := filepath.Join("losses", "10-00000.parquet")
	for _, tt := range []struct {
		name   string
		damage func(t *testing.T, dir string)
		want   string
	}{
		{"no directory", func(t *testing.T, dir string) { check(t, os.RemoveAll(dir)) }, "does not exist"},
		{"a file", func(t *testing.T, dir string) {
			check(t, os.RemoveAll(dir))
			check(t, os.WriteFile(dir, nil, 0o666))
		}, "not a directory"},
		{"no manifest", func(t *testing.T, dir string) { check(t, os.Remove(filepath.Join(dir, "manifest.json"))) }, "not a dataset: it has no manifest.json"},
		{"no JSON", replaceInManifest("{", "["), "manifest.json: is no manifest"},
		{"another hash", func(t *testing.T, dir string) {
			name := filepath.Join(dir, "manifest.json")
			text, err := os.ReadFile(name)
			check(t, err)
			check(t, os.WriteFile(name, bytes.Replace(text, []byte(`"PTM"`), []byte(`"ETM"`), 1), 0o666))
		}, "manifest.json: is not as it was written"},
		{"version", replaceInManifest(`"schema_version": 4`, `"schema_version": 5`), `has schema version "5", this program reads 3 to 4`},
		{"format", replaceInManifest(`"parquet"`, `"csv"`), `says format "csv"`},
		{"path", replaceInManifest("losses/10-00000.parquet", "losses/../../x"), `names "losses/../../x", which is not the next part of losses`},
		{"order", replaceInManifest("losses/10-00000.parquet", "losses/10-00001.parquet"), "is not the next part"},
		{"other table's part", replaceInManifest("losses/10-00000.parquet", "events/10-00000.parquet"), "is not the next part"},
		{"part missing", func(t *testing.T, dir string) { check(t, os.Remove(filepath.Join(dir, part))) }, "losses/10-00000.parquet: is missing"},
		{"part cut off", func(t *testing.T, dir string) { check(t, os.Truncate(filepath.Join(dir, part), 100)) }, "has 100 bytes, the manifest says"},
		{"part leads out", func(t *testing.T, dir string) {
			outside := filepath.Join(t.TempDir(), "x")
			check(t, os.Rename(filepath.Join(dir, part), outside))
			check(t, os.Symlink(outside, filepath.Join(dir, part)))
		}, "escapes"},
		{"part damaged", func(t *testing.T, dir string) {
			b, err := os.ReadFile(filepath.Join(dir, part))
			check(t, err)
			b[len(b)-1] = 'X'
			check(t, os.WriteFile(filepath.Join(dir, part), b, 0o666))
		}, "losses/10-00000.parquet: cannot be read: is no parquet file"},
		{"rows", replaceInManifest(`"rows": 3,
          "bytes"`, `"rows": 4,
          "bytes"`), "has 3 rows, the manifest says 4"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := small.New().Write(t)
			tt.damage(t, dir)
			d, err := dataset.Open(dir)
			if err == nil {
				err = errors.Join(readAll(d), d.Close())
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
}

// readAll reads all rows of a dataset.
func readAll(d *dataset.Dataset) error {
	for _, table := range schema.Tables() {
		for _, source := range d.Sources(table) {
			r := d.Open(table, source)
			for {
				if _, err := r.Next(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					return errors.Join(err, r.Close())
				}
			}
		}
	}
	return nil
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// replaceInManifest puts new in the place of old, which has to be there.
func replaceInManifest(old, replacement string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		small.EditManifest(t, dir, old, replacement)
	}
}

// FuzzManifest opens a dataset with a damaged manifest, and reads what it lists:
// rows or an error, no panic.
func FuzzManifest(f *testing.F) {
	dir := small.New().Write(f)
	name := filepath.Join(dir, schema.ManifestFile)
	text, err := os.ReadFile(name)
	check(f, err)
	f.Add(text)
	f.Add([]byte(`{"schema_version":4,"format":"arrow","tables":{"losses":{"parts":[{"path":"losses/10-00000.arrow"}]},"images":{}}}`))
	f.Fuzz(func(t *testing.T, manifest []byte) {
		check(t, os.WriteFile(name, small.Seal(manifest), 0o666))
		d, err := dataset.Open(dir)
		if err != nil {
			if _, ok := errors.AsType[*dataset.Error](err); !ok {
				t.Fatalf("%v", err)
			}
			return
		}
		defer d.Close()
		if !json.Valid(manifest) {
			t.Fatal("opened without a manifest")
		}
		if err := readAll(d); err != nil {
			if _, ok := errors.AsType[*dataset.Error](err); !ok {
				t.Fatalf("%v", err)
			}
		}
		for _, table := range schema.Tables() {
			if d.Rows(table) != 0 && !d.Has(table) {
				t.Fatal("rows of a table that it does not have")
			}
		}
	})
}
