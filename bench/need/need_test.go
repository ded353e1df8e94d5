package need

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// An ending is how a test would have ended.
type ending struct {
	testing.TB
	text string
}

func (e *ending) Helper() {}

func (e *ending) Skipf(format string, args ...any) { e.end("skip: "+format, args...) }

func (e *ending) Fatalf(format string, args ...any) { e.end("fail: "+format, args...) }

func (e *ending) end(format string, args ...any) {
	e.text = fmt.Sprintf(format, args...)
	panic(e) // the test goes no further
}

// endOf returns how a test ends that does what test does.
func endOf(test func(t testing.TB)) (text string) {
	e := &ending{}
	defer func() {
		if recover() != nil {
			text = e.text
		}
	}()
	test(e)
	return "pass"
}

// What is missing skips a test, or fails it where it is required.
func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, tt := range []struct {
		require string
		test    func(t testing.TB)
		want    string
	}{
		{"", func(t testing.TB) { Missing(t, Silicon, "no captures") }, "skip: silicon: no captures"},
		{"python,qemu", func(t testing.TB) { Missing(t, Silicon, "no captures") }, "skip: silicon: no captures"},
		{"python,silicon", func(t testing.TB) { Missing(t, Silicon, "no captures") },
			"fail: silicon is required (TRACELAKE_REQUIRE), and missing: no captures"},
		{"", func(t testing.TB) { Tool(t, QEMU, "qemu-arm") }, "skip: qemu: no qemu-arm"},
		{"qemu", func(t testing.TB) { Tool(t, QEMU, "qemu-arm") },
			"fail: qemu is required (TRACELAKE_REQUIRE), and missing: no qemu-arm"},
	} {
		t.Setenv("TRACELAKE_REQUIRE", tt.require)
		if got := endOf(tt.test); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.require, got, tt.want)
		}
	}
}

// The .venv of the module is found from the folder of any package, and only there.
func TestInterpreter(t *testing.T) {
	module := t.TempDir()
	program := filepath.Join(module, ".venv", "bin", "python")
	inside := filepath.Join(module, "a", "b")
	for _, dir := range []string{filepath.Dir(program), inside} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(module, "go.mod"))
	t.Chdir(inside)
	t.Setenv("TRACELAKE_REQUIRE", "")
	const missing = "skip: python: no .venv/bin/python (make .venv/installed)"
	if got := endOf(func(t testing.TB) { Interpreter(t) }); got != missing {
		t.Errorf("%s, want %s", got, missing)
	}
	write(t, program)
	if got := Interpreter(t); got != program {
		t.Errorf("%s, want %s", got, program)
	}
}

func write(t *testing.T, name string) {
	t.Helper()
	if err := os.WriteFile(name, nil, 0o666); err != nil {
		t.Fatal(err)
	}
}

// A run requires no need that there is not: such a name would demand nothing.
func TestRequired(t *testing.T) {
	for _, n := range required() {
		if !slices.Contains(needs, n) {
			t.Errorf("TRACELAKE_REQUIRE lists %q, which no test needs; the needs are %v", n, needs)
		}
	}
}

// A long run takes the larger size, and no other run does.
func TestSize(t *testing.T) {
	for value, want := range map[string]int{"": 5, "0": 5, "1": 900} {
		t.Setenv("TRACELAKE_LONG", value)
		if got := Size(5, 900); got != want {
			t.Errorf("TRACELAKE_LONG=%q: %d, want %d", value, got, want)
		}
	}
}
