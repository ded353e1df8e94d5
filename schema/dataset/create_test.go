package dataset_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/internal/small"
)

// appendLoss appends a loss of a byte.
func appendLoss(out *dataset.Writer, source uint8, offset int64) {
	schema.AppendLosses(out.Table(&schema.Losses, source).Row(), schema.Keys{Source: source, ByteOffset: offset}, 1, schema.LossUnsynced, "")
}

// Row groups are cut by ordinal, in whatever order rows arrive.
func TestWriterRowGroups(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dataset")
	out, err := dataset.Create(dir, dataset.Options{Level: schema.LevelBlocks})
	check(t, err)
	const rows = 2<<20 + 1<<16 + 5
	for i := range int64(rows) {
		appendLoss(out, 0x13, i)
		if i == 100 {
			appendLoss(out, 0x14, i)
		}
	}
	check(t, out.Close(&schema.Manifest{Sources: []schema.SourceTotals{{Source: 0x13, Status: "decoded", Unit: "bytes"}}}))
	for name, want := range map[string][]int64{"losses/13-00000.parquet": {1 << 20, 1 << 20, 1<<16 + 5}, "losses/14-00000.parquet": {1}, "events/13-00000.parquet": nil, "images/all-00000.parquet": nil} {
		f, err := os.Open(filepath.Join(dir, name))
		check(t, err)
		info, err := f.Stat()
		check(t, err)
		p, err := parquet.OpenFile(f, info.Size())
		check(t, err)
		var groups []int64
		for _, g := range p.RowGroups() {
			groups = append(groups, g.NumRows())
		}
		if !slices.Equal(groups, want) {
			t.Errorf("%s: row groups of %d, want %d", name, groups, want)
		}
		check(t, f.Close())
	}
}

// Nothing that looks like a dataset is left of one that was not completed.
func TestWriterAbandons(t *testing.T) {
	fill := func(dir string) *dataset.Writer {
		out, err := dataset.Create(dir, dataset.Options{Level: schema.LevelInstructions})
		check(t, err)
		for range schema.RowGroupRows + 1 { // a row group is written before Close
			appendLoss(out, 0x13, 0)
		}
		return out
	}
	dir := filepath.Join(t.TempDir(), "dataset")
	check(t, fill(dir).Abandon())
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%v", err)
	}

	out := fill(dir)
	check(t, os.WriteFile(filepath.Join(partial(t, dir), "images"), nil, 0o666)) // where a folder has to be
	if err := out.Close(&schema.Manifest{Images: []schema.ImageRegion{{}}}); err == nil {
		t.Error("no error")
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%v", err)
	}

	// Close returns an error that occurred while rows were written.
	out, err := dataset.Create(dir, dataset.Options{Level: schema.LevelInstructions})
	check(t, err)
	check(t, os.WriteFile(filepath.Join(partial(t, dir), "losses"), nil, 0o666))
	for range 2*schema.RowGroupRows + 1 {
		appendLoss(out, 0x13, 0)
	}
	if err := out.Close(&schema.Manifest{}); err == nil {
		t.Error("no error")
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%v", err)
	}

	// An existing dataset is not touched.
	full := small.New().Write(t)
	if _, err := dataset.Create(full, dataset.Options{Level: schema.LevelInstructions}); err == nil {
		t.Error("no error")
	} else if _, ok := errors.AsType[*dataset.ExistsError](err); !ok {
		t.Errorf("%v", err)
	}
	if _, err := dataset.Open(full); err != nil {
		t.Error(err)
	}
	check(t, func() error {
		out, err := dataset.Create(full, dataset.Options{Level: schema.LevelInstructions, Overwrite: true})
		if err != nil {
			return err
		}
		return out.Close(&schema.Manifest{})
	}())
}

// partial returns the folder in which a dataset is being written.
func partial(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(filepath.Dir(dir), ".dataset.tracelake-partial-*"))
	check(t, err)
	if len(names) != 1 {
		t.Fatalf("%d folders of incomplete datasets", len(names))
	}
	return names[0]
}

// Tables for data are written by default where data is traced, and where they
// are named.
func TestCreateChoosesTables(t *testing.T) {
	for _, c := range []struct {
		name   string
		traced bool
		tables []*schema.Table
		want   bool
	}{
		{"no data", false, nil, false},
		{"data", true, nil, true},
		{"no data, but named", false, []*schema.Table{&schema.DataAccesses}, true},
		{"data, but others named", true, []*schema.Table{&schema.Events}, false},
	} {
		w, err := dataset.Create(filepath.Join(t.TempDir(), "dataset"), dataset.Options{Level: schema.LevelBlocks, TracesData: c.traced, Tables: c.tables})
		check(t, err)
		if got := w.Has(&schema.DataAccesses); got != c.want || w.Has(&schema.Instructions) || !w.Has(&schema.Losses) {
			t.Errorf("%s: written %v, want %v", c.name, got, c.want)
		}
		check(t, w.Abandon())
	}
}

// While a dataset is written, another writer of the same directory fails, by
// whatever path, and says who writes; afterwards nothing is left beside it.
func TestCreateExcludes(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "new", "run")
	first, err := dataset.Create(dir, dataset.Options{Level: schema.LevelInstructions})
	check(t, err)
	check(t, os.Symlink("new", filepath.Join(parent, "link")))
	for _, name := range []string{dir, filepath.Join(parent, "link", "run"), dir + "/../run/"} {
		_, err := dataset.Create(name, dataset.Options{Level: schema.LevelInstructions, Overwrite: true})
		busy, ok := errors.AsType[*dataset.BusyError](err)
		if !ok || !strings.HasPrefix(busy.Writer, fmt.Sprintf("process %d on ", os.Getpid())) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("there is something (%v)", err)
	}
	check(t, first.Close(&schema.Manifest{}))
	check(t, first.Abandon()) // does nothing
	entries, err := os.ReadDir(filepath.Dir(dir))
	check(t, err)
	if len(entries) != 1 {
		t.Errorf("left: %v", entries)
	}
	_, err = dataset.Open(dir)
	check(t, err)
}

// An existing directory is replaced in place: a link to it stays a link, and
// permissions stay. A directory that cannot be replaced is refused before anything
// is written.
func TestCreateReplaces(t *testing.T) {
	parent := t.TempDir()
	private, link := filepath.Join(parent, "private"), filepath.Join(parent, "link")
	check(t, os.Mkdir(private, 0o700))
	check(t, os.Symlink("private", link))
	w, err := dataset.Create(link, dataset.Options{Level: schema.LevelInstructions})
	check(t, err)
	check(t, w.Close(&schema.Manifest{}))
	if info, err := os.Stat(filepath.Join(private, schema.ManifestFile)); err != nil || info.Size() == 0 {
		t.Errorf("%v", err)
	}
	if info, err := os.Stat(private); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}

	dangling := filepath.Join(parent, "dangling")
	check(t, os.Symlink("nowhere", dangling))
	t.Chdir(private)
	for name, want := range map[string]string{
		".":      "is the working directory, which cannot be replaced; choose a directory in it",
		dangling: "no such file or directory",
	} {
		_, err := dataset.Create(name, dataset.Options{Level: schema.LevelInstructions, Overwrite: true})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}

	// Files that appeared while the dataset was written are not removed.
	late := filepath.Join(parent, "late")
	w, err = dataset.Create(late, dataset.Options{Level: schema.LevelInstructions, Overwrite: true})
	check(t, err)
	check(t, os.Mkdir(late, 0o777))
	check(t, os.WriteFile(filepath.Join(late, "notes"), nil, 0o666))
	if err := w.Close(&schema.Manifest{}); err == nil || !strings.Contains(err.Error(), `holds "notes"`) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(late, "notes")); err != nil {
		t.Error(err)
	}
}

// A reader of a dataset that is replaced reads no part of the new one.
func TestOpenStaysWithItsDataset(t *testing.T) {
	dir := small.New().Write(t)
	d, err := dataset.Open(dir)
	check(t, err)
	defer d.Close()
	w, err := dataset.Create(dir, dataset.Options{Level: schema.LevelInstructions, Overwrite: true})
	check(t, err)
	check(t, w.Close(&schema.Manifest{}))
	if _, err := d.Open(&schema.Losses, 0x10).Next(); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("%v", err)
	}
}
