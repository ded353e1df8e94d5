// Package python holds the Python module tracelake. Its tests run it beside the
// program: wheels, which bring both, are tested where they are made
// (cmd/internal/release).
package python

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/schema"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// python is Python with the module, and the folder bin, if it is not empty, on the path.
func python(t *testing.T, bin string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), need.Interpreter(t), args...)
	module, err := filepath.Abs(".")
	check(t, err)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+module, "PYTHONDONTWRITEBYTECODE=1", "PATH="+bin)
	return cmd
}

// run runs Python, and decodes the JSON that it prints.
func run(t *testing.T, answer any, bin string, args ...string) {
	t.Helper()
	var stderr bytes.Buffer
	cmd := python(t, bin, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("python: %v\n%s", err, &stderr)
	}
	if err := json.Unmarshal(out, answer); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// The views that the module makes of a dataset are the program's, whatever tables it
// has. Of the program's script only the head is not there, which finds the dataset.
func TestViews(t *testing.T) {
	sets := map[string][]*schema.Table{"all": schema.Tables(), "none": {&schema.Sources}}
	for _, left := range schema.Tables() {
		without := slices.DeleteFunc(schema.Tables(), func(t *schema.Table) bool { return t == left })
		sets["all but "+left.Name] = without
		if left == &schema.Instructions {
			sets["blocks"] = without
			sets["blocks alone"] = slices.DeleteFunc(slices.Clone(without), func(t *schema.Table) bool { return t == &schema.CodeBlocks })
			sets["no rows"] = slices.DeleteFunc(slices.Clone(without), func(t *schema.Table) bool { return t == &schema.Blocks })
		}
	}
	names := map[string][]string{}
	for set, tables := range sets {
		for _, t := range tables {
			names[set] = append(names[set], t.Name)
		}
	}
	ask, err := json.Marshal(names)
	check(t, err)
	for version := schema.OldestVersion; version <= schema.Version; version++ {
		var scripts map[string]string
		run(t, &scripts, "", "-c", "import json, sys, tracelake\n"+
			"print(json.dumps({name: tracelake._script(tables, int(sys.argv[2])) for name, tables in json.loads(sys.argv[1]).items()}))",
			string(ask), strconv.Itoa(version))
		demandViews(t, sets, version, scripts)
	}
}

// demandViews demands the views of sets of tables that the program makes for a schema version.
func demandViews(t *testing.T, sets map[string][]*schema.Table, version int, scripts map[string]string) {
	t.Helper()
	for set, tables := range sets {
		_, want, found := strings.Cut(schema.Views(tables, schema.Parquet, "some dataset", version), "read this script again: SET VARIABLE tracelake_dirs = [''path/of/the/dataset'']') END;\nSET VARIABLE tracelake_found")
		_, want, ended := strings.Cut(want, "END;\n")
		if got := scripts[set]; !found || !ended || got != want {
			t.Errorf("%s, version %d: the views differ (run go generate ./schema):\n%s", set, version, cmp.Diff(got, want))
		}
	}
}

// said is what testdata/session.py prints of a session.
type said struct {
	Rows          [][]any           // of SQL
	Counts        map[string]int    // rows of a table, by what they were read into
	Covered       int               // of the report
	Verdict, HTML string            // how a dataset is shown
	Refused       map[string]string // SQL and why it fails
	Errors        map[string]string // calls and what they raise
}

// A session: export, SQL, tables, a report, what a notebook shows, and errors.
func TestSession(t *testing.T) {
	dir := t.TempDir()
	capture := filepath.Join(dir, "capture")
	check(t, sample.Extract(capture))
	var s said
	run(t, &s, need.Command(t), "testdata/session.py", capture, filepath.Join(dir, "it's [1]*"))
	if want := [][]any{{"it's [1]*", 218349.0, "fibonacci"}}; !cmp.Equal(s.Rows, want) {
		t.Errorf("SQL: %v, want %v", s.Rows, want)
	}
	if want := map[string]int{"Table": 778, "polars": 778, "pandas": 778, "manifest": 778}; !cmp.Equal(s.Counts, want) {
		t.Errorf("rows of counts: %v", s.Counts)
	}
	if s.Covered != 774 {
		t.Errorf("report coverage: %d instructions covered", s.Covered)
	}
	for _, want := range []string{"it&#x27;s [1]*: " + s.Verdict + "<", "218,349 instructions, 88 exceptions, 0 gaps", "<td>counts</td><td>778</td>"} {
		if s.Verdict == "" || !strings.Contains(s.HTML, want) {
			t.Errorf("no %q in %s", want, s.HTML)
		}
	}
	for query, failure := range s.Refused {
		if !strings.Contains(failure, "Permission Error") && !strings.Contains(failure, "configuration has been locked") {
			t.Errorf("%s: %q", query, failure)
		}
	}
	if len(s.Refused) != 5 {
		t.Errorf("refused: %q", s.Refused)
	}
	for call, want := range map[string]string{
		"no capture":  "1: nothing-here: does not exist; ",
		"a flag":      "2: --level all: is not known; levels are ",
		"stdin":       "1: ./-: does not exist; ",
		"a report":    "2: unknown report nothing; ",
		"a table":     "None: ", // and the path
		"an outsider": "None: ",
		"no dataset":  "None: ",
		"a version":   "None: ",
		"a manifest":  "None: ",
	} {
		if got := s.Errors[call]; !strings.HasPrefix(got, want) || strings.Contains(got, "tracelake: ") {
			t.Errorf("%s: %q, want %q", call, got, want)
		}
	}
	for call, want := range map[string]string{
		"a table": "has no table 'nothing'; it has ", "an outsider": "has no table '../counts'; ", "no dataset": "is no dataset (",
		"a version": "is not of schema version ", "a manifest": "is no dataset (", "no command": "None: the command tracelake is not on the PATH; ",
	} {
		if got := s.Errors[call]; !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", call, got, want)
		}
	}
}

// The module stays small, typed, and without a dependency.
func TestSmall(t *testing.T) {
	text, err := os.ReadFile("tracelake/__init__.py")
	check(t, err)
	if n := bytes.Count(text, []byte("\n")); n > 200 {
		t.Errorf("%d lines", n)
	}
	if _, err := os.Stat("tracelake/py.typed"); err != nil {
		t.Error(err)
	}
	var version string
	run(t, &version, "", "-S", "-c", "import json, tracelake; print(json.dumps(tracelake.__doc__))") // -S: nothing that was installed
}
