package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// longTrace writes a raw PFT stream that takes seconds to export, and the
// program it is of. It returns the arguments for them.
func longTrace(t *testing.T, periods int) []string {
	t.Helper()
	dir := t.TempDir()
	const period = 64 << 10
	var stream bytes.Buffer
	for range periods {
		stream.Write([]byte{0, 0, 0, 0, 0, 0x80})           // A-sync
		stream.Write([]byte{0x08, 0x00, 0x10, 0, 0, 0x29})  // I-sync 0x00001000, A32
		stream.Write(bytes.Repeat([]byte{0xC0}, period-12)) // atoms EEEEE
	}
	trace, program := filepath.Join(dir, "trace.bin"), filepath.Join(dir, "program.bin")
	loop := []byte{0xFE, 0xFF, 0xFF, 0xEA} // b .
	if err := errors.Join(os.WriteFile(trace, stream.Bytes(), 0o666), os.WriteFile(program, loop, 0o666)); err != nil {
		t.Fatal(err)
	}
	return []string{"export", trace, "--protocol", "pft", "--image", program + "@0x1000"}
}

// An export that waits for standard input ends when it is interrupted, and leaves no
// temporary file.
func TestInterruptedStdin(t *testing.T) {
	temporary, dir := t.TempDir(), filepath.Join(t.TempDir(), "out")
	cmd := exec.Command("tracelake", "export", "-", "--protocol", "pft", "-o", dir)
	cmd.Env = append(os.Environ(), "TMPDIR="+temporary)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt) // as TestInterruptedExport
	defer signal.Stop(caught)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := stdin.Write(make([]byte, 1<<20)); err != nil { // more than a pipe holds: some of it is read
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != statusInterrupted || stderr.String() != "tracelake: interrupted\n" {
		t.Errorf("exits with %d: %s", got, &stderr)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("%v is left (%v)", left, err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("there is a dataset")
	}
}

// An export that is interrupted exits with 130, and leaves nothing.
func TestInterruptedExport(t *testing.T) {
	args := longTrace(t, 400) // 26 MB, 131 million instructions: seconds, anywhere
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			cmd := exec.Command("tracelake", append(args, "-o", dir)...)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			caught := make(chan os.Signal, 1)
			signal.Notify(caught, sig) // a signal that the tests ignore, as under nohup, their programs would ignore too
			defer signal.Stop(caught)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			waitForFile(t, partial(dir, "instructions", "00-00000.parquet"))
			begin := time.Now()
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			err := cmd.Wait()
			t.Logf("stopped after %v", time.Since(begin).Round(time.Millisecond))
			failed, ok := errors.AsType[*exec.ExitError](err)
			if !ok || failed.ExitCode() != statusInterrupted {
				t.Errorf("exits with %v, want status %d; stderr: %s", err, statusInterrupted, &stderr)
			}
			if got := stderr.String(); got != "tracelake: interrupted\n" {
				t.Errorf("stderr %q", got)
			}
			if stdout.Len() > 0 {
				t.Errorf("stdout %q", &stdout)
			}
			if left, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(left) > 0 {
				t.Errorf("%v is left (%v)", left, err)
			}
		})
	}
}

// An export that ignores SIGHUP survives its terminal.
func TestExportSurvivesHangup(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	script := `trap "" HUP; exec tracelake "$@"`
	cmd := exec.Command("sh", slices.Concat([]string{"-c", script, "sh"}, longTrace(t, 20), []string{"-o", dir})...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForFile(t, partial(dir, "instructions", "00-00000.parquet"))
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, &stderr)
	}
}

// An interrupted export leaves the dataset it was to replace as it was.
func TestInterruptedOverwrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	if out, err := exec.Command("tracelake", append(longTrace(t, 2), "-o", dir)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	manifest, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("tracelake", append(longTrace(t, 400), "-o", dir, "--overwrite")...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForFile(t, partial(dir, "instructions", "00-00000.parquet"))
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("exits with 0")
	}
	after, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil || !bytes.Equal(after, manifest) {
		t.Errorf("the manifest is not as it was (%v)", err)
	}
	if left, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(left) != 1 {
		t.Errorf("%v is left, want the dataset alone (%v)", left, err)
	}
}

// partial is the pattern of a file of a dataset that is being written.
func partial(dir string, path ...string) string {
	return filepath.Join(append([]string{filepath.Dir(dir), "." + filepath.Base(dir) + ".tracelake-partial-*"},
		path...)...)
}

// waitForFile waits until a file that matches is there: the export has come so
// far.
func waitForFile(t *testing.T, pattern string) {
	t.Helper()
	for range 6000 {
		if names, err := filepath.Glob(pattern); err == nil && len(names) > 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s does not appear", pattern)
}

// While one export writes a directory, another one exits with 1 at once, says who
// writes, and changes nothing.
func TestExportsExcludeEachOther(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	first := exec.Command("tracelake", append(longTrace(t, 400), "-o", dir)...)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	waitForFile(t, partial(dir, "instructions", "00-00000.parquet"))
	out, err := exec.Command("tracelake", append(longTrace(t, 1), "-o", dir, "--overwrite")...).CombinedOutput()
	if failed, ok := errors.AsType[*exec.ExitError](err); !ok || failed.ExitCode() != statusFailed {
		t.Errorf("exits with %v", err)
	}
	if want := fmt.Sprintf("tracelake: %s is being written by process %d on ", dir,
		first.Process.Pid); !strings.HasPrefix(string(out), want) {
		t.Errorf("%q, want %q", out, want)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("there is something in %s (%v)", dir, err)
	}
	waitForFile(t, partial(dir, "instructions", "00-00000.parquet"))

	// A process that dies has no lock; what it left is removed.
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()
	if out, err := exec.Command("tracelake", append(longTrace(t, 1), "-o", dir)...).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if left, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(left) != 1 {
		t.Errorf("%v is left, want the dataset alone (%v)", left, err)
	}
}
