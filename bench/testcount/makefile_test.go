package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
)

// The files of a module with one fuzz target and nothing to generate.
var module = map[string]string{
	"go.mod":               "module example.com/m\n\ngo 1.26\n",
	".gitignore":           "/.venv/\n",
	".ci/requirements.txt": "",
	".venv/installed":      "", // Python is not needed
	".ci/axe/axe.min.js":   "", // nor is axe-core
	"m.go":                 "package m\n",
	"m_test.go":            "package m\n\nimport \"testing\"\n\nfunc FuzzNothing(f *testing.F) {\n\tf.Fuzz(func(*testing.T, []byte) {})\n}\n",
}

// A target of the Makefile fails where it did not do its work.
func TestMakefile(t *testing.T) {
	for _, program := range []string{"make", "bash", "git"} {
		need.Tool(t, need.Make, program)
	}
	for _, tt := range []struct {
		name   string
		target string
		change map[string]string // files of the module
		want   string            // in the output; a target that begins with ! fails
	}{
		{"a target is fuzzed", "fuzz", nil, "fuzz: elapsed: "},
		{"a target that fails", "!fuzz", map[string]string{"m_test.go": strings.Replace(module["m_test.go"], "{})",
			"{ panic(1) })", 1)}, "FAIL"},
		{"packages that cannot be listed", "!fuzz", map[string]string{"go.mod": "module m\n\nrequire nothing\n"}, "go.mod"},
		{"nothing to generate", "generate", nil, "go generate"},
		{"a changed file", "!generate", map[string]string{"m.go": "package m\n\n//go:generate cp go.mod m_test.go\n"},
			"+module example.com/m"},
		{"a new file", "!generate", map[string]string{"m.go": "package m\n\n//go:generate touch made.go\n"}, "\nmade.go\n"},
		{"a generator that fails", "!generate", map[string]string{"m.go": "package m\n\n//go:generate false\n"}, "m.go:3"},
		{"tests are counted", "test", map[string]string{
			"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { t.Skip(\"gcc: none\") }\n\nfunc TestB(*testing.T) {}\n",
		}, "skipped:\n     1  gcc: none\n1 passed, 0 failed, 1 skipped\n"},
		{"a test that fails", "!test", map[string]string{
			"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { t.Error(\"wrong\") }\n",
		}, "0 passed, 1 failed, 0 skipped\n"},
		{"a race", "!race", map[string]string{
			"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestA(*testing.T) {\n\tn, done := 0, make(chan bool)\n\tgo func() { n++; close(done) }()\n\tn++\n\t<-done\n}\n",
		}, "DATA RACE"},
		{"where no goroutine is, nothing can race", "race", map[string]string{
			"m.go":        "package m\n\nfunc F() {\n\tgo F()\n}\n",
			"m_test.go":   "package m\n\nimport \"testing\"\n\nfunc TestA(*testing.T) {}\n",
			"n/n_test.go": "package n\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { t.Error(\"runs\") }\n",
		}, "1 passed, 0 failed, 0 skipped\n"},
		{"one of two targets fails", "!fuzz", map[string]string{
			"n/n_test.go": strings.Replace(strings.Replace(module["m_test.go"], "package m", "package n", 1), "{})",
				"{ panic(1) })", 1),
		}, "FAIL\texample.com/m/n\t"},
		{"where no benchmark is, none is looked for", "bench", map[string]string{
			"m_test.go":   "package m\n\nimport \"testing\"\n\nfunc BenchmarkA(b *testing.B) {\n\tfor b.Loop() {\n\t}\n}\n",
			"n/n_test.go": "package n\n\nfunc init() { panic(1) }\n",
		}, "BenchmarkA"},
		{"no module", "!test", map[string]string{"go.mod": "module m\n\nrequire nothing\n"}, "go.mod"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := checkout(t, tt.change)
			target, fails := strings.CutPrefix(tt.target, "!")
			cmd := exec.Command("make", target, "FUZZTIME=1x", "BENCHTIMES=-benchtime 1x")
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if (err != nil) != fails || !strings.Contains(string(out), tt.want) {
				t.Errorf("%v, want a failure: %v; want %q in:\n%s", err, fails, tt.want, out)
			}
		})
	}
}

// checkout makes a repository of the module with the Makefile and this command,
// and with what changes in it.
func checkout(t *testing.T, change map[string]string) string {
	t.Helper()
	files := maps.Clone(module)
	for name, from := range map[string]string{"Makefile": "../../Makefile", "bench/testcount/main.go": "main.go"} {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	maps.Copy(files, change)
	dir := t.TempDir()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		write(t, filepath.Join(dir, name), files[name])
	}
	for _, line := range [][]string{
		{"init", "-q"},
		{"add", "."},
		{"-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "-q", "-m", "module"},
	} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, line...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", line, err, out)
		}
	}
	return dir
}
