package pipeline

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/generate"
	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/program"
	"github.com/tracelake/tracelake/bench/program/codegen"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/decode/decodetest/shared"
	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/pipeline/keep"
	"github.com/tracelake/tracelake/pipeline/keep/archive"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// coresCapture makes a snapshot of cores that execute one program at 0x8000, each in its own way,
// and returns the program.
func coresCapture(t *testing.T, cores int, instructions int64, codeBytes int) (dir string, code []byte) {
	t.Helper()
	w, err := generate.GeneratedWorkload(codegen.Options{Seed: 5, Bytes: codeBytes, Base: 0x8000, Arch: program.V7A})
	check(t, err)
	r := generate.Recipe{Seed: 5, Instructions: instructions, Protocol: "pft", Minor: 1, Cores: cores, Exceptions: 300}
	c, err := r.Capture(w)
	check(t, err)
	dir = t.TempDir()
	_, err = c.Write(t.Context(), dir)
	check(t, err)
	return filepath.Join(dir, generate.SnapshotFolder), w.Memory[0].Bytes
}

// patch writes a page of the program at 0x8000 with other code, and returns it as an argument.
func patch(t *testing.T, code []byte, address schema.Address) capture.Options {
	t.Helper()
	from := address - 0x8000
	page := append([]byte{}, code[from:min(int(from)+4096, len(code))]...)
	for i := 0; i < len(page); i += 4 {
		page[i] ^= 0x10 // another register, or another offset
	}
	name := filepath.Join(t.TempDir(), "page.bin")
	check(t, os.WriteFile(name, page, 0o666))
	return capture.Options{Images: []string{fmt.Sprintf("%s@%#x", name, address)}}
}

// redecodes demands that a dataset or archive is what making it with other memory would have
// made, and returns what was done for that.
func redecodes(t *testing.T, before, input string, opt Options, given capture.Options) *Redecoded {
	t.Helper()
	dir, want := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "want")
	check(t, os.CopyFS(dir, os.DirFS(before)))
	done, err := Redecode(t.Context(), dir, input, Options{Capture: given, Workers: 2, Tool: opt.Tool})
	check(t, err)
	opt.Capture = given
	_, err = Export(t.Context(), input, want, opt)
	check(t, err)
	demandEqual(t, contentsOf(t, dir), contentsOf(t, want))
	return done
}

// Whichever page of a program changes, only the sources whose decoders looked at it are decoded
// again, and all is equal to a whole export.
func TestRedecodeSources(t *testing.T) {
	t.Parallel()
	const cores = 4
	input, code := coresCapture(t, cores, 2000, 40_000)
	for _, level := range []schema.Level{schema.LevelBlocks, schema.LevelNone, schema.LevelInstructions}[:need.Size(1, 3)] {
		opt := Options{Level: level, Workers: 2, Tool: schema.Tool{Name: "test"}}
		before := filepath.Join(t.TempDir(), "before")
		was, err := Export(t.Context(), input, before, opt)
		check(t, err)
		all, some := 0, 0
		step := schema.Address(4096)
		if testing.Short() {
			step *= 3
		}
		for address := schema.Address(0x8000); address < 0x8000+schema.Address(len(code)); address += step {
			done := redecodes(t, before, input, opt, patch(t, code, address))
			segments := int64(0)
			for i := range was.Sources {
				s := &was.Sources[i]
				looked, err := keep.ParsePages(s.Pages)
				check(t, err)
				page, err := keep.ParsePages([]string{fmt.Sprintf("0x%08x-0x%08x", address, address+4095)})
				check(t, err)
				if done.Sources[i].Kept == looked.Meets(page) {
					t.Errorf("page %#x: kept %t, but looked at %s", address, done.Sources[i].Kept, s.Pages)
				}
				if !done.Sources[i].Kept {
					segments += done.Sources[i].Segments
				}
			}
			if done.Segments != segments {
				t.Errorf("page %#x: %d segments were decoded, want %d", address, done.Segments, segments)
			}
			if segments == 0 || segments == done.Totals.Segments {
				all++
			} else {
				some++
			}
		}
		if all == 0 || some == 0 {
			t.Errorf("%s: all or no sources for %d pages, some for %d", level, all, some)
		}
	}
}

// Row groups before the first look at a page that changed are not encoded again.
func TestRedecodePrefix(t *testing.T) {
	need.FullRun(t, "a long capture is decoded several times")
	input, code := coresCapture(t, 1, 2_500_000, 2_000_000)
	for _, level := range []schema.Level{schema.LevelInstructions, schema.LevelBlocks} {
		opt := Options{Level: level, Workers: 2, Tool: schema.Tool{Name: "test"}}
		before := filepath.Join(t.TempDir(), "before")
		_, err := Export(t.Context(), input, before, opt)
		check(t, err)
		page, seq := lastPage(t, before)
		done := redecodes(t, before, input, opt, patch(t, code, page))
		table := &schema.Instructions
		if level == schema.LevelBlocks {
			table = &schema.Blocks
		}
		if least := int(seq)/schema.RowGroupRows - 1; done.Copied < least || least < 1 {
			t.Errorf("page %#x is first executed at seq %d: %d row groups were as they are, want %d of %s", page, seq, done.Copied, least, table.Name)
		}
	}
}

// lastPage returns the page of code that is executed first after all others, and when.
func lastPage(t *testing.T, dir string) (page schema.Address, seq int64) {
	t.Helper()
	d, err := dataset.Open(dir)
	check(t, err)
	defer d.Close()
	first := map[schema.Address]int64{}
	for b, err := range d.Batches(&schema.Counts) {
		check(t, err)
		for row := range b.Rows() {
			at, n := schema.CountsAddress.At(b, row)&^4095, int64(schema.CountsFirstSeq.At(b, row))
			if was, ok := first[at]; !ok || n < was {
				first[at] = n
			}
		}
	}
	for at, n := range first {
		if n > seq {
			page, seq = at, n
		}
	}
	return page, seq
}

// An archive has the program that there was: of a file in place of another, only pages that differ
// are changed.
func TestRedecodeChangedPage(t *testing.T) {
	t.Parallel()
	input, code := coresCapture(t, 2, 2000, 40_000)
	whole := func(change int) capture.Options {
		name := filepath.Join(t.TempDir(), "program.bin")
		other := append([]byte{}, code...)
		other[change] ^= 0x10
		check(t, os.WriteFile(name, other, 0o666))
		return capture.Options{Images: []string{name + "@0x8000"}}
	}
	const far = 0x1000 // neither core comes there
	for _, tt := range []struct {
		name   string
		change int
		kept   bool
	}{{"not looked at", far + 4, true}, {"looked at", 0x20, false}} {
		before := archiveOf(t, input, whole(far), archive.CreateOptions{})
		given := whole(tt.change)
		want := archivedFiles(t, archiveOf(t, input, given, archive.CreateOptions{}))
		done, err := Redecode(t.Context(), before, "", Options{Capture: given, Workers: 2, Tool: schema.Tool{Name: "test"}})
		check(t, err)
		demandEqual(t, archivedFiles(t, before), want)
		for i := range done.Sources {
			if done.Sources[i].Kept != tt.kept {
				t.Errorf("%s: source %d: kept %t; it looked at %s", tt.name, i, done.Sources[i].Kept, done.Sources[i].Pages)
			}
		}
	}
}

// Memory that no trace comes to changes nothing but what says that it is there: call trees, names
// and what was executed in a program file are as they were.
func TestRedecodeNothing(t *testing.T) {
	raw, options := rawSample(t)
	elsewhere := filepath.Join(t.TempDir(), "data.bin")
	check(t, os.WriteFile(elsewhere, make([]byte, 5000), 0o666))
	with := options
	with.Images = []string{elsewhere + "@0x70000000"}
	dir := archiveOf(t, raw, options, archive.CreateOptions{})
	want := archivedFiles(t, archiveOf(t, raw, with, archive.CreateOptions{}))
	done, err := Redecode(t.Context(), dir, "", Options{Capture: capture.Options{Images: with.Images}, Workers: 2, Tool: schema.Tool{Name: "test"}})
	check(t, err)
	demandEqual(t, archivedFiles(t, dir), want)
	if !done.Sources[0].Kept || done.Segments != 0 {
		t.Errorf("%d segments were decoded", done.Segments)
	}
}

// Of another build of a program, only pages that differ are changed, if its functions are the same.
func TestRedecodeBuild(t *testing.T) {
	t.Parallel()
	input := shared.File(t, "captures/am243x-r5f-etmv3-freertos-002b37c")
	program, err := os.ReadFile(filepath.Join(input, "freertos.elf"))
	check(t, err)
	build := func(change uint64) capture.Options {
		name := filepath.Join(t.TempDir(), "freertos.elf")
		other := slices.Clone(program)
		other[change] ^= 0x10
		check(t, os.WriteFile(name, other, 0o666))
		return capture.Options{ELFs: []string{name}}
	}
	f, err := elf.NewFile(bytes.NewReader(program))
	check(t, err)
	before := archiveOf(t, input, capture.Options{ELFs: []string{filepath.Join(input, "freertos.elf")}}, archive.CreateOptions{})
	d, err := dataset.Open(before)
	check(t, err)
	defer d.Close()
	looked, err := keep.ParsePages(d.Manifest.Sources[0].Pages)
	check(t, err)
	in, out := loadedPage(f, looked, true), loadedPage(f, looked, false)
	for _, tt := range []struct {
		name   string
		change uint64
		kept   bool
	}{{"another page", out, true}, {"a page of it", in, false}} {
		given := build(tt.change)
		dir := filepath.Join(t.TempDir(), "run.tla")
		check(t, os.CopyFS(dir, os.DirFS(before)))
		want := archivedFiles(t, archiveOf(t, input, given, archive.CreateOptions{}))
		done, err := Redecode(t.Context(), dir, "", Options{Capture: given, Workers: 2, Tool: schema.Tool{Name: "test"}})
		check(t, err)
		demandEqual(t, archivedFiles(t, dir), want)
		if done.Sources[0].Kept != tt.kept {
			t.Errorf("%s: %d segments were decoded", tt.name, done.Segments)
		}
	}
}

// loadedPage returns where in a program file a page begins that is loaded, and looked at or not.
func loadedPage(f *elf.File, looked *image.Pages, at bool) uint64 {
	for _, p := range f.Progs {
		for offset := uint64(0); p.Type == elf.PT_LOAD && offset < p.Filesz; offset += 4096 {
			page := &image.Pages{}
			page.Add(schema.Address(p.Paddr+offset), schema.Address(p.Paddr+offset))
			if looked.Meets(page) == at {
				return p.Off + offset
			}
		}
	}
	return 0
}

// What was damaged since is not taken over, but made again.
func TestRedecodeDamaged(t *testing.T) {
	input, code := coresCapture(t, 2, 2000, 40_000)
	opt := Options{Level: schema.LevelInstructions, Workers: 2, Tool: schema.Tool{Name: "test"}}
	before := filepath.Join(t.TempDir(), "before")
	was, err := Export(t.Context(), input, before, opt)
	check(t, err)
	const unseen = 0x9000 // neither core comes there
	if done := redecodes(t, before, input, opt, patch(t, code, unseen)); done.Segments != 0 {
		t.Errorf("%d segments were decoded of a whole dataset", done.Segments)
	}
	for _, table := range []*schema.Table{&schema.Counts, &schema.Instructions} {
		dir := filepath.Join(t.TempDir(), "damaged")
		check(t, os.CopyFS(dir, os.DirFS(before)))
		name := filepath.Join(dir, table.Part(was.Sources[0].Source, 0, schema.Parquet))
		part, err := os.ReadFile(name)
		check(t, err)
		part[len(part)/2] ^= 1
		check(t, os.WriteFile(name, part, 0o666))
		if done := redecodes(t, dir, input, opt, patch(t, code, unseen)); done.Segments != was.Sources[0].Segments {
			t.Errorf("%s: %d segments were decoded, want %d", table.Name, done.Segments, was.Sources[0].Segments)
		}
	}
}
