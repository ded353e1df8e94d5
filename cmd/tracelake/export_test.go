package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// An export that is interrupted exits with 130, and leaves nothing.
func TestInterruptedExport(t *testing.T) {
	args := longTrace(t, 400) // 26 MB, 131 million instructions: seconds, anywhere
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			cmd := exec.Command("tracelake", append(args, "-o", dir)...)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			waitForFile(t, filepath.Join(dir, ".tracelake-partial", "instructions", "00-00000.parquet"))
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
			if _, err := os.Stat(dir); !os.IsNotExist(err) {
				t.Errorf("%s is left (%v)", dir, err)
			}
		})
	}
}

// An export that is told to survive its terminal does.
func TestExportSurvivesHangup(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	script := `trap "" HUP; exec tracelake "$@"`
	cmd := exec.Command("sh", slices.Concat([]string{"-c", script, "sh"}, longTrace(t, 20), []string{"-o", dir})...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitForFile(t, filepath.Join(dir, ".tracelake-partial", "instructions", "00-00000.parquet"))
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
	waitForFile(t, filepath.Join(dir, ".tracelake-partial", "instructions", "00-00000.parquet"))
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
	if _, err := os.Stat(filepath.Join(dir, ".tracelake-partial")); !os.IsNotExist(err) {
		t.Errorf("the rest of the second export is left (%v)", err)
	}
}

// waitForFile waits until a file is there: the export has come so far.
func waitForFile(t *testing.T, name string) {
	t.Helper()
	for range 6000 {
		if _, err := os.Stat(name); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s does not appear", name)
}
