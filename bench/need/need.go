// Package need says what a test needs that a checkout does not bring: captures of
// silicon, outside tools, a longer run. Only tests import it. Every test that
// skips does so here, with one reason for each need, so that runs can be counted
// and CI can demand that nothing is missing.
//
// Its API is not stable (docs/guide/library.md).
package need

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A Need is something that may be missing where the tests run.
type Need string

// The needs, by the names that TRACELAKE_REQUIRE takes. For each there is a line
// in CONTRIBUTING.md that says where it comes from.
const (
	Silicon  Need = "silicon"    // ../shared/captures beside the checkout
	Python   Need = "python"     // .venv, which make test makes
	OpenCSD  Need = "opencsd"    // trc_pkt_lister
	LibOCSD  Need = "libopencsd" // its headers and C library
	OpenOCD  Need = "openocd"    // the debugger, for its etm analyze
	Objdump  Need = "objdump"    // GNU binutils: as, ld, objdump for bare-metal Arm, objdump for AArch64
	Readelf  Need = "readelf"    // GNU binutils of any machine
	QEMU     Need = "qemu"       // qemu-arm
	GCC      Need = "gcc"        // a compiler and C library for Arm Linux
	Make     Need = "make"       // GNU make, bash and git
	Dpkg     Need = "dpkg"       // Debian's package manager
	Symlinks Need = "symlinks"   // a file system with symbolic links
	Terminal Need = "terminal"   // pseudo terminals
	Genhtml  Need = "genhtml"    // of lcov 1.16
	Valgrind Need = "valgrind"   // callgrind_annotate
	LLVM     Need = "llvm"       // llvm-profdata
	Zsh      Need = "zsh"        // the shell
	Fish     Need = "fish"       // the shell
	Groff    Need = "groff"      // of which man is made
	Chromium Need = "chromium"   // chromium-headless-shell, the browser
	Perf     Need = "perf"       // perf of Linux, built with OpenCSD
	Axe      Need = "axe"        // axe-core, which make .ci/axe/axe.min.js fetches
)

// needs are all that TRACELAKE_REQUIRE may name.
var needs = []Need{
	Silicon, Python, OpenCSD, LibOCSD, OpenOCD, Objdump, Readelf, QEMU, GCC, Make, Dpkg, Symlinks, Terminal,
	Genhtml, Valgrind, LLVM, Zsh, Fish, Groff, Chromium, Perf, Axe,
}

// The variables that say what a run of tests is to be: a list of needs with commas
// in between, and "1" for a long run.
const (
	requireVariable = "TRACELAKE_REQUIRE"
	longVariable    = "TRACELAKE_LONG"
)

// Missing skips the test, as n is missing: what says of n is not there. Where
// TRACELAKE_REQUIRE lists n, the test fails instead.
func Missing(t testing.TB, n Need, what string) {
	t.Helper()
	if slices.Contains(required(), n) {
		t.Fatalf("%s is required (%s), and missing: %s", n, requireVariable, what)
	}
	t.Skipf("%s: %s", n, what)
}

// required returns the needs of TRACELAKE_REQUIRE.
func required() []Need {
	var list []Need
	for name := range strings.SplitSeq(os.Getenv(requireVariable), ",") {
		if name != "" {
			list = append(list, Need(name))
		}
	}
	return list
}

// Tool returns the path of a program, or the test ends as [Missing] says.
func Tool(t testing.TB, n Need, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		Missing(t, n, "no "+program)
	}
	return path
}

// Interpreter returns the path of the Python that has what .ci/requirements.txt
// lists.
func Interpreter(t testing.TB) string {
	t.Helper()
	return venv(t, "python")
}

// DuckDB returns the path of DuckDB's command line.
func DuckDB(t testing.TB) string {
	t.Helper()
	return venv(t, "duckdb")
}

// venv returns the path of a program in .venv.
func venv(t testing.TB, program string) string {
	t.Helper()
	path := filepath.Join(Module(t), ".venv", "bin", program)
	if _, err := os.Stat(path); err != nil {
		Missing(t, Python, "no .venv/bin/"+program+" (make .venv/installed)")
	}
	return path
}

// AxeCore returns the text of axe-core, the script that finds what people with a screen reader
// or a keyboard cannot use in a page.
func AxeCore(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(Module(t), ".ci", "axe", "axe.min.js"))
	if err != nil {
		Missing(t, Axe, "no .ci/axe/axe.min.js, which make of that name fetches")
	}
	return string(text)
}

// Module returns the folder of go.mod, at or above the working directory, which in
// a test is the folder of its package.
func Module(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = up
	}
}

// FullRun skips the test in a short run: why says what it takes.
func FullRun(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip("short run: " + why)
	}
}

// Long reports whether this is a long run (make long), in which tests take their
// full numbers of seeds, rounds and recipes.
func Long() bool { return os.Getenv(longVariable) == "1" }

// Size is how much of something a test takes: all of it in a long run, and else
// as much as CI has time for.
func Size[T cmp.Ordered](ci, long T) T {
	if Long() {
		return long
	}
	return ci
}

// Command builds the command tracelake, and returns the folder that it is in.
func Command(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", dir, "./cmd/tracelake")
	cmd.Dir = Module(t)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return dir
}
