package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
)

// An export without options is that of a command without flags: all files are the same, and the
// manifest is, but for what it says of the run and of the build.
func TestOptionsWithoutFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := sample.Extract("capture"); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("tracelake", "export", "capture", "-o", "command").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if _, err := pipeline.Export(t.Context(), "capture", "library", pipeline.Options{}); err != nil {
		t.Fatal(err)
	}
	command, library := contentsOf(t, "command"), contentsOf(t, "library")
	for name, content := range command {
		if !bytes.Equal(library[name], content) {
			t.Errorf("%s is another: %d bytes, of the library %d", name, len(content), len(library[name]))
		}
	}
	if m := schema.ManifestFile; t.Failed() {
		t.Logf("the manifest of the command:\n%.2000s\nof the library:\n%.2000s", command[m], library[m])
	}
	for name := range command {
		delete(library, name)
	}
	if len(library) > 0 || len(command) < 20 {
		t.Errorf("the command writes %d files; the library alone %d", len(command), len(library))
	}
}

// contentsOf returns the files of a dataset, the manifest without what depends on the run and on the
// build.
func contentsOf(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err == nil {
			files[name], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var m schema.Manifest
	if err := json.Unmarshal(files[schema.ManifestFile], &m); err != nil {
		t.Fatal(err)
	}
	m.Run, m.Tool.Version = schema.Export{}, ""
	if files[schema.ManifestFile], err = json.MarshalIndent(m, "", "\t"); err != nil {
		t.Fatal(err)
	}
	return files
}
