package pipeline

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline/keep"
	"github.com/tracelake/tracelake/pipeline/keep/archive"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// archiveOptions are those of an archive of a capture, as the tests make it.
func archiveOptions(c capture.Options, create archive.CreateOptions) keep.ArchiveOptions {
	create.Level = "fastest"
	return keep.ArchiveOptions{Export: Options{Capture: c, Workers: 2, Tool: schema.Tool{Name: "test"}}, CreateOptions: create}
}

// archiveOf archives a capture.
func archiveOf(t testing.TB, input string, c capture.Options, create archive.CreateOptions) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run.tla")
	_, err := Archive(t.Context(), input, dir, archiveOptions(c, create))
	check(t, err)
	return dir
}

// exportTo exports a capture with all tables.
func exportTo(t testing.TB, input string, c capture.Options) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	_, err := Export(t.Context(), input, dir, Options{Capture: c, Level: schema.LevelBlocks, Tables: schema.Tables(), Workers: 2, Tool: schema.Tool{Name: "test"}})
	check(t, err)
	return dir
}

// rawSample writes trace and program of the sample as files of their own, and returns
// how to open them.
func rawSample(t testing.TB) (input string, opt capture.Options) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "capture")
	check(t, sample.Extract(dir))
	snapshot, err := capture.Open(dir, Protocols(), capture.Options{})
	check(t, err)
	defer snapshot.Close()
	source := snapshot.Sources[0]
	opt = capture.Options{Protocol: source.Protocol, Framed: snapshot.Buffers[0].Format == capture.CoreSight}
	for _, name := range []string{"ETMCR", "ETMIDR"} {
		if v, ok := source.Registers.Lookup(name); ok {
			opt.Regs = append(opt.Regs, name+"="+fmt.Sprintf("%#x", v))
		}
	}
	elf := filepath.Join(t.TempDir(), "program.elf")
	check(t, os.WriteFile(elf, sample.Program(), 0o666))
	opt.ELFs = []string{elf}
	return filepath.Join(dir, snapshot.Buffers[0].Files[0]), opt
}

// sameFiles demands that two datasets have the same parts.
func sameFiles(t testing.TB, got, want string) {
	t.Helper()
	a, err := dataset.Open(got)
	check(t, err)
	defer a.Close()
	b, err := dataset.Open(want)
	check(t, err)
	defer b.Close()
	for name, files := range b.Manifest.Tables {
		if !slices.Equal(a.Manifest.Tables[name].Parts, files.Parts) {
			t.Errorf("%s: parts %+v, want %+v", name, a.Manifest.Tables[name].Parts, files.Parts)
		}
	}
	if len(a.Manifest.Tables) != len(b.Manifest.Tables) {
		t.Errorf("%d tables, want %d", len(a.Manifest.Tables), len(b.Manifest.Tables))
	}
}

// An export of an archive has the bytes of an export of the capture, with and without
// images in the archive, and where archives share them.
func TestExportArchive(t *testing.T) {
	need.FullRun(t, "captures are packed, and decoded several times")
	raw, options := rawSample(t)
	store := filepath.Join(t.TempDir(), "images")
	for _, tt := range []struct {
		name   string
		input  string
		opt    capture.Options
		create archive.CreateOptions
		again  []string // programs to give again
	}{
		{"snapshot", sampleSnapshot(t), capture.Options{}, archive.CreateOptions{}, nil},
		{"raw", raw, options, archive.CreateOptions{}, nil},
		{"raw, images in a store", raw, options, archive.CreateOptions{Images: store}, nil},
		{"raw, without images", raw, options, archive.CreateOptions{NoImages: true}, options.ELFs},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := archiveOf(t, tt.input, tt.opt, tt.create)
			r, err := archive.Check(t.Context(), dir, tt.create.Images, nil)
			check(t, err)
			if len(r.Problems) > 0 || r.Rows == 0 {
				t.Errorf("problems %v, %d rows", r.Problems, r.Rows)
			}
			again := capture.Options{ELFs: tt.again, ImageStore: tt.create.Images}
			sameFiles(t, exportTo(t, dir, again), exportTo(t, tt.input, tt.opt))
			if images, err := os.ReadDir(filepath.Join(dir, "images")); (len(images) > 0) != (tt.create == archive.CreateOptions{}) {
				t.Errorf("%d images in the archive (%v)", len(images), err)
			}
		})
	}
}

// A store may be elsewhere than the archive says.
func TestArchiveStoreMoved(t *testing.T) {
	need.FullRun(t, "captures are packed, and decoded several times")
	raw, options := rawSample(t)
	store, moved := filepath.Join(t.TempDir(), "images"), filepath.Join(t.TempDir(), "kept")
	dir := archiveOf(t, raw, options, archive.CreateOptions{Images: store})
	check(t, os.Rename(store, moved))
	if _, err := archive.Check(t.Context(), dir, "", nil); err == nil || !strings.Contains(err.Error(), "with --images DIR") {
		t.Errorf("it was looked for where the archive says: %v", err)
	}
	r, err := archive.Check(t.Context(), dir, t.TempDir(), nil)
	check(t, err)
	if len(r.Problems) > 0 || len(r.Unchecked) != 1 {
		t.Errorf("problems %v, unchecked %q", r.Problems, r.Unchecked)
	}
	r, err = archive.Check(t.Context(), dir, moved, nil)
	check(t, err)
	if len(r.Problems) > 0 || len(r.Unchecked) > 0 {
		t.Errorf("problems %v, unchecked %q", r.Problems, r.Unchecked)
	}
	sameFiles(t, exportTo(t, dir, capture.Options{ImageStore: moved}), exportTo(t, raw, options))
	again, err := Verify(t.Context(), dir, raw, keep.VerifyOptions{Workers: 1, Capture: capture.Options{ImageStore: moved}})
	check(t, err)
	if !again.Equal() {
		t.Errorf("%+v", again)
	}
	if _, err := Export(t.Context(), raw, t.TempDir(), Options{Capture: capture.Options{ImageStore: moved}, Workers: 1}); !errors.Is(err, capture.ErrUsage) {
		t.Errorf("a capture that is no archive: %v", err)
	}
	if _, err := Export(t.Context(), dir, t.TempDir(), Options{Capture: capture.Options{ImageStore: store}, Workers: 1}); err == nil || !strings.Contains(err.Error(), "directory of images") {
		t.Errorf("a directory that is not there: %v", err)
	}
}

// The trace in an archive is the capture's for any program that unpacks zstd, and the
// dataset has no table that grows with the capture.
func TestArchiveContents(t *testing.T) {
	input := sampleSnapshot(t)
	dir := archiveOf(t, input, capture.Options{}, archive.CreateOptions{})
	packed, err := os.Open(filepath.Join(dir, "capture", "trace.bin.zst"))
	check(t, err)
	defer packed.Close()
	z, err := zstd.NewReader(packed)
	check(t, err)
	defer z.Close()
	got, err := io.ReadAll(z)
	check(t, err)
	want, err := os.ReadFile(filepath.Join(input, "trace.bin"))
	check(t, err)
	if !bytes.Equal(got, want) {
		t.Errorf("%d bytes, want those %d of the capture", len(got), len(want))
	}
	d, err := dataset.Open(dir)
	check(t, err)
	defer d.Close()
	for _, table := range schema.Tables() {
		if d.Has(table) == slices.Contains(keep.LargeTables(), table) {
			t.Errorf("has %s: %v", table.Name, d.Has(table))
		}
	}
	m, err := report.Read([]string{dir}, report.Options{})
	check(t, err)
	if m == nil {
		t.Error("no report")
	}
}

// A capture without a program is archived; its packets can be listed, and it is decoded
// once the program is there.
func TestArchiveWithoutProgram(t *testing.T) {
	need.FullRun(t, "captures are packed, and decoded several times")
	input, opt := rawSample(t)
	elf := opt.ELFs
	opt.ELFs = nil
	dir := archiveOf(t, input, opt, archive.CreateOptions{})
	packets := 0
	check(t, Packets(t.Context(), dir, PacketOptions{To: -1}, func(PacketLine) error { packets++; return nil }))
	if packets < 100 {
		t.Errorf("%d packets", packets)
	}
	d, err := dataset.Open(dir)
	check(t, err)
	defer d.Close()
	for table, want := range map[*schema.Table]int64{&schema.Exceptions: 176, &schema.Contexts: 54, &schema.Sources: 1, &schema.Losses: 1, &schema.Segments: 57, &schema.Counts: 0} {
		if d.Rows(table) != want {
			t.Errorf("%d rows of %s, want %d", d.Rows(table), table.Name, want)
		}
	}
	opt.ELFs = elf
	sameFiles(t, exportTo(t, dir, capture.Options{ELFs: elf}), exportTo(t, input, opt))
}

// An archive that fails leaves nothing, and what it was to replace as it was; one
// replaces archives only.
func TestArchiveReplaces(t *testing.T) {
	need.FullRun(t, "captures are packed, and decoded several times")
	input := sampleSnapshot(t)
	dir := archiveOf(t, input, capture.Options{}, archive.CreateOptions{})
	again := func(dir string, overwrite bool) error {
		_, err := Archive(t.Context(), input, dir, archiveOptions(capture.Options{}, archive.CreateOptions{Overwrite: overwrite}))
		return err
	}
	if _, ok := errors.AsType[*dataset.ExistsError](again(dir, false)); !ok {
		t.Error("an archive is replaced without being asked for")
	}
	check(t, again(dir, true))
	check(t, os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o666))
	if _, ok := errors.AsType[*dataset.ExistsError](again(dir, true)); !ok {
		t.Error("a directory with a file of the user is replaced")
	}
	failing := filepath.Join(t.TempDir(), "none.tla")
	if _, err := Archive(t.Context(), filepath.Join(input, "trace.bin"), failing, archiveOptions(capture.Options{Protocol: "pft", Regs: []string{"NONE=1"}}, archive.CreateOptions{})); err == nil {
		t.Error("a wrong register is taken")
	}
	if left, err := os.ReadDir(filepath.Dir(failing)); err != nil || len(left) > 0 {
		t.Errorf("%v is left (%v)", left, err)
	}
	if _, err := Archive(t.Context(), dir, failing, archiveOptions(capture.Options{}, archive.CreateOptions{})); err == nil {
		t.Error("an archive is archived")
	}
}

// An index that says what cannot be is refused, and leads out of the archive to no file.
func TestArchiveHostile(t *testing.T) {
	need.FullRun(t, "captures are packed, and decoded several times")
	dir := archiveOf(t, sampleSnapshot(t), capture.Options{}, archive.CreateOptions{})
	index := filepath.Join(dir, schema.ArchiveFile)
	good, err := os.ReadFile(index)
	check(t, err)
	check(t, os.WriteFile(filepath.Join(dir, "capture", "plain.zst"), []byte("plain"), 0o666))
	check(t, os.Symlink("..", filepath.Join(dir, "link")))
	for _, tt := range []struct {
		name   string
		change func(ix *archive.Index)
		want   string
	}{
		{"a newer version", func(ix *archive.Index) { ix.Version = 3 }, "use a newer tracelake"},
		{"no version", func(ix *archive.Index) { ix.Version = 0 }, "no archive_version"},
		{"a path outside", func(ix *archive.Index) { ix.Files[0].Path = "capture/../../secret" }, "not in the archive"},
		{"an absolute path", func(ix *archive.Index) { ix.Files[0].Path = "/etc/passwd" }, "not in the archive"},
		{"another folder", func(ix *archive.Index) { ix.Files[0].Path = "dataset/manifest.json" }, "not in the archive"},
		{"images outside", func(ix *archive.Index) { ix.Images = "../images" }, "outside the archive"},
		{"images outside, somehow", func(ix *archive.Index) { ix.Images = "capture/../../images" }, "outside the archive"},
		{"images behind a link", func(ix *archive.Index) { ix.Images = "link" }, "cannot be opened"},
		{"absolute images", func(ix *archive.Index) { ix.Images = "/" }, "not relative"},
		{"no begin", func(ix *archive.Index) { ix.Begin = "none.ini" }, "to begin with"},
		{"no hash", func(ix *archive.Index) { ix.Files[0].SHA256 = "../x" }, "has no hash"},
		{"an unknown kind", func(ix *archive.Index) { ix.Files[0].Kind = "device" }, "unknown kind"},
		{"another hash", func(ix *archive.Index) { ix.Files[0].SHA256 = strings.Repeat("0", 64) }, "is not as it was archived"},
		{"a wrong size", func(ix *archive.Index) { changeTrace(ix, func(f *archive.File) { f.Bytes++ }) }, "holds"},
		{"a file that is not there", func(ix *archive.Index) { changeTrace(ix, func(f *archive.File) { f.Path = "capture/none.zst" }) }, "is missing"},
		{"not packed", func(ix *archive.Index) { changeTrace(ix, func(f *archive.File) { f.Path = "capture/plain.zst" }) }, "seek table"},
		{"too many files", func(ix *archive.Index) { ix.Files = append(ix.Files, make([]archive.File, 1<<16)...) }, "65536 at most"},
		{"one file twice", func(ix *archive.Index) {
			changeTrace(ix, func(f *archive.File) {
				ix.Files = append(ix.Files, archive.File{Name: "more", Kind: f.Kind, SHA256: f.SHA256, Bytes: f.Bytes, Path: f.Path, Packed: true})
			})
		}, "twice"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var ix archive.Index
			check(t, json.Unmarshal(good, &ix))
			tt.change(&ix)
			text, err := json.Marshal(ix)
			check(t, err)
			check(t, os.WriteFile(index, text, 0o666))
			_, err = Export(t.Context(), dir, filepath.Join(t.TempDir(), "run"), Options{Level: schema.LevelNone, Workers: 1})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
	check(t, os.WriteFile(index, good, 0o666))
	trace := filepath.Join(dir, "capture", "trace.bin.zst")
	check(t, errors.Join(os.Rename(trace, trace+".moved"), os.Symlink(trace+".moved", trace)))
	if _, err := Export(t.Context(), dir, filepath.Join(t.TempDir(), "run"), Options{Level: schema.LevelNone, Workers: 1}); err == nil || !strings.Contains(err.Error(), "link") {
		t.Errorf("a link: %v", err)
	}
}

// A damaged table has one problem and one remedy, whoever finds it.
func TestArchiveTableDamaged(t *testing.T) {
	input, opt := rawSample(t)
	dir := archiveOf(t, input, opt, archive.CreateOptions{})
	tables, err := filepath.Glob(filepath.Join(dir, "dataset", "counts", "*.parquet"))
	if err != nil || len(tables) != 1 {
		t.Fatalf("%q: %v", tables, err)
	}
	text, err := os.ReadFile(tables[0])
	check(t, err)
	copy(text[len(text)/4:], make([]byte, len(text)/2))
	check(t, os.WriteFile(tables[0], text, 0o600))
	const remedy = "; take another copy of the archive"
	report, err := archive.Check(t.Context(), dir, "", nil)
	check(t, err)
	if len(report.Problems) != 1 || !strings.HasSuffix(report.Problems[0].Error(), remedy) {
		t.Errorf("verify: %v, want 1 problem%s", report.Problems, remedy)
	}
	d, err := dataset.Open(dir)
	check(t, err)
	defer d.Close()
	for _, err = range d.Batches(&schema.Counts) {
		if err != nil {
			break
		}
	}
	if err == nil || !strings.HasSuffix(err.Error(), remedy) {
		t.Errorf("read: %v, want %s", err, remedy)
	}
}

// Checking an archive of many small files takes memory, and so time, for what they hold.
func TestArchiveManyFiles(t *testing.T) {
	input, opt := rawSample(t)
	dir := archiveOf(t, input, opt, archive.CreateOptions{})
	index, sums := filepath.Join(dir, schema.ArchiveFile), filepath.Join(dir, archive.SumsFile)
	text, err := os.ReadFile(index)
	check(t, err)
	list, err := os.ReadFile(sums)
	check(t, err)
	var ix archive.Index
	check(t, json.Unmarshal(text, &ix))
	files := need.Size(1000, 60_000)
	for i := range files {
		name := fmt.Sprintf("capture/more%d.ini", i)
		sum := fmt.Sprintf("%x", sha256.Sum256([]byte(name)))
		check(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600))
		ix.Files = append(ix.Files, archive.File{Name: name, Kind: "ini", Bytes: int64(len(name)), SHA256: sum, Path: name})
		list = fmt.Appendf(list, "%s  %s\n", sum, name)
	}
	more, err := json.Marshal(&ix)
	check(t, err)
	check(t, os.WriteFile(index, more, 0o600))
	list = bytes.Replace(list, fmt.Appendf(nil, "%x", sha256.Sum256(text)), fmt.Appendf(nil, "%x", sha256.Sum256(more)), 1)
	check(t, os.WriteFile(sums, list, 0o600))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	report, err := archive.Check(t.Context(), dir, "", nil)
	runtime.ReadMemStats(&after)
	check(t, err)
	if len(report.Problems) > 0 || report.Files < files {
		t.Errorf("%d files, %v", report.Files, report.Problems)
	}
	need.FullRun(t, "the race detector drops buffers of pools, which this counts")
	if each := (after.TotalAlloc - before.TotalAlloc) / uint64(files); each > 64<<10 {
		t.Errorf("%d bytes for each of %d files", each, files)
	}
}

// changeTrace changes the file of trace data.
func changeTrace(ix *archive.Index, change func(*archive.File)) {
	for i := range ix.Files {
		if ix.Files[i].Packed {
			change(&ix.Files[i])
		}
	}
}

// A capture that could not be opened from its archive is not archived.
func TestArchiveOpensAgain(t *testing.T) {
	need.FullRun(t, "captures are packed, and decoded several times")
	input := filepath.Join(t.TempDir(), "snapshot")
	check(t, sample.Extract(input))
	name := filepath.Join(input, "trace.ini")
	text, err := os.ReadFile(name)
	check(t, err)
	check(t, os.WriteFile(name, bytes.Replace(text, []byte("trace.bin"), []byte("../snapshot/trace.bin"), 1), 0o666))
	dir := filepath.Join(t.TempDir(), "run.tla")
	_, err = Archive(t.Context(), input, dir, archiveOptions(capture.Options{}, archive.CreateOptions{}))
	if err == nil || !strings.Contains(err.Error(), "cannot be opened from its archive") {
		t.Errorf("%v", err)
	}
	if left, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(left) > 0 {
		t.Errorf("%v is left (%v)", left, err)
	}
}
