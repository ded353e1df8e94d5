package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
)

// The queries that the demo prints run, and have rows.
func TestDemoQueries(t *testing.T) {
	need.FullRun(t, "DuckDB, which the race detector does not see, runs queries")
	python := need.Interpreter(t)
	dir := t.TempDir()
	if out, err := exec.Command("tracelake", "demo", "-o", filepath.Join(dir, "demo")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	queries := 0
	for line := range strings.Lines(demoNext) {
		query := strings.TrimSpace(line)
		if !strings.HasPrefix(query, "SELECT") && !strings.HasPrefix(query, "FROM") {
			continue
		}
		queries++
		const script = `import duckdb, sys
db = duckdb.connect()
db.execute(open('views.sql').read())
assert db.sql(sys.argv[1]).fetchall(), 'no rows'`
		cmd := exec.Command(python, "-c", script, query)
		cmd.Dir = filepath.Join(dir, "demo", demoDataset)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", query, err, out)
		}
	}
	if queries < 3 {
		t.Errorf("the demo shows %d queries, want 3", queries)
	}
}
