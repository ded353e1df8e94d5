package generate

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// TestPerfExports: the rows of a recording are those of the snapshots of its runs, one after another.
func TestPerfExports(t *testing.T) {
	for _, tr := range perfTrials() {
		t.Run(tr.name, func(t *testing.T) {
			dir := t.TempDir()
			runs := tr.record(t, dir)
			opt := pipeline.Options{Workers: 2, Capture: capture.Options{Sysroots: []string{filepath.Join(dir, "root")}}}
			if f := runs[0].files; len(f) > 0 && strings.HasSuffix(f[len(f)-1].Name, "vmlinux") {
				opt.Capture.Vmlinux = filepath.Join(dir, "root", f[len(f)-1].Name)
			}
			got := rowsOfRuns{}
			got.export(t, filepath.Join(dir, "perf.data"), filepath.Join(dir, "run"), opt)
			want := rowsOfRuns{}
			for i := range runs {
				snapshot := filepath.Join(dir, fmt.Sprint("snapshot", i))
				if _, err := runs[i].capture.Write(t.Context(), snapshot); err != nil {
					t.Fatal(err)
				}
				want.export(t, filepath.Join(snapshot, SnapshotFolder), filepath.Join(snapshot, "run"), pipeline.Options{})
			}
			for key, rows := range want {
				if strings.HasPrefix(key, schema.Contexts.Name) { // a run may begin in the context that the one before ended in
					rows = slices.Compact(rows)
				}
				n := 0
				for n < min(len(rows), len(got[key])) && rows[n] == got[key][n] {
					n++
				}
				if n < len(rows) || n < len(got[key]) {
					t.Errorf("%s: %d rows, want %d; row %d is %q, want %q", key, len(got[key]), len(rows), n, at(got[key], n), at(rows, n))
				}
			}
			if len(want) == 0 {
				t.Error("no rows")
			}
		})
	}
}

func at(rows []string, i int) string {
	if i < len(rows) {
		return rows[i]
	}
	return ""
}

// rowsOfRuns are rows by table and source, without the columns that count from the start of the trace.
type rowsOfRuns map[string][]string

var runTables = []*schema.Table{&schema.Instructions, &schema.Exceptions, &schema.Contexts, &schema.CycleCounts, &schema.Timestamps}

var runCounts = []string{"source", "seq", "segment", "byte_offset", "epoch", "cycle", "ordinal"}

// export exports a capture and adds its rows.
func (r rowsOfRuns) export(t *testing.T, from, to string, opt pipeline.Options) {
	t.Helper()
	if _, err := pipeline.Export(t.Context(), from, to, opt); err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, table := range runTables {
		for record, err := range d.Records(table) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range int(record.NumRows()) {
				var words []string
				for k, f := range record.Schema().Fields() {
					if !slices.Contains(runCounts, f.Name) {
						words = append(words, record.Column(k).ValueStr(i))
					}
				}
				key := table.Name + " of source " + record.Column(0).ValueStr(i)
				r[key] = append(r[key], strings.Join(words, " "))
			}
		}
	}
}
