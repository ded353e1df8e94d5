package shared

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A fake is a test whose end and subtests can be seen.
type fake struct {
	testing.TB
	skipped  string
	subtests []string
}

func (f *fake) Helper() {}

func (f *fake) Skipf(format string, args ...any) { f.skipped = fmt.Sprintf(format, args...) }

func (f *fake) Run(name string, _ func(*testing.T)) bool {
	f.subtests = append(f.subtests, name)
	return true
}

// What is not beside the checkout skips a test, and one that continues without
// it has a subtest to say so.
func TestFile(t *testing.T) {
	t.Setenv("TRACELAKE_REQUIRE", "")
	root := t.TempDir()
	module, captures := filepath.Join(root, "module"), filepath.Join(root, "shared", "captures")
	write(t, filepath.Join(module, "go.mod"))
	t.Chdir(module)
	check := func(name, skipped string, ok bool, subtests ...string) {
		t.Helper()
		f := &fake{TB: t}
		File(f, name)
		if f.skipped != skipped {
			t.Errorf("File skips with %q, want %q", f.skipped, skipped)
		}
		path, found := Find(f, name)
		if path != filepath.Join(root, "shared", filepath.FromSlash(name)) || found != ok ||
			!slices.Equal(f.subtests, subtests) {
			t.Errorf("Find: %s, %v, subtests %q; want %v, %q", path, found, f.subtests, ok, subtests)
		}
	}
	check("captures/a", "silicon: no ../shared/captures beside the checkout", false, "shared/captures/a")
	write(t, filepath.Join(captures, "a"))
	check("captures/a", "", true)
	check("captures/b", "silicon: no ../shared/captures/b beside the checkout", false, "shared/captures/b")
}

func write(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
}
