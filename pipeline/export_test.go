package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/diff"
)

// Row by row, the same files come out as of an export, but for the hash of the
// capture in each: the row groups are cut where an export cuts them.
func TestWriterAsExport(t *testing.T) {
	t.Parallel()
	capture := filepath.Join(t.TempDir(), "capture")
	check(t, sample.Extract(capture))
	for _, opt := range []Options{
		{Level: schema.LevelInstructions}, {Level: schema.LevelBlocks, Format: schema.Arrow, Codec: "zstd"}, {Level: schema.LevelInstructions, Tables: schema.Tables()},
	} {
		if testing.Short() && opt.Format != schema.Arrow {
			continue // with fewer rows
		}
		opt.Tool = schema.Tool{Name: "test"}
		exported := exportSample(t, capture, opt)
		from, err := dataset.Open(exported)
		check(t, err)
		dir := filepath.Join(t.TempDir(), "copy")
		out, err := dataset.Create(dir, dataset.Options{Level: opt.Level, Format: opt.Format, Codec: opt.Codec, Tables: opt.Tables})
		check(t, err)
		for _, table := range schema.Tables() {
			for _, source := range from.Sources(table) {
				if table != &schema.Sources && table != &schema.Images {
					copyRows(t, out.Table(table, source), from.Open(table, source))
				}
			}
		}
		m := from.Manifest
		m.Tables, m.Totals, m.Format, m.Level, m.Codec, m.SchemaVersion = nil, schema.Totals{}, "", "", "", 0
		check(t, out.Close(&m))
		if v := compareDirs(t, dir, exported); !v.Equal() {
			t.Errorf("%v", v.Differences)
		}
		copied, err := dataset.Open(dir)
		check(t, err)
		// As large as the exported ones, but for the metadata.
		for name, files := range from.Manifest.Tables {
			got := copied.Manifest.Tables[name]
			if got.Rows != files.Rows || len(got.Parts) != len(files.Parts) || files.Bytes-got.Bytes < 60 || files.Bytes-got.Bytes > 500 {
				t.Errorf("%s: %+v\nexported %+v", name, got, files)
			}
			copied.Manifest.Tables[name] = files
		}
		// views.sql has the name of the contents: viewsText compares the rest.
		copied.Manifest.Views.SHA256 = from.Manifest.Views.SHA256
		got, err := json.Marshal(copied.Manifest)
		check(t, err)
		want, err := json.Marshal(from.Manifest)
		check(t, err)
		if string(got) != string(want) {
			t.Errorf("manifest\n%s\nexported\n%s", got, want)
		}
		if viewsText(t, dir) != viewsText(t, exported) {
			t.Errorf("views.sql differs")
		}
	}
}

// viewsText returns views.sql without the name of the contents, which follows the
// metadata of the files.
func viewsText(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, schema.ViewsFile))
	check(t, err)
	before, id, ok := strings.Cut(string(text), "tracelake_id = ")
	if !ok {
		return string(text) // of Arrow files
	}
	_, after, _ := strings.Cut(id, "\n")
	return before + after
}

// copyRows writes all rows of r, cell by cell.
func copyRows(t *testing.T, w *dataset.TableWriter, r *dataset.Reader) {
	t.Helper()
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		check(t, err)
		for i := range b.Rows() {
			row := w.Row()
			for c := range b.Columns {
				row.Columns[c].AppendFrom(&b.Columns[c], i)
			}
		}
	}
}

// The sample in both levels and formats is the same, as it is decoded with any
// number of cores; each row is looked at.
func TestSampleIsOne(t *testing.T) {
	dir := t.TempDir()
	capture := filepath.Join(dir, "capture")
	if err := sample.Extract(capture); err != nil {
		t.Fatal(err)
	}
	truth := exportSample(t, capture, Options{Level: schema.LevelInstructions})
	for name, opt := range map[string]Options{
		"parquet":      {Level: schema.LevelInstructions, Workers: 2},
		"arrow":        {Level: schema.LevelInstructions, Format: schema.Arrow},
		"arrow, lz4":   {Level: schema.LevelInstructions, Format: schema.Arrow, Codec: "lz4"},
		"blocks":       {Level: schema.LevelBlocks},
		"arrow blocks": {Level: schema.LevelBlocks, Format: schema.Arrow},
	} {
		if testing.Short() && opt.Workers == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			v := compareDirs(t, exportSample(t, capture, opt), truth)
			if !v.Equal() || len(v.Tables) != 22 {
				t.Errorf("%d tables, %v", len(v.Tables), v.Differences)
			}
			for _, r := range v.Tables {
				if r.Compared != r.TruthRows || r.Table == "instructions" && r.Compared != 218_349 {
					t.Errorf("%s: %d rows of %d compared", r.Table, r.Compared, r.TruthRows)
				}
			}
		})
	}
}

func exportSample(t *testing.T, capture string, opt Options) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "dataset")
	opt.Workers = max(1, opt.Workers)
	if _, err := Export(context.Background(), capture, dir, opt); err != nil {
		t.Fatal(err)
	}
	return dir
}

// compareDirs compares the datasets in two directories.
func compareDirs(t testing.TB, dir, truth string) *diff.Result {
	t.Helper()
	d, err := dataset.Open(dir)
	check(t, err)
	other, err := dataset.Open(truth)
	check(t, err)
	r, err := diff.Compare(t.Context(), d, other, nil)
	check(t, err)
	return r
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
