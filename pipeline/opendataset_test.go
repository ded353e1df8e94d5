package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/schema"
)

// What is no dataset, or not all of one, is refused, and the error names it.
func TestOpenDatasetRefuses(t *testing.T) {
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
		{"no manifest", func(t *testing.T, dir string) { check(t, os.Remove(filepath.Join(dir, "manifest.json"))) }, "is no dataset: it has no manifest.json"},
		{"no JSON", replaceInManifest("{", "["), "manifest.json: is no manifest"},
		{"version", replaceInManifest(`"schema_version": 1`, `"schema_version": 2`), "says schema version 2, this program reads 1"},
		{"format", replaceInManifest(`"parquet"`, `"csv"`), `says format "csv"`},
		{"table", replaceInManifest(`"losses": {`, `"counts": {`), `has a table "counts", which this program does not know`},
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
			truth := smallDataset().write(t)
			dir := smallDataset().write(t)
			tt.damage(t, dir)
			for _, dirs := range [][2]string{{dir, truth}, {truth, dir}} {
				if _, err := Verify(context.Background(), dirs[0], dirs[1]); err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%v, want %s", err, tt.want)
				}
			}
		})
	}
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
		name := filepath.Join(dir, "manifest.json")
		b, err := os.ReadFile(name)
		check(t, err)
		if !bytes.Contains(b, []byte(old)) {
			t.Fatalf("no %s in %s", old, b)
		}
		check(t, os.WriteFile(name, bytes.Replace(b, []byte(old), []byte(replacement), 1), 0o666))
	}
}

// Code blocks that are not in order are refused, not expanded to something.
func TestReadCodeRefuses(t *testing.T) {
	for _, tt := range []struct {
		name      string
		numbers   []uint32
		positions []uint16
		ok        bool
	}{
		{"in order", []uint32{0, 0, 1, 2, 2}, []uint16{0, 1, 0, 0, 1}, true},
		{"position missing", []uint32{0, 0}, []uint16{0, 2}, false},
		{"block missing", []uint32{0, 2}, []uint16{0, 0}, false},
		{"not from 0", []uint32{1}, []uint16{0}, false},
		{"not from position 0", []uint32{0}, []uint16{1}, false},
		{"block again", []uint32{0, 1, 0}, []uint16{0, 0, 1}, false},
		{"largest", []uint32{0xffffffff}, []uint16{0xffff}, false},
	} {
		c := &code{}
		if err := c.place(tt.numbers, tt.positions); (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// A run that reaches beyond its block, or is of none, makes rows for what there
// is, as the join of the view does; and there may be nothing at all.
func TestExpandWithoutCode(t *testing.T) {
	w := smallDataset()
	w.opt.Level, w.instructions = schema.LevelBlocks, nil
	w.blocks = map[uint8][]blkRow{0x10: {{0, 100, 0x8000, 3, schema.Null[uint64]{}, schema.Taken, noCycles, noCycle}}}
	d, err := OpenDataset(w.write(t))
	check(t, err)
	for _, tt := range []struct {
		first, count uint16
		block        uint32
		want         int
		last         bool // the last row is the last of the run
	}{
		{1, 3, 0, 3, true},
		{0, 4, 0, 4, true},
		{2, 3, 0, 2, false},
		{4, 1, 0, 0, false},
		{0xffff, 0xffff, 0, 0, false},
		{0, 0, 0, 0, false},
		{0, 1, 1, 0, false},
		{0, 1, 0xffffffff, 0, false},
	} {
		x, err := d.expand(0x10)
		check(t, err)
		if x.runs, err = x.blocks.Next(); err != nil {
			t.Fatal(err)
		}
		x.runs.Columns[blkFirst].U16[0], x.runs.Columns[blkInstructions].U16[0], x.runs.Columns[blkCodeBlock].U32[0] = tt.first, tt.count, tt.block
		rows := 0
		b, err := x.Next()
		if err == nil {
			rows = b.Rows()
		} else if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if rows != tt.want || rows > 0 && x.lastRow[rows-1] != tt.last {
			t.Errorf("%+v: %d rows, %v", tt, rows, x.lastRow)
		}
		check(t, x.Close())
	}
}

// FuzzManifest opens a dataset with a damaged manifest, and reads what it lists:
// rows or an error, no panic.
func FuzzManifest(f *testing.F) {
	dir := smallDataset().write(f)
	name := filepath.Join(dir, schema.ManifestFile)
	text, err := os.ReadFile(name)
	check(f, err)
	f.Add(text)
	f.Add([]byte(`{"schema_version":1,"format":"arrow","tables":{"losses":{"parts":[{"path":"losses/10-00000.arrow"}]},"images":{}}}`))
	f.Fuzz(func(t *testing.T, manifest []byte) {
		check(t, os.WriteFile(name, manifest, 0o666))
		d, err := OpenDataset(dir)
		if err != nil {
			if _, ok := errors.AsType[*capture.InputError](err); !ok {
				t.Fatalf("%v", err)
			}
			return
		}
		if !json.Valid(manifest) {
			t.Fatal("opened without a manifest")
		}
		v, err := Verify(t.Context(), dir, dir)
		if err == nil && !v.Equal() {
			t.Fatalf("a dataset differs from itself: %q", v.lines())
		}
		for _, table := range schema.Tables() {
			if d.Rows(table) != 0 && !d.Has(table) {
				t.Fatal("rows of a table that it does not have")
			}
		}
	})
}
