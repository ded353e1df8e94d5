package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/sample"
)

// Who asks a command to end gets no answer, no part of a file, and the dataset as it was.
func TestInterruptedAnswers(t *testing.T) {
	dir := t.TempDir()
	input, run := filepath.Join(t.TempDir(), "capture"), filepath.Join(dir, "run")
	if err := sample.Extract(input); err != nil {
		t.Fatal(err)
	}
	said(t, "export", input, "-e", filepath.Join(input, sample.ELF), "-o", run)
	old := filepath.Join(dir, "old.html")
	if err := os.WriteFile(old, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	before := filesIn(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, line := range []string{
		"report html RUN -o DIR/new.html", "report html RUN -o DIR/old.html --overwrite", "report coverage RUN", "report last RUN",
		"convert --to lcov RUN -o DIR/new", "convert --to speedscope RUN -o DIR/new", "convert --to pprof RUN -o DIR/new",
		"convert --to folded RUN", "prune RUN --level none",
	} {
		args := strings.Fields(strings.NewReplacer("RUN", run, "DIR", dir).Replace("tracelake " + line))
		var stdout, stderr bytes.Buffer
		if err := runCommand(ctx, args, &stdout, &stderr); !errors.Is(err, context.Canceled) || status(err) != 130 || stdout.Len() > 0 {
			t.Errorf("%s: %v, status %d, prints %q", line, err, status(err), &stdout)
		}
		if after := filesIn(t, dir); !slices.Equal(after, before) {
			t.Errorf("%s leaves %q, of %q", line, after, before)
		}
	}
}

// filesIn returns the files in a directory, with their contents.
func filesIn(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		files = append(files, fmt.Sprintf("%s %x", path, sha256.Sum256(b)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
