package pipeline

import (
	"bytes"
	"debug/elf"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/pipeline/keep/archive"
	"github.com/tracelake/tracelake/pipeline/window"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// wrongProgram writes the program of the sample with other code in it: what an older build is.
func wrongProgram(t *testing.T) string {
	t.Helper()
	program := slices.Clone(sample.Program())
	f, err := elf.NewFile(bytes.NewReader(program))
	check(t, err)
	text := f.Section(".text")
	for i := range text.Size / 4 {
		program[text.Offset+i] ^= 0x10
	}
	name := filepath.Join(t.TempDir(), "program.elf")
	check(t, os.WriteFile(name, program, 0o666))
	return name
}

// With the right program in place of a wrong one, a dataset is what an export with it
// writes, byte for byte.
func TestRedecode(t *testing.T) {
	need.FullRun(t, "captures are packed, and decoded several times")
	raw, options := rawSample(t)
	wrong := options
	wrong.ELFs = []string{wrongProgram(t)}
	for _, tt := range []struct {
		name   string
		change func(*Options)
	}{
		{"blocks with all tables", func(o *Options) { o.Level, o.Tables = schema.LevelBlocks, schema.Tables() }},
		{"names and clocks", func(o *Options) {
			o.TaskNames, o.TimestampHz, o.CycleHz, o.Labels = map[uint32]string{0x11: "sorter"}, 5, 7, map[string]string{"build": "7"}
		}},
		{"instructions", func(*Options) {}},
		{"none in arrow", func(o *Options) { o.Level, o.Format, o.Codec = schema.LevelNone, schema.Arrow, "zstd" }},
	}[:need.Size(2, 4)] {
		t.Run(tt.name, func(t *testing.T) {
			opt := Options{Level: schema.LevelInstructions, Workers: 2, Tool: schema.Tool{Name: "test"}}
			tt.change(&opt)
			export := func(name string, c capture.Options) string {
				dir := filepath.Join(t.TempDir(), name)
				opt.Capture = c
				_, err := Export(t.Context(), raw, dir, opt)
				check(t, err)
				return dir
			}
			dir, want := export("run", wrong), contentsOf(t, export("want", options))
			before := contentsOf(t, dir)
			done, err := Redecode(t.Context(), dir, raw, Options{Capture: capture.Options{ELFs: options.ELFs}, Workers: 2, Tool: opt.Tool})
			check(t, err)
			if done.Before == done.Totals {
				t.Errorf("nothing changed: %+v", done.Before)
			}
			demandEqual(t, contentsOf(t, dir), want)
			if maps.Equal(before, want) {
				t.Error("the programs make no difference")
			}
		})
	}
}

// demandEqual demands that files are equal, by name.
func demandEqual(t *testing.T, got, want map[string]string) {
	t.Helper()
	if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
		t.Errorf("files %q, want %q", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s differs", name)
		}
	}
}

// archivedFiles returns the files of an archive, with those of its dataset as contentsOf does.
func archivedFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	check(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, dir+"/")] = string(content)
		return err
	}))
	for name, content := range contentsOf(t, filepath.Join(dir, "dataset")) {
		files["dataset"+name] = content
	}
	lines := strings.SplitAfter(files[archive.SumsFile], "\n")
	files[archive.SumsFile] = strings.Join(slices.DeleteFunc(lines, func(l string) bool { return strings.HasSuffix(l, "dataset/manifest.json\n") }), "")
	return files
}

// A program that comes late makes an archive what it would have been; trace that is packed
// stays where it is on disk.
func TestRedecodeArchive(t *testing.T) {
	need.FullRun(t, "captures are packed, and decoded several times")
	raw, options := rawSample(t)
	snapshot := sampleSnapshot(t)
	without, wrong := options, options
	without.ELFs, wrong.ELFs = nil, []string{wrongProgram(t)}
	store := filepath.Join(t.TempDir(), "store")
	for _, tt := range []struct {
		name          string
		input         string
		before, after capture.Options
		create        archive.CreateOptions
		capture       string // "": in the archive
	}{
		{"late", raw, without, options, archive.CreateOptions{}, ""},
		{"shared images", raw, wrong, options, archive.CreateOptions{Images: store}, ""},
		{"snapshot", snapshot, capture.Options{}, capture.Options{Symbols: options.ELFs}, archive.CreateOptions{}, ""},
		{"wrong", raw, wrong, options, archive.CreateOptions{}, ""},
		{"with the capture at hand", raw, wrong, options, archive.CreateOptions{}, raw},
	}[:need.Size(3, 5)] {
		t.Run(tt.name, func(t *testing.T) {
			dir := archiveOf(t, tt.input, tt.before, tt.create)
			want := archivedFiles(t, archiveOf(t, tt.input, tt.after, tt.create))
			packed, err := filepath.Glob(filepath.Join(dir, "capture", "*.zst"))
			check(t, err)
			then, err := os.Stat(packed[0])
			check(t, err)
			given := capture.Options{ELFs: tt.after.ELFs, Symbols: tt.after.Symbols}
			again := func() error {
				_, err := Redecode(t.Context(), dir, tt.capture, Options{Capture: given, Workers: 2, Tool: schema.Tool{Name: "test"}})
				return err
			}
			if given.ImageStore = tt.create.Images; given.ImageStore != "" { // which the archive alone does not decide
				given.ImageStore = ""
				if err := again(); err == nil || !strings.Contains(err.Error(), "outside the archive") {
					t.Errorf("without a place for images: %v", err)
				}
				given.ImageStore = tt.create.Images
			}
			check(t, again())
			demandEqual(t, archivedFiles(t, dir), want)
			if now, err := os.Stat(packed[0]); err != nil || !os.SameFile(now, then) {
				t.Errorf("the trace was packed again: %v", err)
			}
			r, err := archive.Check(t.Context(), dir, tt.create.Images, nil)
			if err != nil || len(r.Problems) > 0 {
				t.Errorf("%v, %+v", err, r)
			}
		})
	}
}

// A dataset is not decoded again of anything but its capture; then it stays as it is.
func TestRedecodeRefuses(t *testing.T) {
	raw, options := rawSample(t)
	options.Symbols = options.ELFs
	dir := filepath.Join(t.TempDir(), "run")
	_, err := Export(t.Context(), raw, dir, Options{Capture: options, Level: schema.LevelNone, Workers: 2})
	check(t, err)
	trace, err := os.ReadFile(raw)
	check(t, err)
	other := filepath.Join(t.TempDir(), filepath.Base(raw))
	trace[len(trace)/2] ^= 1
	check(t, os.WriteFile(other, trace, 0o666))
	earlier := filepath.Join(t.TempDir(), "earlier")
	check(t, os.CopyFS(earlier, os.DirFS("../schema/testdata/version2")))
	part := filepath.Join(t.TempDir(), "part")
	_, err = Export(t.Context(), raw, part, Options{Capture: options, Level: schema.LevelNone, Workers: 2, Window: &Window{Span: spanOf(window.ByOffset, 0x4000, 0x8005)}})
	check(t, err)
	before := contentsOf(t, dir)
	for _, tt := range []struct {
		name, dir, input string
		given            capture.Options
		want             string
	}{
		{"another capture", dir, other, options, "is not the capture that was decoded: the SHA-256 of trace.bin is "},
		{"no capture", dir, "", options, "holds no capture; give the one that it is of with --capture"},
		{"names are missing", dir, raw, capture.Options{ELFs: options.ELFs}, "was decoded with --symbols program.elf of SHA-256 "},
		{"an older dataset", earlier, raw, options, "made by an older tracelake; export it again"},
		{"a window", part, raw, options, "is a window of its capture; export the window again"},
		{"no dataset", filepath.Dir(raw), raw, options, "not a dataset"},
		{"nothing decoded", dir, raw, capture.Options{ELFs: []string{raw}, Symbols: options.ELFs}, ""},
	} {
		_, err := Redecode(t.Context(), tt.dir, tt.input, Options{Capture: capture.Options{ELFs: tt.given.ELFs, Symbols: tt.given.Symbols}, Workers: 1})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
	demandEqual(t, contentsOf(t, dir), before)
	if r, err := dataset.Check(t.Context(), dir, nil); err != nil || len(r.Problems) > 0 {
		t.Errorf("%v, %+v", err, r)
	}
}

// Of silicon, too: half of the memory that ran comes later.
func TestRedecodeSilicon(t *testing.T) {
	from := shared.File(t, "captures/opencsd-TC2")
	half := filepath.Join(t.TempDir(), "half")
	check(t, os.CopyFS(half, os.DirFS(from)))
	const name, first, bytes = "kernel_dump.bin", 0xC0008000, 0x50000
	memory, err := os.ReadFile(filepath.Join(from, name))
	check(t, err)
	rewrite := func(path string, content []byte) {
		check(t, os.Remove(path))
		check(t, os.WriteFile(path, content, 0o666))
	}
	rewrite(filepath.Join(half, name), memory[:bytes/2])
	inis, err := filepath.Glob(filepath.Join(half, "cpu_*.ini"))
	check(t, err)
	for _, ini := range inis {
		text, err := os.ReadFile(ini)
		check(t, err)
		rewrite(ini, []byte(strings.ReplaceAll(string(text), "length=0x00050000", "length=0x00028000")))
	}
	late := filepath.Join(t.TempDir(), "late.bin")
	check(t, os.WriteFile(late, memory[bytes/2:], 0o666))
	given := capture.Options{Images: []string{fmt.Sprintf("%s@%#x", late, first+bytes/2)}}
	for _, level := range []schema.Level{schema.LevelInstructions, schema.LevelNone} {
		opt := Options{Level: level, Workers: 2, Tool: schema.Tool{Name: "test"}, Sources: []uint8{0x13}}
		dir, want := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "want")
		_, err := Export(t.Context(), half, dir, opt)
		check(t, err)
		opt.Capture = given
		whole, err := Export(t.Context(), half, want, opt)
		check(t, err)
		done, err := Redecode(t.Context(), dir, half, Options{Capture: given, Workers: 1, Tool: opt.Tool})
		check(t, err)
		demandEqual(t, contentsOf(t, dir), contentsOf(t, want))
		if done.Totals != whole.Totals || done.Before.Instructions >= done.Totals.Instructions || done.Before.Instructions == 0 {
			t.Errorf("%+v, before %+v, want %+v", done.Totals, done.Before, whole.Totals)
		}
	}
}
