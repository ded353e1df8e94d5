package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// What a foreign views.sql says is not executed, and queries write no file outside of the datasets, unless they may.
func TestSQLConfined(t *testing.T) {
	path := filepath.Dir(need.DuckDB(t)) + string(filepath.ListSeparator) + os.Getenv("PATH")
	dir := t.TempDir()
	sampleDataset(t, filepath.Join(dir, "run"))
	views := filepath.Join(dir, "run", "views.sql")
	text, err := os.ReadFile(views)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(views, append(text, "COPY (SELECT 1) TO 'foreign.csv';\n"...), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, query string
		flags       []string
		ok          bool
	}{
		{"a query", "FROM summary", nil, true},
		{"COPY", "COPY (SELECT 1) TO 'copied.csv'", nil, false},
		{"COPY above", "COPY (SELECT 1) TO 'run/../copied.csv'", nil, false},
		{"ATTACH", "ATTACH 'attached.db'", nil, false},
		{"other files", "SELECT count(*) FROM read_text('/etc/hostname')", nil, false},
		{"the lock", "SET enable_external_access = true", nil, false},
		{"unsafe", "COPY (SELECT 1) TO 'unsafe.csv'", []string{"--unsafe"}, true},
	} {
		cmd := exec.Command("tracelake", slices.Concat([]string{"sql", "run"}, tt.flags, []string{"-c", tt.query})...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+path)
		if out, err := cmd.CombinedOutput(); (err == nil) != tt.ok {
			t.Errorf("%s: %v\n%s", tt.name, err, out)
		}
	}
	var names []string
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		names = append(names, f.Name())
	}
	if want := []string{"run", "unsafe.csv"}; !slices.Equal(names, want) {
		t.Errorf("there is %q, want %q", names, want)
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
	const want = "SET VARIABLE tracelake_dirs = ['run1'];\n.read \"run1/views.sql\"\nSET allowed_directories = ['run1'];\nSET enable_external_access = false;\nSET lock_configuration = true;\nSELECT instructions FROM summary;\n"
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
