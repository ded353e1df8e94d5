package main

import (
	"debug/buildinfo"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
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

// A release has a binary for each target, the licences of what each is linked from,
// by what the binary itself says of that, and sums that hold.
func TestRelease(t *testing.T) {
	need.FullRun(t, "the program is built without cgo")
	host := runtime.GOOS + "/" + runtime.GOARCH
	built, flags := targets, []string(nil)
	if !need.Long() {
		built, flags = []string{host}, []string{"-trimpath=false"} // what other tests built is used again
	}
	dir := t.TempDir()
	check(t, release(t.Context(), dir, built, flags...))

	text, err := os.ReadFile(filepath.Join(dir, noticeFile))
	check(t, err)
	binaries, err := filepath.Glob(filepath.Join(dir, "tracelake-*"))
	check(t, err)
	if len(binaries) != len(built) {
		t.Errorf("binaries %q for %q", binaries, built)
	}
	for _, path := range binaries {
		info, err := buildinfo.ReadFile(path)
		check(t, err)
		if len(info.Deps) < 10 {
			t.Errorf("%s: linked from %d modules", path, len(info.Deps))
		}
		for _, m := range info.Deps {
			if !strings.Contains(string(text), "\n"+m.Path+" "+m.Version+": ") {
				t.Errorf("NOTICE has no licence of %s %s", m.Path, m.Version)
			}
		}
		if strings.Contains(path, "linux") {
			checkStatic(t, path)
		}
	}
	for _, title := range []string{"\ngithub.com/tracelake/tracelake: LICENSE\n",
		"\nGo " + runtime.Version() + ": LICENSE\n"} {
		if !strings.Contains(string(text), title) {
			t.Errorf("NOTICE has no %q", title)
		}
	}
	cmd := exec.Command(need.Tool(t, need.Make, "sha256sum"), "--check", "--strict", sumsFile)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if n := strings.Count(string(out), ": OK\n"); err != nil || n != len(built)+1 {
		t.Errorf("sha256sum: %v\n%s", err, out)
	}
	system, arch, _ := strings.Cut(host, "/")
	if out, err := exec.Command(filepath.Join(dir, "tracelake-"+system+"-"+arch),
		"version").CombinedOutput(); err != nil || !strings.Contains(string(out), host) {
		t.Errorf("tracelake version: %v\n%s", err, out)
	}
}

// checkStatic demands that a binary of Linux needs no library and no interpreter.
func checkStatic(t *testing.T, path string) {
	t.Helper()
	f, err := elf.Open(path)
	check(t, err)
	defer f.Close()
	if slices.ContainsFunc(f.Progs,
		func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC }) {
		t.Errorf("%s is linked dynamically", path)
	}
}

// tree makes files with a text that is their name.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path := filepath.Join(dir, name)
		check(t, os.MkdirAll(filepath.Dir(path), 0o755))
		check(t, os.WriteFile(path, []byte("text of "+name+"\r\n"), 0o644))
	}
	return dir
}

// The licences of a module are those in its root and on the way to linked packages;
// one without a licence in its root is refused.
func TestLicences(t *testing.T) {
	for _, tt := range []struct {
		files, want string
		fails       bool
	}{
		{"LICENSE a.go", "LICENSE", false},
		{"LICENCE.txt NOTICE PATENTS AUTHORS", "LICENCE.txt NOTICE PATENTS", false},
		{"COPYING COPYING.LESSER", "COPYING COPYING.LESSER", false},
		{"license.md", "license.md", false},
		{"UNLICENSE", "UNLICENSE", false},
		{"LICENSE-MIT LICENSE-APACHE", "LICENSE-APACHE LICENSE-MIT", false},
		{"LICENSE linked/LICENSE linked/deep/License.txt other/LICENSE linked/deeper/LICENSE",
			"LICENSE linked/LICENSE linked/deep/License.txt", false},
		{"README", "", true},
		{"NOTICE", "", true},
		{"license.go licensed.txt LICENSE/text", "", true},
		{"linked/LICENSE", "", true},
	} {
		dir := tree(t, append(strings.Fields(tt.files), "linked/deep/a.go")...)
		names, err := licences(&module{Path: "example.com/m", Version: "v1", Dir: dir,
			packages: []string{filepath.Join(dir, "linked", "deep")}})
		if got := strings.Join(names, " "); got != tt.want || (err != nil) != tt.fails {
			t.Errorf("%s: %q, %v, want %q", tt.files, got, err, tt.want)
		}
		if err != nil && !strings.Contains(err.Error(), "example.com/m v1 has no licence in "+dir) {
			t.Error(err)
		}
	}
}

// Each licence is under a title of its own; a module that two targets link is there
// once.
func TestNotice(t *testing.T) {
	a, b := tree(t, "LICENSE", "x/LICENSE"), tree(t, "COPYING")
	linux := []module{{Path: "example.com/a", Version: "v1", Dir: a, packages: []string{a}},
		{Path: "example.com/tracelake", Dir: b}}
	windows := []module{{Path: "example.com/a", Version: "v1", Dir: a, packages: []string{filepath.Join(a, "x")}}}
	text, err := notice(merge(linux, windows))
	check(t, err)
	var titles []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "example.com") || strings.HasPrefix(line, "text of") {
			titles = append(titles, strings.TrimSuffix(line, "\n"))
		}
	}
	want := []string{
		"example.com/tracelake: COPYING", "text of COPYING", "example.com/a v1: LICENSE", "text of LICENSE",
		"example.com/a v1: x/LICENSE", "text of x/LICENSE",
	}
	if !slices.Equal(titles, want) {
		t.Errorf("%q, want %q", titles, want)
	}
}
