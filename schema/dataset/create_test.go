package dataset_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/internal/small"
)

// Row groups are cut by ordinal, whatever comes when.
func TestWriterRowGroups(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dataset")
	out, err := dataset.Create(dir, dataset.Options{Level: schema.LevelBlocks})
	check(t, err)
	const rows = 2<<20 + 1<<16 + 5
	loss := schema.Loss{Bytes: 1}
	for i := range int64(rows) {
		loss.Offset = i
		small.AppendLoss(out, 0x13, &loss)
		if i == 100 {
			small.AppendLoss(out, 0x14, &loss)
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
			small.AppendLoss(out, 0x13, &schema.Loss{Bytes: 1})
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

	// An error while rows are written is told in the end.
	out, err := dataset.Create(dir, dataset.Options{Level: schema.LevelInstructions})
	check(t, err)
	check(t, os.WriteFile(filepath.Join(partial(t, dir), "losses"), nil, 0o666))
	for range 2*schema.RowGroupRows + 1 {
		small.AppendLoss(out, 0x13, &schema.Loss{Bytes: 1})
	}
	if err := out.Close(&schema.Manifest{}); err == nil {
		t.Error("no error")
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%v", err)
	}

	// What stands there already is not touched.
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
