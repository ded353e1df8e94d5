package dataset_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/internal/small"
)

// problems are those of a dataset, one a line, without directory and remedy.
func problems(t testing.TB, dir string) []string {
	t.Helper()
	r, err := dataset.Check(t.Context(), dir, nil)
	check(t, err)
	var lines []string
	for _, p := range r.Problems {
		line, _, _ := strings.Cut(p.Error(), "; ")
		lines = append(lines, filepath.ToSlash(strings.TrimPrefix(line, dir+string(filepath.Separator))))
	}
	return lines
}

// What is wrong with a dataset is found, and its file is named.
func TestCheck(t *testing.T) {
	write := func(name, content string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			check(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666))
		}
	}
	remove := func(name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) { check(t, os.Remove(filepath.Join(dir, name))) }
	}
	for _, tt := range []struct {
		name   string
		change func(*small.Dataset) // before it is written
		damage func(*testing.T, string)
		want   []string
	}{
		{"nothing", nil, nil, nil},
		{"blocks", func(d *small.Dataset) { d.Options.Level = schema.LevelBlocks }, nil, nil},
		{"arrow", func(d *small.Dataset) { d.Options.Format = schema.Arrow }, nil, nil},
		{"stranger", nil, write("notes.txt", ""), []string{"notes.txt: is no file of the dataset: the manifest does not list it"}},
		{"stranger in a table", nil, write("losses/10-00001.parquet", ""), []string{"losses/10-00001.parquet: is no file of the dataset: the manifest does not list it"}},
		{"folder of strangers", nil, func(t *testing.T, dir string) {
			check(t, os.MkdirAll(filepath.Join(dir, "old", "losses"), 0o777))
		}, []string{"old: is no file of the dataset: the manifest does not list it"}},
		{"no views", nil, remove("views.sql"), []string{"views.sql: is missing: openat views.sql: no such file or directory"}},
		{"other views", nil, write("views.sql", "DROP TABLE x;"), []string{"views.sql: has 13 bytes, the manifest says SIZE"}},
		{"parts missing", nil, func(t *testing.T, dir string) {
			remove("losses/10-00000.parquet")(t, dir)
			remove("events/10-00000.parquet")(t, dir)
			write("x", "")(t, dir)
		}, []string{
			"events/10-00000.parquet: is missing: statat events/10-00000.parquet: no such file or directory",
			"losses/10-00000.parquet: is missing: statat losses/10-00000.parquet: no such file or directory",
			"x: is no file of the dataset: the manifest does not list it",
		}},
		{"losses", func(d *small.Dataset) { d.Sources[0].Losses = 4 }, nil, []string{"losses: has 3 losses of source 0x10, the manifest says 4"}},
		{"lost bytes", func(d *small.Dataset) { d.Set(&schema.Losses, 0x10, 2, "bytes=3") }, nil, []string{"losses: has 10 bytes_lost of source 0x10, the manifest says 9"}},
		{"before the segments", func(d *small.Dataset) {
			d.Set(&schema.Losses, 0x10, 0, "bytes=5")
			d.Set(&schema.Losses, 0x10, 1, "bytes=2")
		}, nil, []string{
			"segments: has 199 bytes of source 0x10, the manifest says 200", "segments: has 8 bytes_lost of source 0x10, the manifest says 9",
		}},
		{"no segment", func(d *small.Dataset) { d.Delete(&schema.Segments, 0x11, 0, 1) }, nil, []string{
			"segments: has 0 segments of source 0x11, the manifest says 1", "segments: has 0 bytes of source 0x11, the manifest says 200",
			"segments: has 0 bytes_decoded of source 0x11, the manifest says 200", "segments: has 0 instructions of source 0x11, the manifest says 5",
		}},
		{"decoded and lost", func(d *small.Dataset) {
			d.Sources[1].BytesDecoded = 199
			d.Set(&schema.Segments, 0x11, 0, "bytes_decoded=199")
		}, nil, []string{"manifest.json: says that of 200 bytes of source 0x11 199 were decoded and 0 lost"}},
		{"instructions", func(d *small.Dataset) { d.Delete(&schema.Instructions, 0x11, 4, 5) }, nil, []string{"instructions: has 4 rows of source 0x11, the manifest says 5"}},
		{"instructions of blocks", func(d *small.Dataset) {
			d.Options.Level = schema.LevelBlocks
			d.Set(&schema.Blocks, 0x11, 0, "instructions=2")
		}, nil, []string{"blocks: has 4 instructions of source 0x11, the manifest says 5"}},
		{"rows of another source", func(d *small.Dataset) { d.Add(&schema.Losses, 0x12, "0 - 0 1 unsynced") }, nil, []string{"losses: has rows of source 0x12, which the manifest does not have"}},
		{"totals", nil, replaceInManifest(`"totals": {
    "bytes": 400`, `"totals": {
    "bytes": 401`), []string{"manifest.json: has totals that are not the sums of its sources"}},
		{"rows of a table", nil, replaceInManifest(`"losses": {
      "rows": 3`, `"losses": {
      "rows": 4`), []string{"manifest.json: says 4 rows and SIZE bytes of losses, whose 1 parts have 3 and SIZE"}},
		{"rows of a part", nil, replaceInManifest(`"rows": 3,
          "bytes"`, `"rows": 2,
          "bytes"`), []string{"losses/10-00000.parquet: cannot be read: has 3 rows, the manifest says 2"}},
		{"row of sources", nil, replaceInManifest(`"bytes_unplaced": 0`, `"bytes_unplaced": 1`), []string{
			"sources: has 0 bytes_unplaced of source 0x10, the manifest says 1", "segments: has 0 bytes_unplaced of source 0x10, the manifest says 1",
			"manifest.json: has totals that are not the sums of its sources",
		}},
		{"source in the manifest", nil, replaceInManifest(`"source": 17`, `"source": 18`), []string{"sources: has 0 rows of source 0x12, the manifest says 1"}},
		{"no manifest of ours", nil, write("manifest.json", "{"), []string{"manifest.json: is no manifest: unexpected end of JSON input"}},
		{"end of the manifest", nil, func(t *testing.T, dir string) {
			name := filepath.Join(dir, "manifest.json")
			info, err := os.Stat(name)
			check(t, err)
			check(t, os.Truncate(name, info.Size()-1))
		}, []string{"manifest.json: is not as it was written: its SHA-256 is another than it says"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := small.New()
			if tt.change != nil {
				tt.change(w)
			}
			dir := w.Write(t)
			if tt.damage != nil {
				tt.damage(t, dir)
			}
			got := problems(t, dir)
			for i := range got {
				got[i] = regexp.MustCompile(`\b[1-9]\d{3,}\b`).ReplaceAllString(got[i], "SIZE")
			}
			if tt.name == "source in the manifest" {
				got = got[:min(1, len(got))] // all else of that source is missing, too
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("want (-), got (+):\n%s", d)
			}
		})
	}
}

// Each byte of a dataset that is another one is found. The file that has it is
// checked alone; of each file one is also found by the check of all.
func TestCheckEveryByte(t *testing.T) {
	w := small.New()
	w.Options.Tables, w.Options.Without = []*schema.Table{&schema.Instructions, &schema.Exceptions}, schema.Answers()
	dir := w.Write(t)
	d, err := dataset.Open(dir)
	check(t, err)
	defer d.Close()
	files := []schema.FileSum{{Path: schema.ManifestFile}, *d.Manifest.Views}
	for _, table := range d.Manifest.Tables {
		for _, p := range table.Parts {
			files = append(files, schema.FileSum{Path: p.Path, Bytes: p.Bytes, SHA256: p.SHA256})
		}
	}
	total := 0
	for n, f := range files {
		name := filepath.Join(dir, f.Path)
		content, err := os.ReadFile(name)
		check(t, err)
		total += len(content)
		find := func() error { return d.CheckBytes(content, f) }
		if f.Path == schema.ManifestFile {
			find = func() error { return dataset.CheckManifest(content) }
		}
		check(t, find())
		for i := range content {
			flip := byte(1 + (i+n)%255)
			content[i] ^= flip
			if e, ok := errors.AsType[*dataset.Error](find()); !ok || !e.Damaged || !strings.HasSuffix(e.File, filepath.FromSlash(f.Path)) {
				t.Fatalf("%s: byte %d changed by %#x is not found: %v", f.Path, i, flip, e)
			}
			content[i] ^= flip
		}
		changed := bytes.Clone(content)
		changed[len(changed)*n/len(files)] ^= 1
		check(t, os.WriteFile(name, changed, 0o666))
		if got := problems(t, dir); len(got) != 1 || !strings.HasPrefix(got[0], f.Path+": is not as it was written") && f.Path != schema.ManifestFile {
			t.Errorf("%s: %q", f.Path, got)
		}
		check(t, os.WriteFile(name, content, 0o666))
	}
	if total < 10_000 || total > 70_000 {
		t.Errorf("%d bytes", total)
	}
	if got := problems(t, dir); got != nil {
		t.Errorf("%q", got)
	}
}

// A manifest of version 1 may be without its hash and that of the views, and that
// is said. A later one may not: nor one that has either.
func TestCheckWithoutSeal(t *testing.T) {
	dir := small.New().Write(t)
	name := filepath.Join(dir, "manifest.json")
	text, err := os.ReadFile(name)
	check(t, err)
	end := bytes.Index(text, []byte(",\n  \"manifest_sha256\""))
	beforeViews, _, _ := bytes.Cut(text, []byte(`  "views": {`))
	afterViews := bytes.Index(text, []byte(`  "notes": `))
	versionNow := fmt.Appendf(nil, `"schema_version": %d`, schema.Version)
	unsealed := append(bytes.Clone(text[:end]), "\n}\n"...)
	withoutAny := bytes.Replace(append(bytes.Clone(beforeViews), unsealed[afterViews:]...), versionNow, []byte(`"schema_version": 1`), 1)
	check(t, os.WriteFile(name, withoutAny, 0o666))
	r, err := dataset.Check(t.Context(), dir, nil)
	check(t, err)
	if len(r.Problems) != 0 || len(r.Unchecked) != 2 {
		t.Errorf("%+v", r)
	}
	for what, manifest := range map[string][]byte{
		"views, no hash":     unsealed,
		"a later version":    bytes.Replace(withoutAny, []byte(`"schema_version": 1`), []byte(`"schema_version": 2`), 1),
		"a hash of nothing":  append(bytes.Clone(withoutAny[:len(withoutAny)-3]), ",\n  \"manifest_sha256\": \"\"\n}\n"...),
		"an end of its own":  append(bytes.Clone(text), '\n'),
		"a hash in capitals": append(bytes.Clone(text[:end]), bytes.Replace(text[end:], []byte("manifest_sha256"), []byte("Manifest_SHA256"), 1)...),
	} {
		if e, ok := errors.AsType[*dataset.Error](dataset.CheckManifest(manifest)); !ok || !e.Damaged {
			t.Errorf("%s: %v", what, e)
		}
	}
}

// A check stops, and what is no dataset is an error, no problem of one.
func TestCheckFails(t *testing.T) {
	if _, err := dataset.Check(t.Context(), t.TempDir(), nil); err == nil || !strings.Contains(err.Error(), "not a dataset") {
		t.Errorf("%v", err)
	}
	dir := small.New().Write(t)
	small.EditManifest(t, dir, fmt.Sprintf(`"schema_version": %d`, schema.Version), `"schema_version": 99`)
	if _, err := dataset.Check(t.Context(), dir, nil); err == nil || !strings.Contains(err.Error(), `has schema version "99"`) {
		t.Errorf("%v", err)
	}
}
