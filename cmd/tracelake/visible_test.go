package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/sample"
)

// Names with what a terminal would obey, and hidden and reversing characters;
// and how they are shown.
const (
	evil  = "PTM\x1b[31m\u202e\u200b\u009b2J"
	shown = `PTM\u001b[31m\u202e\u200b\u009b2J`
)

// evilCapture is the sample with evil names.
func evilCapture(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "capture")
	if err := sample.Extract(dir); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.ini"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.ReplaceAll(text, []byte("PTM_0"), []byte(evil))
		text = bytes.ReplaceAll(text, []byte("description="), []byte("description="+evil))
		text = bytes.ReplaceAll(text, []byte("ETB_0"), []byte("ETB"+evil))
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Nothing in a capture reaches the terminal as it is, whatever prints it.
func TestNamesDoNotAct(t *testing.T) {
	capture := evilCapture(t)
	for _, args := range [][]string{
		{"inspect", capture},
		{"inspect", capture, "--json"},
		{"report", "quality", capture},
		{"report", "quality", capture, "--json"},
		{"export", capture, "-o", filepath.Join(t.TempDir(), "out")},
		{"export", capture, "-o", filepath.Join(t.TempDir(), evil)},
		{"export", capture, "-o", filepath.Join(t.TempDir(), "out"), "--buffer", "none"}, // an error that lists them
		{"export", capture + evil, "-o", filepath.Join(t.TempDir(), "out")},
		{evil},
	} {
		var stdout, stderr bytes.Buffer
		cmd := exec.Command("tracelake", args...)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		_ = cmd.Run() // the last three fail
		text := stdout.String() + stderr.String()
		if strings.ContainsAny(text, "\x1b\u202e\u200b\u009b") {
			t.Errorf("%q: %q", args, text)
		}
		if !strings.Contains(text, shown) {
			t.Errorf("%q does not show %s: %s", args, shown, text)
		}
		if args[len(args)-1] != "--json" {
			continue
		}
		var report struct{ Sources []struct{ Name string } }
		if err := json.Unmarshal(stdout.Bytes(), &report); err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		if got := report.Sources[0].Name; got != evil {
			t.Errorf("%q: the name is %q, want %q", args, got, evil)
		}
	}
}
