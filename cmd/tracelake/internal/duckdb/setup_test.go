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
	for i, name := range []string{
		"plain", "a/b/", "it's", `a"b`, `a'b"c`, "sp ace", "br[1]", "br1", "star*x", "starx", "q?x", "|echo", "-dash", ".dot",
		"line\nfeed", "dollar$HOME", "semi;x", "ünï", "~", "~home", "--", "#",
	} {
		check(t, os.MkdirAll(filepath.Join(dir, name), 0o755))
		check(t, os.WriteFile(filepath.Join(dir, name, "word.txt"), fmt.Appendf(nil, "<%d>", i), 0o644))
		script := filepath.Join(name, "script.sql")
		check(t, os.WriteFile(filepath.Join(dir, script), []byte("CREATE VIEW words AS SELECT content FROM read_text([d || '/*.txt' FOR d IN getvariable('tracelake_dirs')]);\n"), 0o644))
		lines, err := Setup([]string{name}, script, false)
		check(t, err)
		cmd := exec.Command(shell, "-noheader", "-list")
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(strings.Join(append(lines, "SELECT string_agg(content, '+') FROM words;\n"), "\n"))
		cmd.Env = append(os.Environ(), "HOME=/nonexistent")
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != fmt.Sprintf("<%d>\n", i) {
			t.Errorf("%v\n%s\nof\n%s", err, out, strings.Join(lines, "\n"))
		}
	}
}

// DuckDB takes a backslash for a separator everywhere.
func TestSetupRefuses(t *testing.T) {
	if os.PathSeparator != '/' {
		return // there it is one
	}
	for _, tt := range [][]string{{`a\b`, "views.sql"}, {"a", `a\views.sql`}} {
		if lines, err := Setup(tt[:1], tt[1], false); err == nil || !strings.Contains(err.Error(), "separator") {
			t.Errorf("%q: %q, %v", tt, lines, err)
		}
	}
}
