package pipeline

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tracelake/tracelake/pipeline/engine"

	"github.com/tracelake/tracelake/schema"
)

// An input that is written to while it is exported fails the export, which leaves
// no dataset.
func TestInputWrittenTo(t *testing.T) {
	for _, tt := range []struct {
		name    string
		change  func(t *testing.T, path string, content []byte)
		changed bool
	}{
		{"not at all", func(*testing.T, string, []byte) {}, false},
		{"its last byte", func(t *testing.T, path string, content []byte) {
			content[len(content)-1] ^= 1
			writeFile(t, path, content)
		}, true},
		{"its last byte, at its old time", func(t *testing.T, path string, content []byte) {
			info := statFile(t, path)
			content[len(content)-1] ^= 1
			writeFile(t, path, content)
			if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"one byte more", func(t *testing.T, path string, content []byte) { writeFile(t, path, append(content, 0)) }, true},
		{"all gone", func(t *testing.T, path string, _ []byte) { writeFile(t, path, nil) }, true},
		{"replaced: the old file is read on", func(t *testing.T, path string, _ []byte) {
			writeFile(t, path+".new", []byte("new"))
			if err := os.Rename(path+".new", path); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			input, dir := sampleSnapshot(t), filepath.Join(t.TempDir(), "run")
			path := filepath.Join(input, "trace.bin")
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			done := false
			_, err = Export(t.Context(), input, dir, Options{Level: schema.LevelBlocks, Workers: 1, Progress: func(Progress) {
				if !done {
					done = true
					tt.change(t, path, content)
				}
			}})
			changed, ok := errors.AsType[*engine.ChangedError](err)
			if ok != tt.changed || !ok && err != nil || ok && changed.Path != "trace.bin" {
				t.Errorf("error %v", err)
			}
			if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) != tt.changed {
				t.Errorf("the dataset: %v", err)
			}
		})
	}
}

// writeFile writes a file in place, as what made it may do again.
func writeFile(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
}

func statFile(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}
