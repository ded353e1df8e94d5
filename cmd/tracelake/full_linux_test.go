package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What cannot be printed is a failure, also where nobody looks at the error.
func TestFullOutput(t *testing.T) {
	capture := evilCapture(t)
	for _, args := range [][]string{
		{"--help"},
		{"--version"},
		{"export", "--help"},
		{"report", "--help"},
		{"inspect", capture},
		{"inspect", capture, "--json"},
		{"packets", capture},
		{"packets", capture, "--json"},
		{"report", "quality", capture},
		{"demo", "-o", filepath.Join(t.TempDir(), "demo")},
	} {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("tracelake", args...)
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = full, &stderr
		_ = cmd.Run()
		full.Close()
		if got := cmd.ProcessState.ExitCode(); got != statusFailed ||
			!strings.Contains(stderr.String(), "no space left on device") {
			t.Errorf("%q exits with %d: %s", args, got, &stderr)
		}
	}
}
