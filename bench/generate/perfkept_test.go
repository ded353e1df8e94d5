package generate

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/keep"
	"github.com/tracelake/tracelake/pipeline/keep/archive"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// A perfInput is a recording in a directory, with its program files.
type perfInput struct {
	dir, recording string
	runs           []perfRun
	opt            pipeline.Options
}

// recorded records the trial of a name.
func recorded(t *testing.T, name string) *perfInput {
	t.Helper()
	trials := perfTrials()
	tr := &trials[slices.IndexFunc(trials, func(tr perfTrial) bool { return tr.name == name })]
	x := &perfInput{dir: t.TempDir()}
	x.runs = tr.record(t, x.dir)
	x.recording = filepath.Join(x.dir, "perf.data")
	x.opt = pipeline.Options{
		Workers: 2, Tables: schema.Tables(), Tool: schema.Tool{Name: "test"},
		Capture: capture.Options{Sysroots: []string{filepath.Join(x.dir, "root")}},
	}
	if kernel := x.file("vmlinux"); exists(kernel) {
		x.opt.Capture.Vmlinux = kernel
	}
	return x
}

// file is the path of a program file.
func (x *perfInput) file(name string) string { return filepath.Join(x.dir, "root", "bin", name) }

// export exports the recording.
func (x *perfInput) export(t *testing.T) (dir string) {
	t.Helper()
	return datasetOf(t, x.recording, x.opt)
}

// archive archives the recording.
func (x *perfInput) archive(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run.tla")
	o := keep.ArchiveOptions{Export: x.opt, CreateOptions: archive.CreateOptions{Level: "fastest"}}
	if _, err := pipeline.Archive(t.Context(), x.recording, dir, o); err != nil {
		t.Fatal(err)
	}
	return dir
}

func datasetOf(t *testing.T, input string, opt pipeline.Options) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "dataset")
	if _, err := pipeline.Export(t.Context(), input, dir, opt); err != nil {
		t.Fatal(err)
	}
	return dir
}

// sameDatasets demands that two datasets have the same files, and manifests but for what they say of the run.
func sameDatasets(t *testing.T, rule, got, want string) {
	t.Helper()
	have, expected := datasetFiles(t, got), datasetFiles(t, want)
	for name, text := range expected {
		if !bytes.Equal(have[name], text) {
			t.Errorf("%s: %s is another: %d bytes, want %d", rule, name, len(have[name]), len(text))
			if strings.HasSuffix(name, ".json") {
				t.Errorf("%s\n%s", have[name], text)
			}
		}
	}
	if len(have) != len(expected) || len(expected) < 5 {
		t.Errorf("%s: %d files, want %d", rule, len(have), len(expected))
	}
}

// datasetFiles are the bytes of the files of a dataset.
func datasetFiles(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		files[name], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	d.Manifest.Run = schema.Export{}
	if files[schema.ManifestFile], err = json.Marshal(&d.Manifest); err != nil {
		t.Fatal(err)
	}
	return files
}

// TestPerfArchives: an archive of a recording has all that an export needs, wherever it is opened.
func TestPerfArchives(t *testing.T) {
	for _, name := range []string{"directory of two", "library", "kernel", "kcore"} {
		t.Run(name, func(t *testing.T) {
			x := recorded(t, name)
			want := x.export(t)
			dir := x.archive(t)
			if err := os.Rename(x.dir, x.dir+" elsewhere"); err != nil {
				t.Fatal(err)
			}
			opt := x.opt
			opt.Capture = capture.Options{}
			sameDatasets(t, "the archive", datasetOf(t, dir, opt), want)
			r, err := archive.Check(t.Context(), dir, "", nil)
			if err != nil || len(r.Problems) > 0 {
				t.Fatal(err, r.Problems)
			}
			v, err := pipeline.Verify(t.Context(), dir, dir, pipeline.VerifyOptions{Workers: 2})
			if err != nil || !v.Equal() {
				t.Fatal(err, v)
			}
		})
	}
}

// TestPerfArchiveAlone: an archive that lacks a program is decoded without it, whatever the machine has.
func TestPerfArchiveAlone(t *testing.T) {
	x := recorded(t, "library")
	x.opt.Capture.Sysroots = nil
	dir := x.archive(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	debug := filepath.Join(home, ".debug", ".build-id", "6f", strings.Repeat("6f", 19))
	if err := errors.Join(os.MkdirAll(debug, 0o755), os.Rename(x.file("lib.so"), filepath.Join(debug, "elf"))); err != nil {
		t.Fatal(err)
	}
	x.export(t)
	_, err := pipeline.Export(t.Context(), dir, filepath.Join(t.TempDir(), "dataset"), pipeline.Options{})
	if _, ok := errors.AsType[*pipeline.NothingError](err); !ok {
		t.Error(err)
	}
}

// TestPerfRedecodes: what redecode makes of a dataset or an archive with a program that it had is what it was.
func TestPerfRedecodes(t *testing.T) {
	x := recorded(t, "version 1")
	want, again := x.export(t), x.export(t)
	opt := pipeline.Options{Workers: 2, Tool: x.opt.Tool, Capture: capture.Options{ELFs: []string{x.file("process1")}}}
	if _, err := pipeline.Redecode(t.Context(), again, x.recording, opt); err != nil {
		t.Fatal(err)
	}
	sameDatasets(t, "a dataset", again, want)

	program := x.file("process1")
	if err := os.Rename(program, filepath.Join(x.dir, "process1")); err != nil {
		t.Fatal(err)
	}
	dir := x.archive(t)
	opt.Capture.ELFs = []string{filepath.Join(x.dir, "process1")}
	if _, err := pipeline.Redecode(t.Context(), dir, "", opt); err != nil {
		t.Fatal(err)
	}
	last := x.opt
	last.Capture = capture.Options{}
	sameDatasets(t, "an archive with a program that came later", datasetOf(t, dir, last), want)
}
