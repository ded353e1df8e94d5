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

// What is left of a pruned dataset is, file for file, what its writer writes for that
// level; parts stay where they are on disk.
func TestPrune(t *testing.T) {
	for _, tt := range []struct {
		name    string
		blocks  bool
		packets bool
		to      schema.Level
		dropped string
	}{
		{"instructions", false, false, schema.LevelNone, "instructions cycle_counts"},
		{"blocks", true, false, schema.LevelNone, "blocks block_runs code_blocks cycle_counts"},
		{"packets", false, true, schema.LevelNone, "instructions cycle_counts packets"},
		{"blocks stay", true, true, schema.LevelBlocks, "packets"},
		{"nothing to drop", true, false, schema.LevelBlocks, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, want := small.New(), small.New()
			if tt.blocks {
				w.Options.Level = schema.LevelBlocks
			}
			if tt.packets {
				w.Options.Tables = schema.Tables()
				w.Options.Without = []*schema.Table{&schema.DataAccesses}
			}
			want.Options.Level = tt.to
			dir, wanted := w.Write(t), want.Write(t)
			before, err := os.Stat(filepath.Join(dir, "losses", "10-00000.parquet"))
			check(t, err)
			p, err := dataset.Prune(t.Context(), dir, tt.to)
			check(t, err)
			var names []string
			for _, table := range p.Dropped {
				names = append(names, table.Name)
			}
			if got := strings.Join(names, " "); got != tt.dropped {
				t.Errorf("dropped %s, want %s", got, tt.dropped)
			}
			after, err := os.Stat(filepath.Join(dir, "losses", "10-00000.parquet"))
			check(t, err)
			if !os.SameFile(before, after) {
				t.Error("a part was copied")
			}
			if got := problems(t, dir); got != nil {
				t.Errorf("%q", got)
			}
			comparePruned(t, dir, wanted, names)
			again, err := dataset.Prune(t.Context(), dir, tt.to)
			if err != nil || len(again.Dropped) > 0 {
				t.Errorf("again: %v, %v", again, err)
			}
			if left, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(left) != 1 {
				t.Errorf("left beside it: %v, %v", left, err)
			}
		})
	}
}

// comparePruned demands that two datasets have the same files and manifests, but for the
// tables that were dropped, which the first one names.
func comparePruned(t *testing.T, dir, wanted string, dropped []string) {
	t.Helper()
	if got, want := fileTexts(t, dir), fileTexts(t, wanted); !slices.Equal(got, want) {
		t.Errorf("files\n%q, want\n%q", got, want)
	}
	d, err := dataset.Open(dir)
	check(t, err)
	defer d.Close()
	want, err := dataset.Open(wanted)
	check(t, err)
	defer want.Close()
	if !slices.Equal(d.Manifest.Run.Pruned, dropped) {
		t.Errorf("the manifest says that %q were dropped, want %q", d.Manifest.Run.Pruned, dropped)
	}
	if d.Manifest.Level != want.Manifest.Level || d.Manifest.Totals != want.Manifest.Totals || *d.Manifest.Views != *want.Manifest.Views {
		t.Errorf("manifest\n%+v, want\n%+v", d.Manifest, want.Manifest)
	}
}

// fileTexts returns path and content of all files of a dataset but the manifest.
func fileTexts(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	check(t, err)
	for _, path := range append(paths, filepath.Join(dir, schema.ViewsFile)) {
		content, err := os.ReadFile(path)
		check(t, err)
		files = append(files, strings.TrimPrefix(path, dir)+" "+string(content))
	}
	return files
}

// What cannot be pruned is refused by name, and stays as it is.
func TestPruneRefuses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		to     schema.Level
		change func(t *testing.T, dir string)
		want   string
	}{
		{"no blocks", schema.LevelBlocks, nil, "is of level instructions, and has no blocks; give --level none, or "},
		{
			"a table that is not known", schema.LevelNone, func(t *testing.T, dir string) { small.Future(t, dir) },
			"has the table marks, which this program does not know; prune it with the version that wrote it",
		},
		{
			"an earlier program", schema.LevelNone, func(t *testing.T, dir string) {
				check(t, os.RemoveAll(dir))
				check(t, os.CopyFS(dir, os.DirFS(earlier)))
			},
			": made by an older tracelake; export it again",
		},
		{
			"another file", schema.LevelNone, func(t *testing.T, dir string) {
				check(t, os.WriteFile(filepath.Join(dir, "note"), nil, 0o666))
			},
			`holds "note", which is no part of a dataset`,
		},
		{
			"a link", schema.LevelNone, func(t *testing.T, dir string) {
				part := filepath.Join(dir, "losses", "10-00000.parquet")
				check(t, os.Rename(part, filepath.Join(dir, "losses", "10-00001.parquet")))
				check(t, os.Symlink("10-00001.parquet", part))
			},
			"losses/10-00000.parquet: is no file; ",
		},
		{
			"a short file", schema.LevelNone, func(t *testing.T, dir string) {
				check(t, os.Truncate(filepath.Join(dir, "losses", "10-00000.parquet"), 5))
			},
			"losses/10-00000.parquet: has 5 bytes, the manifest says ",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := small.New().Write(t)
			if tt.change != nil {
				tt.change(t, dir)
			}
			before := fileTexts(t, dir)
			if _, err := dataset.Prune(t.Context(), dir, tt.to); err == nil || !strings.Contains(filepath.ToSlash(err.Error()), tt.want) {
				t.Errorf("%v, want %s", err, tt.want)
			}
			if got := fileTexts(t, dir); !slices.Equal(got, before) {
				t.Error("it was changed")
			}
			if left, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(left) != 1 {
				t.Errorf("left beside it: %v, %v", left, err)
			}
		})
	}
}

// A prune that was killed once the new dataset was in its place leaves the old one beside it;
// the next prune removes that, though there is nothing to drop any more.
func TestPruneKilled(t *testing.T) {
	dir := small.New().Write(t)
	parent := filepath.Dir(dir)
	old := filepath.Join(parent, "."+filepath.Base(dir)+".tracelake-partial-1234")
	rows := filepath.Join(t.TempDir(), "rows")
	check(t, os.CopyFS(rows, os.DirFS(dir)))
	_, err := dataset.Prune(t.Context(), dir, schema.LevelNone)
	check(t, err)
	check(t, os.CopyFS(old, os.DirFS(rows))) // what the swap put there
	check(t, os.WriteFile(filepath.Join(parent, "."+filepath.Base(dir)+".tracelake-lock"), nil, 0o666))
	p, err := dataset.Prune(t.Context(), dir, schema.LevelNone)
	check(t, err)
	if len(p.Dropped) > 0 {
		t.Errorf("dropped %d tables", len(p.Dropped))
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) != 1 {
		t.Errorf("left beside it: %v, %v", left, err)
	}
}
