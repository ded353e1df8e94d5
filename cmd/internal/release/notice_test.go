package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
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
		{"LICENSE linked/LICENSE linked/deep/License.txt other/LICENSE linked/deeper/LICENSE", "LICENSE linked/LICENSE linked/deep/License.txt", false},
		{"README", "", true},
		{"NOTICE", "", true},
		{"license.go licensed.txt LICENSE/text", "", true},
		{"linked/LICENSE", "", true},
	} {
		dir := tree(t, append(strings.Fields(tt.files), "linked/deep/a.go")...)
		names, err := licences(&module{Path: "example.com/m", Version: "v1", Dir: dir, packages: []string{filepath.Join(dir, "linked", "deep")}})
		if got := strings.Join(names, " "); got != tt.want || (err != nil) != tt.fails {
			t.Errorf("%s: %q, %v, want %q", tt.files, got, err, tt.want)
		}
		if err != nil && !strings.Contains(err.Error(), "example.com/m v1 has no licence in "+dir) {
			t.Error(err)
		}
	}
}

// Each licence is under a title of its own.
func TestNotice(t *testing.T) {
	a, b := tree(t, "LICENSE", "x/LICENSE"), tree(t, "COPYING")
	text, err := notice([]*module{
		{Path: "example.com/tracelake", Dir: b},
		{Path: "example.com/a", Version: "v1", Dir: a, packages: []string{a, filepath.Join(a, "x")}},
	})
	check(t, err)
	var titles []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "example.com") || strings.HasPrefix(line, "text of") {
			titles = append(titles, strings.TrimSuffix(line, "\n"))
		}
	}
	want := []string{
		"example.com/tracelake: COPYING", "text of COPYING", "example.com/a v1: LICENSE", "text of LICENSE", "example.com/a v1: x/LICENSE", "text of x/LICENSE",
	}
	if !slices.Equal(titles, want) {
		t.Errorf("%q, want %q", titles, want)
	}
}
