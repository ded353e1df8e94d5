//go:build unix

package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tracelake/tracelake/bench/generate"
	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/program/codegen"
	"github.com/tracelake/tracelake/bench/repeat"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// resumedBytes is how long the sample is made: four row groups of instructions.
const resumedBytes = 900_000

// resumedOptions are those of exports that are interrupted: with a part for each row group,
// those of blocks in Arrow.
func resumedOptions(level schema.Level) Options {
	opt := Options{Level: level, Workers: 2, Tool: schema.Tool{Name: "test", Version: "1"}, PartRowGroups: 1}
	if level == schema.LevelBlocks {
		opt.Format = schema.Arrow
	}
	return opt
}

// longSample returns the sample, made longer.
func longSample(t *testing.T) string {
	t.Helper()
	long := filepath.Join(t.TempDir(), "capture")
	check(t, repeat.Snapshot(sampleSnapshot(t), long, resumedBytes))
	return long
}

// The test binary exports to the directory that this names, until it is killed.
const killedExport = "TRACELAKE_TEST_KILLED_EXPORT"

// TestKilledExport is no test: it is the export that others kill.
func TestKilledExport(t *testing.T) {
	args := strings.Split(os.Getenv(killedExport), "\n")
	if len(args) < 2 {
		return
	}
	opt := resumedOptions(schema.LevelInstructions)
	if args[2] == schema.LevelBlocks.String() {
		opt = resumedOptions(schema.LevelBlocks)
	}
	opt.Resumable = true
	if len(args) > 3 {
		opt.Progress = fullFrom(t, args[3], args[1])
	}
	_, err := Export(context.Background(), args[0], args[1], opt)
	check(t, err)
}

// killedCommand is the command whose process is an export.
func killedCommand(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledExport$")
	cmd.Env = append(os.Environ(), killedExport+"="+strings.Join(args, "\n"))
	return cmd
}

// killAfter exports to dir and kills the export once so many lines are in its journal, at
// some moment after that.
func killAfter(t *testing.T, capture, dir string, level schema.Level, lines int, later time.Duration) {
	t.Helper()
	if killOnce(t, killedCommand(capture, dir, level.String()), func() bool { return len(journalLines(dir)) >= lines }, later) {
		t.Fatalf("the export ended before its journal had %d lines", lines)
	}
}

// keptFolder is the folder of an interrupted export to dir.
func keptFolder(dir string) string {
	return filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+".tracelake-resumable")
}

// journalLines returns the whole lines of the journal of an interrupted export.
func journalLines(dir string) []string {
	text, err := os.ReadFile(filepath.Join(keptFolder(dir), "journal.jsonl"))
	if err != nil {
		return nil
	}
	lines := strings.SplitAfter(string(text), "\n")
	return lines[:len(lines)-1]
}

// journalParts returns the parts in the journal of an interrupted export.
func journalParts(t *testing.T, dir string) []string {
	t.Helper()
	var parts []string
	for _, line := range journalLines(dir) {
		var x struct{ Part *schema.PartFile }
		check(t, json.Unmarshal([]byte(line), &x))
		if x.Part != nil {
			parts = append(parts, x.Part.Path)
		}
	}
	return parts
}

// age makes the finished parts of an interrupted export old, so that it shows if one is
// written again. It returns them.
func age(t *testing.T, dir string) []string {
	t.Helper()
	parts := journalParts(t, dir)
	for _, p := range parts {
		check(t, os.Chtimes(filepath.Join(keptFolder(dir), "dataset", p), longAgo, longAgo))
	}
	return parts
}

var longAgo = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)

// writtenAgain returns which of parts were written since they were made old.
func writtenAgain(t *testing.T, dir string, parts []string) []string {
	t.Helper()
	var again []string
	for _, p := range parts {
		info, err := os.Stat(filepath.Join(dir, p))
		check(t, err)
		if !info.ModTime().Equal(longAgo) {
			again = append(again, p)
		}
	}
	return again
}

// contentsOf returns the files of a dataset; of the manifest what does not depend on when
// and how it was written.
func contentsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	check(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, dir)] = string(content)
		return err
	}))
	manifest := map[string]any{}
	check(t, json.Unmarshal([]byte(files["/"+schema.ManifestFile]), &manifest))
	delete(manifest, "run")
	delete(manifest, "manifest_sha256")
	text, err := json.Marshal(manifest)
	check(t, err)
	files["/"+schema.ManifestFile] = string(text)
	return files
}

// demandSame demands that two datasets are equal, byte for byte, and that nothing is left
// beside the first.
func demandSame(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	got := contentsOf(t, dir)
	if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
		t.Errorf("files %q, want %q", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s differs", name)
		}
	}
	if _, err := os.Lstat(keptFolder(dir)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("left: %v", err)
	}
}

// An export that is killed at any moment goes on where it was: the files are those of one
// run, and finished parts are not written again.
func TestResumeKilled(t *testing.T) {
	need.FullRun(t, "processes are killed, and race with nobody")
	capture := longSample(t)
	random := rand.New(rand.NewPCG(18, 5))
	for _, level := range []schema.Level{schema.LevelInstructions, schema.LevelBlocks} {
		opt := resumedOptions(level)
		once := filepath.Join(t.TempDir(), "once")
		_, err := Export(t.Context(), capture, once, opt)
		check(t, err)
		want := contentsOf(t, once)
		lines := len(want) // one for what it is bound to, one for hashes, and one for each part
		for round := range need.Size(2, 25) {
			dir := filepath.Join(t.TempDir(), "run")
			after := 1 + random.IntN(lines-1)
			if round == 0 {
				after = 4 // parts of the table that takes longest
			}
			killAfter(t, capture, dir, level, after, time.Duration(random.IntN(2000))*time.Microsecond)
			if _, err := os.Stat(dir); err == nil {
				demandSame(t, dir, want) // it ended before it could be killed
				continue
			}
			parts := age(t, dir)
			opt.Resume = true
			_, err := Export(t.Context(), capture, dir, opt)
			check(t, err)
			demandSame(t, dir, want)
			if again := writtenAgain(t, dir, parts); len(again) > 0 || len(parts) < after-2 {
				t.Errorf("killed after line %d: of the parts %q, %q were written again", after, parts, again)
			}
		}
	}
}

// interrupt exports to dir, and interrupts that once it has decoded half and, if it is
// resumable, completed a part. It returns the error.
func interrupt(t *testing.T, capture, dir string, opt Options) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	opt.Progress = func(at Progress) {
		if 2*at.Bytes < at.Total {
			return
		}
		for (opt.Resumable || opt.Resume) && len(journalParts(t, dir)) == 0 {
			time.Sleep(time.Millisecond) // of what is decoded, another goroutine makes parts
		}
		cancel()
	}
	_, err := Export(ctx, capture, dir, opt)
	return err
}

// Whenever an export that goes on is interrupted, what was finished stays: also while files are hashed.
func TestResumeInterruptedAnywhere(t *testing.T) {
	need.FullRun(t, "as TestResumeKilled")
	capture, dir := longSample(t), filepath.Join(t.TempDir(), "run")
	begun := resumedOptions(schema.LevelInstructions)
	begun.Resumable = true
	if err := interrupt(t, capture, dir, begun); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	parts := len(journalParts(t, dir))
	opt := resumedOptions(schema.LevelInstructions)
	opt.Resume = true
	random := rand.New(rand.NewPCG(30, 4))
	for range need.Size(10, 300) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(40_000))*time.Microsecond)
		stopped, stop := context.WithCancel(t.Context())
		context.AfterFunc(ctx, stop) // as a signal does
		_, err := Export(stopped, capture, dir, opt)
		cancel()
		stop()
		if !errors.Is(err, context.Canceled) || len(journalParts(t, dir)) < parts {
			t.Fatalf("%v: of %d parts %d are kept", err, parts, len(journalParts(t, dir)))
		}
		parts = len(journalParts(t, dir))
	}
}

// A resumable export that is interrupted keeps its finished parts, says how many and where,
// and goes on; another one leaves nothing.
func TestResumeInterrupted(t *testing.T) {
	need.FullRun(t, "as TestResumeKilled")
	capture := longSample(t)
	opt := resumedOptions(schema.LevelInstructions)
	once := filepath.Join(t.TempDir(), "once")
	_, err := Export(t.Context(), capture, once, opt)
	check(t, err)

	dir := filepath.Join(t.TempDir(), "run")
	if err := interrupt(t, capture, dir, opt); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}

	opt.Resumable = true
	err = interrupt(t, capture, dir, opt)
	parts := age(t, dir)
	suspended, ok := errors.AsType[*dataset.SuspendedError](err)
	if !ok || !errors.Is(err, context.Canceled) || !strings.HasPrefix(suspended.Done, fmt.Sprintf("%d finished part", len(parts))) || suspended.Folder != keptFolder(dir) || len(parts) == 0 {
		t.Fatalf("%v: parts %q", err, parts)
	}

	// It goes on, and is interrupted once more; then it is another number of workers.
	opt.Resumable, opt.Resume = false, true
	if err := interrupt(t, capture, dir, opt); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	opt.Workers = 1
	_, err = Export(t.Context(), capture, dir, opt)
	check(t, err)
	demandSame(t, dir, contentsOf(t, once))
	if again := writtenAgain(t, dir, parts); len(again) > 0 {
		t.Errorf("written again: %q", again)
	}
	if _, err := Export(t.Context(), capture, dir, opt); err == nil || !strings.Contains(err.Error(), "exists and is not empty") {
		t.Error(err)
	}
}

// What is decoded of a source is kept when the next one begins, however few rows it has.
func TestResumeSources(t *testing.T) {
	capture := t.TempDir()
	w, err := generate.GeneratedWorkload(codegen.Options{Seed: 5, Bytes: 4000, Base: 0x8000, Arch: program.V7A})
	check(t, err)
	r := generate.Recipe{Seed: 5, Instructions: 20_000, Protocol: "pft", Minor: 1, Cores: 2, Exceptions: 3000}
	c, err := r.Capture(w)
	check(t, err)
	_, err = c.Write(t.Context(), capture)
	check(t, err)
	input, dir, once := c.Input(capture).Path, filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "once")
	opt := resumedOptions(schema.LevelInstructions)
	opt.PartRowGroups = 0
	_, err = Export(t.Context(), input, once, opt)
	check(t, err)
	d, err := dataset.Open(once)
	check(t, err)
	defer d.Close()
	first, second := d.Manifest.Sources[0].Source, d.Manifest.Sources[1].Source
	segments := schema.Segments.Part(first, 0, schema.Parquet)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	opt.Resumable = true
	opt.Progress = func(at Progress) {
		for at.Bytes > d.Manifest.Sources[0].Bytes && !slices.Contains(journalParts(t, dir), segments) {
			time.Sleep(time.Millisecond) // the parts are completed by another goroutine
		}
		if at.Bytes > d.Manifest.Sources[0].Bytes {
			cancel()
		}
	}
	if _, err := Export(ctx, input, dir, opt); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	parts := age(t, dir)
	if slices.Contains(parts, schema.Segments.Part(second, 0, schema.Parquet)) || !slices.Contains(parts, schema.Instructions.Part(first, 0, schema.Parquet)) {
		t.Errorf("kept: %q", parts)
	}
	opt.Resumable, opt.Resume, opt.Progress = false, true, nil
	_, err = Export(t.Context(), input, dir, opt)
	check(t, err)
	demandSame(t, dir, contentsOf(t, once))
	if again := writtenAgain(t, dir, parts); len(again) > 0 {
		t.Errorf("written again: %q", again)
	}
}

// An interrupted export does not go on with anything that is not as it was; what is kept
// stays.
func TestResumeRefuses(t *testing.T) {
	need.FullRun(t, "as TestResumeKilled")
	capture := longSample(t)
	trace := filepath.Join(capture, "trace.bin")
	before, err := os.Stat(trace)
	check(t, err)
	original, err := os.ReadFile(trace)
	check(t, err)
	dir := filepath.Join(t.TempDir(), "run")
	opt := resumedOptions(schema.LevelInstructions)
	opt.Resumable = true
	if err := interrupt(t, capture, dir, opt); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	parts := age(t, dir)
	opt.Resumable, opt.Resume = false, true
	rewrite := func(content []byte, at time.Time) func(*Options) {
		return func(*Options) {
			check(t, os.WriteFile(trace, content, 0o666))
			check(t, os.Chtimes(trace, at, at))
		}
	}
	other := slices.Clone(original)
	other[len(other)-1] ^= 1
	for _, tt := range []struct {
		name   string
		change func(o *Options)
		want   string
	}{
		{"level", func(o *Options) { o.Level = schema.LevelBlocks }, "--level was instructions and is blocks; "},
		{"version", func(o *Options) { o.Tool.Version = "2" }, "the version of tracelake was 1 and is 2; "},
		{"task", func(o *Options) { o.TaskNames = map[uint32]string{31: "uart"} }, "--task was nothing and is 0x1f=uart; "},
		{"program", func(o *Options) { o.Capture.Symbols = []string{filepath.Join(capture, "sample.elf")} }, "--symbols was nothing and is "},
		{"time", rewrite(original, longAgo), "time of trace.bin was "},
		{"size", rewrite(original[16:], before.ModTime()), "size of trace.bin was "},
		{"content", rewrite(other, before.ModTime()), "SHA-256 of trace.bin was "},
		{"not resumed", func(o *Options) { o.Resume = false }, "has an unfinished dataset beside it; go on with --resume, or begin anew with --overwrite"},
		{"resumable again", func(o *Options) { o.Resume, o.Resumable = false, true }, "has an unfinished dataset beside it; "},
	} {
		changed := opt
		tt.change(&changed)
		if _, err := Export(t.Context(), capture, dir, changed); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
		rewrite(original, before.ModTime())(nil)
		if got := journalParts(t, dir); !slices.Equal(got, parts) {
			t.Errorf("%s: kept are %q, were %q", tt.name, got, parts)
		}
	}
	_, err = Export(t.Context(), capture, dir, opt)
	check(t, err)
	if again := writtenAgain(t, dir, parts); len(again) > 0 {
		t.Errorf("written again: %q", again)
	}

	elsewhere := filepath.Join(t.TempDir(), "run")
	if _, err := Export(t.Context(), capture, elsewhere, opt); err == nil || !strings.Contains(err.Error(), "has no unfinished dataset beside it; begin one with --resumable") {
		t.Error(err)
	}
}

// What was killed when the dataset was in place already, with nothing but its journal beside it, is
// complete: there is nothing to go on with, and the journal goes.
func TestResumeComplete(t *testing.T) {
	capture, dir := sampleSnapshot(t), filepath.Join(t.TempDir(), "run")
	opt := resumedOptions(schema.LevelNone)
	_, err := Export(t.Context(), capture, dir, opt)
	check(t, err)
	want := contentsOf(t, dir)
	check(t, os.Mkdir(keptFolder(dir), 0o777))
	check(t, os.WriteFile(filepath.Join(keptFolder(dir), "journal.jsonl"), nil, 0o666))
	opt.Resume = true
	if _, err := Export(t.Context(), capture, dir, opt); err == nil || !strings.HasSuffix(err.Error(), " is complete; there is nothing to go on with") {
		t.Error(err)
	}
	demandSame(t, dir, want)
}

// Whatever fails for another reason than the machine leaves nothing that could be gone on
// with: an export that is overwritten begins anew, one of nothing is no export.
func TestResumeBeginsAnew(t *testing.T) {
	need.FullRun(t, "as TestResumeKilled")
	capture := longSample(t)
	dir := filepath.Join(t.TempDir(), "run")
	opt := resumedOptions(schema.LevelInstructions)
	opt.Resumable = true
	if err := interrupt(t, capture, dir, opt); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	opt.Overwrite, opt.MaxRows = true, 2_000_000
	if _, err := Export(t.Context(), capture, dir, opt); err == nil || !strings.Contains(err.Error(), "more than 2000000 rows") {
		t.Error(err)
	}
	if left, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
