package main

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
)

// A resumable export that is interrupted exits with 130 and says how to go on, whatever
// the signal, also when it went on; what comes of it at last is what one run writes.
func TestResumableExport(t *testing.T) {
	need.FullRun(t, "105 million instructions are exported, several times")
	parent := t.TempDir()
	dir, once := filepath.Join(parent, "out"), filepath.Join(parent, "once")
	kept := filepath.Join(parent, ".out.tracelake-resumable")
	args := longTrace(t, 320) // 105 million instructions: two parts
	caught := make(chan os.Signal, 1)
	how := "--resumable"
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
	for _, sig := range signals[:need.Size(1, 3)] {
		cmd := exec.Command("tracelake", slices.Concat(args, []string{"-o", dir, how})...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		signal.Notify(caught, sig) // as TestInterruptedExport
		defer signal.Stop(caught)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitForFile(t, filepath.Join(kept, "dataset", "instructions", "00-00001.parquet"))
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		want := "tracelake: interrupted; 1 finished part is kept in " + kept +
			": the same command with --resume in place of --resumable goes on\n"
		if got := cmd.ProcessState.ExitCode(); got != statusInterrupted || stderr.String() != want {
			t.Errorf("%v: exits with %d: %s", sig, got, &stderr)
		}
		// for the next to wait
		if err := os.Remove(filepath.Join(kept, "dataset", "instructions", "00-00001.parquet")); err != nil {
			t.Fatal(err)
		}
		how = "--resume"
	}
	for _, args := range [][]string{
		slices.Concat(args, []string{"-o", dir, "--resume", "--quiet"}), slices.Concat(args, []string{"-o", once, "--quiet"}),
	} {
		if out, err := exec.Command("tracelake", args...).CombinedOutput(); err != nil || len(out) > 0 {
			t.Fatalf("%q: %v: %s", args, err, out)
		}
	}
	if out, err := exec.Command("diff", "-r", "-x", "manifest.json", dir, once).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) != 2 {
		t.Errorf("left: %v, %v", left, err)
	}
}
