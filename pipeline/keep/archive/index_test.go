package archive

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/schema"
)

// small is the index of an archive of a raw file.
func small() *Index {
	sum := strings.Repeat("0a", 32)
	return &Index{
		Version: Version, Begin: "t.bin", Raw: true, Images: "../images", Level: "best",
		Options: Options{Options: schema.Options{Protocol: "pft", ELFs: []schema.Argument{{File: "p.elf", After: "@0x8000", SHA256: sum}}}},
		Files: []File{
			{Name: "t.bin", Kind: kindTrace, SHA256: sum, Path: "capture/t.bin.zst", Packed: true},
			{Name: "p.elf", Kind: kindArgument, Bytes: 3, SHA256: sum},
		},
	}
}

// Names of files become paths in the archive, wherever they were; no two become one.
func TestPathOf(t *testing.T) {
	seen := map[string]string{}
	for name, want := range map[string]string{
		"trace.bin": "capture/trace.bin.zst", "a/b.bin": "capture/a/b.bin.zst", `a\c.bin`: "capture/a/c.bin.zst",
		"../b.bin": "capture/outside/", "/b.bin": "capture/outside/", "../../x/b.bin": "capture/outside/", "/": "capture/outside/", "..": "capture/outside/",
	} {
		got := pathOf(name, packedSuffix)
		if !strings.HasPrefix(got, want) || !isInCapture(got) {
			t.Errorf("%s is put in %s", name, got)
		}
		if seen[got] != "" {
			t.Errorf("%s and %s are put in %s", name, seen[got], got)
		}
		seen[got] = name
	}
}

// The kinds are named as the package capture names them.
func TestKinds(t *testing.T) {
	for kind, want := range map[capture.InputKind]string{
		capture.INIFile: kindINI, capture.MemoryFile: kindMemory, capture.ArgumentFile: kindArgument, capture.TraceFile: kindTrace,
	} {
		if kind.String() != want {
			t.Errorf("%s, want %s", kind, want)
		}
	}
}

// What an index does not know is ignored.
func TestIndexOfLaterProgram(t *testing.T) {
	text, err := json.Marshal(small())
	if err != nil {
		t.Fatal(err)
	}
	text = append([]byte(`{"added": {"later": [1]}, `), text[1:]...)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, schema.ArchiveFile), text, 0o666); err != nil {
		t.Fatal(err)
	}
	a, err := Open(dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if _, missing := a.Apply(capture.Options{}); len(missing) != 1 || missing[0].File != "p.elf" {
		t.Errorf("missing %+v", missing)
	}
}

// FuzzIndex looks for an index that is taken and whose files can lead out of the archive.
func FuzzIndex(f *testing.F) {
	text, err := json.Marshal(small())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"archive_version":1,"begin":"a","images":"images","files":[{"name":"a","kind":"ini","sha256":"","path":"capture/../a"}]}`))
	dir := f.TempDir()
	if err := os.Mkdir(filepath.Join(dir, captureFolder), 0o777); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, schema.ArchiveFile), text, 0o666); err != nil {
			t.Fatal(err)
		}
		a, err := Open(dir, "")
		if err != nil {
			return
		}
		defer a.Close()
		for i := range a.Index.Files {
			x := &a.Index.Files[i]
			if x.Path != "" && !strings.HasPrefix(filepath.Clean(x.Path), captureFolder+string(filepath.Separator)) {
				t.Errorf("%q is taken", x.Path)
			}
			if file, _, err := a.Open(x.Name); err == nil {
				file.Close()
				t.Errorf("%q is opened, and there is no file", x.Name)
			}
		}
	})
}
