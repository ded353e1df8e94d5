// Package reporttest exports captures for tests of what reports on datasets. Only tests import it.
//
// Its API is not stable (docs/guide/library.md).
package reporttest

import (
	"path/filepath"
	"testing"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
)

// Sample exports the sample at a level, with the tables that are written by default, and returns
// the directory.
func Sample(t testing.TB, level schema.Level) string {
	t.Helper()
	return Export(t, "sample", sample.ELF, pipeline.Options{Level: level})
}

// Export exports a capture of silicon, or the sample, with a program file that it has (""
// for none), and returns the directory.
func Export(t testing.TB, name, elf string, opt pipeline.Options) string {
	t.Helper()
	input, dir := filepath.Join(t.TempDir(), "capture"), filepath.Join(t.TempDir(), "dataset")
	if name != "sample" {
		input = shared.File(t, "captures/"+name)
	} else if err := sample.Extract(input); err != nil {
		t.Fatal(err)
	}
	opt.Workers, opt.Run.Input = 1, input
	if elf != "" {
		opt.Capture.Symbols = []string{filepath.Join(input, elf)}
	}
	if _, err := pipeline.Export(t.Context(), input, dir, opt); err != nil {
		t.Fatal(err)
	}
	return dir
}
