package pipeline

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/keep"
	"github.com/tracelake/tracelake/pipeline/keep/archive"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/exceptions"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/pipeline/window"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/diff"
)

// testdata/kept has an archive and a dataset of each version of the format, as the first
// program of it wrote them. They are of the first bytes of the sample, and are never
// written again: what people keep has to be read for ever.

// unpackKept unpacks one of them, and returns where it is.
func unpackKept(t testing.TB, name string) string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "kept", name+".tar.zst"))
	check(t, err)
	defer f.Close()
	z, err := zstd.NewReader(f)
	check(t, err)
	defer z.Close()
	dir := filepath.Join(t.TempDir(), name)
	files := tar.NewReader(z)
	for {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return dir
		}
		check(t, err)
		to := filepath.Join(dir, filepath.FromSlash(h.Name))
		if h.Typeflag == tar.TypeDir {
			check(t, os.MkdirAll(to, 0o777))
			continue
		}
		content, err := io.ReadAll(files)
		check(t, err)
		check(t, os.WriteFile(to, content, 0o666))
	}
}

// coverageOf returns how many instructions of the program a report says were executed.
func coverageOf(t *testing.T, dir string) (covered, all int64) {
	t.Helper()
	m, err := report.Read([]string{dir}, report.Options{})
	check(t, err)
	c := m.Coverage(report.ByFunction)
	return c.Instructions.Covered, c.Instructions.Of
}

const olderDataset = ": made by an older tracelake; export it again"

// Of a dataset of version 2 the bytes are checked. What reads its rows refuses it.
func TestKeptDataset(t *testing.T) {
	dir := unpackKept(t, "dataset2")
	r, err := dataset.Check(t.Context(), dir, nil)
	check(t, err)
	if len(r.Problems) > 0 || !r.Older || r.Tables != 22 || r.Files != 23 {
		t.Errorf("%+v", r)
	}
	for what, read := range map[string]func() error{
		"open":   func() error { _, err := dataset.Open(dir); return err },
		"report": func() error { _, err := report.Read([]string{dir}, report.Options{}); return err },
		"index":  func() error { _, err := window.OpenIndex(dir); return err },
		"prune":  func() error { _, err := dataset.Prune(t.Context(), dir, schema.LevelNone); return err },
	} {
		if err := read(); err == nil || err.Error() != dir+olderDataset {
			t.Errorf("%s: %v, want %s", what, err, dir+olderDataset)
		}
	}
}

// A dataset of version 3 is read: all rows, what they sum up to, and what is made of it. Pruned it is
// still of version 3.
func TestKeptDataset3(t *testing.T) {
	dir := unpackKept(t, "dataset3")
	sound := func(tables int, rows int64) {
		t.Helper()
		r, err := dataset.Check(t.Context(), dir, nil)
		check(t, err)
		if len(r.Problems) > 0 || len(r.Unchecked) > 0 || r.Older || r.Tables != tables || r.Rows != rows {
			t.Errorf("%+v", r)
		}
	}
	sound(24, 8590)
	d, err := dataset.Open(dir)
	check(t, err)
	defer d.Close()
	for b, err := range d.Batches(&schema.Contexts) {
		check(t, err)
		for i := range b.Rows() {
			if !b.Columns[schema.ContextsExceptionLevel].Null(i) {
				t.Errorf("row %d of contexts has an exception level", i)
			}
		}
	}
	if _, err := window.OpenIndex(dir); err != nil {
		t.Error(err)
	}
	demandReports(t, dir)
	_, err = dataset.Prune(t.Context(), dir, schema.LevelNone)
	check(t, err)
	sound(20, 1438)
	demandReports(t, dir)
}

// demandReports demands the figures of the reports of a dataset of archive1's capture.
func demandReports(t *testing.T, dir string) {
	t.Helper()
	if covered, all := coverageOf(t, dir); covered != 219 || all != 790 {
		t.Errorf("%d of %d instructions covered", covered, all)
	}
	m, err := report.Read([]string{dir}, report.Options{})
	check(t, err)
	x, err := exceptions.Read(m, []string{dir}, "")
	check(t, err)
	tasks, err := stacks.ReadTasks([]string{dir}, "")
	check(t, err)
	if x.Entries != 1 || len(x.Rows) != 1 || len(tasks.Rows) != 4 {
		t.Errorf("exceptions %+v, tasks %+v", x, tasks)
	}
}

// An archive of version 2 with a dataset of version 3 has reports, and is decoded again to one of the
// version of today, with the same rows.
func TestKeptArchive2(t *testing.T) {
	dir := unpackKept(t, "archive2")
	demandReports(t, dir)
	_, err := Redecode(t.Context(), dir, "", Options{Workers: 2, Tool: schema.Tool{Name: "test"}})
	check(t, err)
	d, err := dataset.Open(dir)
	check(t, err)
	defer d.Close()
	before, err := dataset.Open(unpackKept(t, "archive2"))
	check(t, err)
	defer before.Close()
	r, err := diff.Compare(t.Context(), d, before, nil)
	check(t, err)
	if !r.Equal() || d.Manifest.SchemaVersion != schema.Version || before.Manifest.SchemaVersion != 3 {
		t.Errorf("versions %d and %d: %+v", d.Manifest.SchemaVersion, before.Manifest.SchemaVersion, r)
	}
}

// An archive of version 1, with a dataset of version 2, is checked, and its capture decoded. Its
// reports need that it is decoded again, for which it has all.
func TestKeptArchive(t *testing.T) {
	dir := unpackKept(t, "archive1")
	r, err := archive.Check(t.Context(), dir, "", nil)
	check(t, err)
	if len(r.Problems) > 0 || !r.Older || r.Files != 27 {
		t.Errorf("%+v", r)
	}
	run := exportTo(t, dir, capture.Options{})
	record, err := keep.OpenRecord(run, "")
	check(t, err)
	defer record.Close()
	m := &record.Dataset.Manifest
	if m.Totals.Instructions != 13041 || m.Totals.Bytes != 3811 || m.Labels["build"] != "7" || m.Options.TaskNames[1] != "first" {
		t.Errorf("%+v, labels %v, options %+v", m.Totals, m.Labels, m.Options)
	}
	verify := func() (*keep.Verified, error) {
		return Verify(t.Context(), dir, dir, keep.VerifyOptions{Workers: 1})
	}
	if _, err := verify(); err == nil || !strings.HasSuffix(err.Error(), olderDataset) {
		t.Errorf("verify: %v", err)
	}
	_, err = Redecode(t.Context(), dir, "", Options{Workers: 2, Tool: schema.Tool{Name: "test"}})
	check(t, err)
	if v, err := verify(); err != nil || !v.Equal() {
		t.Errorf("%+v, %v", v, err)
	}
	if covered, all := coverageOf(t, dir); covered != 219 || all != 790 {
		t.Errorf("%d of %d instructions covered", covered, all)
	}
	if r, err = archive.Check(t.Context(), dir, "", nil); err != nil || len(r.Problems) > 0 || len(r.Unchecked) > 0 {
		t.Errorf("%v, %+v", err, r)
	}
}
