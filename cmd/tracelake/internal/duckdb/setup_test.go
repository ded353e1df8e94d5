package duckdb

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// DuckDB's own shell reads the script of a directory of any name, and of the
// directory itself only its own files.
func TestSetup(t *testing.T) {
	shell := need.DuckDB(t)
	dir := t.TempDir()
	var input, want strings.Builder
	for i, name := range []string{
		"plain", "a/b/", "it's", `a"b`, `a'b"c`, "sp ace", "br[1]", "br1", "star*x", "starx", "q?x", "|echo", "-dash", ".dot",
		"line\nfeed", "dollar$HOME", "semi;x", "ünï", "~", "~home", "--", "#",
	} {
		check(t, os.MkdirAll(filepath.Join(dir, name), 0o755))
		check(t, os.WriteFile(filepath.Join(dir, name, "word.txt"), fmt.Appendf(nil, "<%d>", i), 0o644))
		script := filepath.Join(name, "script.sql")
		check(t, os.WriteFile(filepath.Join(dir, script),
			[]byte("SELECT string_agg(content, '+') FROM read_text([d || '/*.txt' FOR d IN getvariable('tracelake_dirs')]);\n"),
			0o644))
		lines, err := Setup([]string{name}, script)
		check(t, err)
		input.WriteString(strings.Join(lines, "\n") + "\n")
		fmt.Fprintf(&want, "<%d>\n", i)
	}
	cmd := exec.Command(shell, "-noheader", "-list")
	cmd.Dir, cmd.Stdin, cmd.Env = dir, strings.NewReader(input.String()), append(os.Environ(), "HOME=/nonexistent")
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != want.String() {
		t.Errorf("%v\n%s\nof\n%s", err, out, &input)
	}
}

// DuckDB takes a backslash for a separator everywhere.
func TestSetupRefuses(t *testing.T) {
	if os.PathSeparator != '/' {
		return // there it is one
	}
	for _, tt := range [][]string{{`a\b`, "views.sql"}, {"a", `a\views.sql`}} {
		if lines, err := Setup(tt[:1], tt[1]); err == nil || !strings.Contains(err.Error(), "separator") {
			t.Errorf("%q: %q, %v", tt, lines, err)
		}
	}
}
