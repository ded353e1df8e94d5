package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/sample"
)

// sampleDataset exports the sample to a directory.
func sampleDataset(t *testing.T, dir string) {
	t.Helper()
	capture := filepath.Join(t.TempDir(), "capture")
	if err := sample.Extract(capture); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("tracelake", "export", capture, "-o", dir, "--quiet").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// DuckDB's own shell reads several datasets, and runs queries of the command line
// and of standard input.
func TestSQL(t *testing.T) {
	path := filepath.Dir(need.DuckDB(t)) + string(filepath.ListSeparator) + os.Getenv("PATH")
	dir := t.TempDir()
	for _, name := range []string{"run", "it's [1]"} {
		sampleDataset(t, filepath.Join(dir, name))
	}
	const query = "SELECT count(DISTINCT dataset) || ' with ' || sum(instructions) AS found FROM summary"
	for _, tt := range []struct {
		name, stdin string
		args        []string
	}{
		{"standard input", query + ";", []string{"sql", "run", "it's [1]"}},
		{"command", "", []string{"sql", "it's [1]", "-c", query, "run"}},
	} {
		cmd := exec.Command("tracelake", tt.args...)
		cmd.Dir, cmd.Stdin, cmd.Env = dir, strings.NewReader(tt.stdin), append(os.Environ(), "PATH="+path)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), " 2 with 436698 ") {
			t.Errorf("%s: %v\n%s", tt.name, err, out)
		}
	}
}

// Without DuckDB the lines are shown that work in one elsewhere.
func TestSQLWithoutDuckDB(t *testing.T) {
	program, err := exec.LookPath("tracelake")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	sampleDataset(t, filepath.Join(dir, "run1"))
	cmd := exec.Command(program, "sql", "run1", "-c", "SELECT instructions FROM summary;")
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + dir}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, _ := cmd.Output()
	const want = "SET VARIABLE tracelake_dirs = ['run1'];\n.read \"run1/views.sql\"\nSELECT instructions FROM summary;\n"
	if string(out) != want || cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("exit status %d, prints\n%swant\n%s", cmd.ProcessState.ExitCode(), out, want)
	}
	if !strings.Contains(stderr.String(), "tracelake: duckdb: is not on the PATH; get it from https://duckdb.org/") {
		t.Errorf("stderr %s", &stderr)
	}
	shell := exec.Command(need.DuckDB(t))
	shell.Dir, shell.Stdin = dir, strings.NewReader(want)
	if got, err := shell.CombinedOutput(); err != nil || !strings.Contains(string(got), "218349") {
		t.Errorf("DuckDB makes of the lines: %v\n%s", err, got)
	}
}
