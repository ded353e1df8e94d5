package reporttest

import (
	"path/filepath"
	"testing"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
)

// Datasets writes the datasets that texts describe, and returns their directories.
func Datasets(t testing.TB, texts ...string) []string {
	t.Helper()
	dirs := make([]string, len(texts))
	for i, text := range texts {
		dirs[i] = filepath.Join(t.TempDir(), "run")
		if err := Write(dirs[i], text); err != nil {
			t.Fatal(err)
		}
	}
	return dirs
}

// Sample exports the sample at a level, with the tables that are written by default, and returns
// the directory.
func Sample(t testing.TB, level schema.Level) string {
	t.Helper()
	input := filepath.Join(t.TempDir(), "capture")
	if err := sample.Extract(input); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "dataset")
	opt := pipeline.Options{Level: level, Workers: 1, Capture: capture.Options{Symbols: []string{filepath.Join(input, sample.ELF)}}}
	if _, err := pipeline.Export(t.Context(), input, dir, opt); err != nil {
		t.Fatal(err)
	}
	return dir
}
