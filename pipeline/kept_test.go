package pipeline

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/keep"
	"github.com/tracelake/tracelake/pipeline/keep/archive"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
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

// A dataset of version 2 is read: all rows, what they sum up to, and reports.
func TestKeptDataset(t *testing.T) {
	dir := unpackKept(t, "dataset2")
	r, err := dataset.Check(t.Context(), dir, nil)
	check(t, err)
	if len(r.Problems) > 0 || len(r.Unchecked) > 0 || r.Tables != 22 || r.Rows != 5826 {
		t.Errorf("%+v", r)
	}
	d, err := dataset.Open(dir)
	check(t, err)
	defer d.Close()
	for table, want := range map[*schema.Table]int64{&schema.Blocks: 1854, &schema.CycleCounts: 1857, &schema.Lines: 1177,
		&schema.Counts: 11} {
		rows := 0
		for b, err := range d.Batches(table) {
			check(t, err)
			rows += b.Rows()
		}
		if int64(rows) != want {
			t.Errorf("%d rows of %s, want %d", rows, table.Name, want)
		}
	}
	if covered, all := coverageOf(t, dir); covered != 11 || all != 790 {
		t.Errorf("%d of %d instructions covered", covered, all)
	}
}

// An archive of version 1 is checked and read, and its capture decoded.
func TestKeptArchive(t *testing.T) {
	dir := unpackKept(t, "archive1")
	r, err := archive.Check(t.Context(), dir, "", nil)
	check(t, err)
	if len(r.Problems) > 0 || len(r.Unchecked) > 0 || r.Files != 27 || r.Rows != 1414 {
		t.Errorf("%+v", r)
	}
	if covered, all := coverageOf(t, dir); covered != 219 || all != 790 {
		t.Errorf("%d of %d instructions covered", covered, all)
	}
	run := exportTo(t, dir, capture.Options{})
	record, err := keep.OpenRecord(run, "")
	check(t, err)
	defer record.Close()
	m := &record.Dataset.Manifest
	if m.Totals.Instructions != 13041 || m.Totals.Bytes != 3811 || m.Labels["build"] != "7" ||
		m.Options.TaskNames[1] != "first" {
		t.Errorf("%+v, labels %v, options %+v", m.Totals, m.Labels, m.Options)
	}
}
