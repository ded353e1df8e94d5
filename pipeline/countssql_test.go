package pipeline

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/schema"
)

// Counts and edges are what DuckDB makes of the rows of a dataset: a third time,
// in the language of users.
func TestCountsBySQL(t *testing.T) {
	need.FullRun(t, "DuckDB, which the race detector does not see, reads all rows")
	for _, tt := range []struct {
		name  string
		input func() string
		rows  string // of counts and edges
	}{
		{"sample", func() string { return sampleSnapshot(t) }, "778 356"},
		{"zephyr", func() string { return shared.File(t, "captures/am243x-r5f-etmv3-zephyr-e9185a9") }, "806 177"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			duckdb := need.DuckDB(t)
			dir := exportSample(t, tt.input(), Options{Level: schema.LevelInstructions})
			query := func(query string) string {
				command := exec.Command(duckdb, "-noheader", "-list", "-separator", " ", "-cmd", ".read views.sql", "-c", query)
				command.Dir = dir
				out, err := command.CombinedOutput()
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				return strings.TrimSpace(string(out))
			}
			if got := query("SELECT (SELECT count(*) FROM counts), (SELECT count(*) FROM edges)"); got != tt.rows {
				t.Errorf("%s rows, want %s", got, tt.rows)
			}
			for _, name := range []string{"counts.sql", "edges.sql"} {
				path, err := filepath.Abs(filepath.Join("testdata", name))
				check(t, err)
				if got := query(".read " + path); got != "" {
					t.Errorf("%s:\n%s", name, got)
				}
			}
		})
	}
}
