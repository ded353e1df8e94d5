package dataset_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/internal/small"
)

// What is wrong with the tables that sum up what ran, and name it, is found.
func TestCheckAnswers(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*small.Dataset)
		want   []string
	}{
		{"nothing", func(*small.Dataset) {}, nil},
		{"no program", func(w *small.Dataset) {
			for _, table := range []*schema.Table{&schema.Functions, &schema.Lines, &schema.Symbols} {
				delete(w.Rows, small.Series{Table: table})
			}
			for i := range w.Rows[small.Series{Table: &schema.Code}] {
				w.Set(&schema.Code, 0, i, "function=-")
			}
		}, nil},
		{"count missing", func(w *small.Dataset) { w.Delete(&schema.Counts, 0x11, 4, 5) }, []string{
			"counts: has 4 instructions of source 0x11, the manifest says 5",
		}},
		{"counts of a source", func(w *small.Dataset) { w.Delete(&schema.Counts, 0x10, 0, 5) }, []string{"counts: has 0 instructions of source 0x10, the manifest says 5"}},
		{"negative", func(w *small.Dataset) {
			w.Set(&schema.Counts, 0x10, 0, "executed=2 unknown=-1")
		}, []string{"counts: says of source 0x10 that (address=32768 isa=a32) executed 2, failed 0 and unknown -1 times, 0 of them timed"}},
		{"timed", func(w *small.Dataset) { w.Set(&schema.Counts, 0x10, 1, "timed=2") }, []string{
			"counts: says of source 0x10 that (address=32772 isa=a32) executed 0, failed 1 and unknown 0 times, 2 of them timed",
		}},
		{"never", func(w *small.Dataset) {
			w.Set(&schema.Counts, 0x10, 0, "executed=0")
			w.Set(&schema.Counts, 0x10, 3, "executed=2")
		}, []string{"counts: says of source 0x10 that (address=32768 isa=a32) executed 0, failed 0 and unknown 0 times, 0 of them timed"}},
		{"first", func(w *small.Dataset) { w.Set(&schema.Counts, 0x10, 4, "first_seq=5") }, []string{
			"counts: says of source 0x10 that (address=36868 isa=a32) was executed first as instruction 5 of 5",
		}},
		{"epochs in disorder", func(w *small.Dataset) {
			w.Options.Level = schema.LevelNone
			w.Add(&schema.Epochs, 0x10, "1 atom 1 0 7 0")
			w.Add(&schema.Epochs, 0x10, "0 atom 2 0 0 0")
		}, []string{"epochs: has row 1 (epoch=0 kind=atom), which is not after the row before in the order of its key"}},
		{"more in gaps than counted", func(w *small.Dataset) {
			w.Options.Level = schema.LevelNone
			w.Add(&schema.Epochs, 0x10, "0 atom 1 0 7 8")
		}, []string{"epochs: has 1 counts (epoch=0 kind=atom) of source 0x10, 0 of them unknown, and of 7 cycles 8 in gaps"}},
		{"cycles that no row counts", func(w *small.Dataset) { w.Add(&schema.Epochs, 0x10, "0 atom 1 0 7 0") }, []string{"epochs: has 7 cycles of source 0x10, cycle_counts 0"}},
		{"stacks", func(w *small.Dataset) { addStacks(w, 5, 5) }, nil},
		{"stack of another capture", func(w *small.Dataset) { addStacks(w, 5, 4) }, []string{
			"stacks: has 4 instructions of source 0x11, the manifest says 5", "tasks: has 4 instructions of source 0x11, the manifest says 5",
		}},
		{"nodes that segments begin in", func(w *small.Dataset) { setHeads(w, 0, 0) }, nil},
		{"no such node", func(w *small.Dataset) { setHeads(w, 0, 1) }, []string{
			"segments: begins in node 1 of source 0x11, of which stacks has 1",
		}},
		{"negative node", func(w *small.Dataset) { setHeads(w, -1, 0) }, []string{
			"segments: begins in node -1 of source 0x10, of which stacks has 1",
		}},
		{"twice", func(w *small.Dataset) { w.Set(&schema.Counts, 0x10, 1, "address=0x8000") }, []string{
			"counts: has row 1 (address=32768 isa=a32), which is not after the row before in the order of its key",
		}},
		{"order", func(w *small.Dataset) { w.Set(&schema.Counts, 0x10, 4, "address=1") }, []string{
			"counts: has row 4 (address=1 isa=a32), which is not after the row before in the order of its key",
		}},
		{"edge too often", func(w *small.Dataset) { w.Set(&schema.Edges, 0x10, 0, "n=6") }, []string{
			"edges: has 6 times (from_address=32776 to_address=36864 kind=exception outcome=taken) of source 0x10, which executed 5 instructions",
		}},
		{"edge never", func(w *small.Dataset) { w.Set(&schema.Edges, 0x10, 0, "n=0") }, []string{
			"edges: has 0 times (from_address=32776 to_address=36864 kind=exception outcome=taken) of source 0x10, which executed 5 instructions",
		}},
		{"no such function", func(w *small.Dataset) { w.Set(&schema.Code, 0, 3, "function=2") }, []string{
			"code: refers to function 2 of every core, which has 2 of them",
		}},
		{"function of another core", func(w *small.Dataset) {
			w.Add(&schema.Lines, 0, "b 0x8000 0 main.c 1 1 true 0")
		}, []string{`lines: refers to function 0 of core "b", which has 0 of them`}},
		{"negative function", func(w *small.Dataset) { w.Set(&schema.Lines, 0, 0, "function=-1") }, []string{
			"lines: refers to function -1 (core=NULL address=32768 inline_depth=0)",
		}},
		{"ordinal of a function", func(w *small.Dataset) { w.Set(&schema.Functions, 0, 1, "function=2") }, []string{
			"functions: has function 2 (core=NULL address=36864), where 1 is the next of its core",
		}},
		{"order of functions", func(w *small.Dataset) { w.Set(&schema.Functions, 0, 1, "address=0x7000") }, []string{
			"functions: has row 1 (core=NULL address=28672), which is not after the row before in the order of its key",
		}},
		{"symbols", func(w *small.Dataset) { slices.Reverse(w.Rows[small.Series{Table: &schema.Symbols}]) }, []string{
			"symbols: has row 2 (core=NULL address=32768 name=reset), which is not after the row before in the order of its key",
		}},
		{"cores", func(w *small.Dataset) { w.Set(&schema.Code, 0, 0, "core=b") }, []string{
			"code: has row 1 (core=NULL address=32772 isa=a32), which is not after the row before in the order of its key",
			`code: refers to function 0 of core "b", which has 0 of them`,
		}},
	} {
		for _, format := range []schema.Format{schema.Parquet, schema.Arrow} {
			w := small.New()
			w.Options.Format = format
			tt.change(w)
			if d := cmp.Diff(tt.want, problems(t, w.Write(t))); d != "" {
				t.Errorf("%s, %s: want (-), got (+):\n%s", tt.name, format, d)
			}
		}
	}
}

// setHeads has the segments of both sources begin in a node of their stacks, of which there is one.
func setHeads(w *small.Dataset, nodes ...int) {
	addStacks(w, 5, 5)
	for i, n := range nodes {
		w.Set(&schema.Segments, uint8(0x10+i), 0, fmt.Sprintf("stack=%d", n))
	}
}

// addStacks adds a stack and its task to each source, which executed so many instructions.
func addStacks(w *small.Dataset, instructions ...int) {
	for i, n := range instructions {
		w.Add(&schema.Stacks, uint8(0x10+i), fmt.Sprintf("0 - 0 1 0 0x8000 root - - 1 %d - %d - - - - 1", n, n))
		w.Add(&schema.Tasks, uint8(0x10+i), fmt.Sprintf("0 main main - 0 0 0 0 %d - start 0", n))
	}
}

// Rows of one batch are compared with those of the one before.
func TestCheckOrderOfBatches(t *testing.T) {
	for _, last := range []int{schema.BatchRows, schema.BatchRows - 1} {
		w := small.New()
		w.Delete(&schema.Code, 0, 0, 6)
		add := func(address int) {
			w.Add(&schema.Code, 0, fmt.Sprintf("- %d 4 a32 0xe1a00000 other false - - - .text", address))
		}
		for i := range schema.BatchRows {
			add(i)
		}
		add(last)
		var want []string
		if last < schema.BatchRows {
			want = []string{fmt.Sprintf("code: has row %d (core=NULL address=%d isa=a32), which is not after the row before in the order of its key", schema.BatchRows, last)}
		}
		if d := cmp.Diff(want, problems(t, w.Write(t))); d != "" {
			t.Errorf("want (-), got (+):\n%s", d)
		}
	}
}

// Images are numbered as they come, and as many as the manifest has.
func TestCheckImages(t *testing.T) {
	w := small.New()
	w.Images = append(w.Images, schema.ImageRegion{File: "b.elf", Address: 0x8000, Bytes: 4, Role: "symbols", CodeSHA256: "cc"})
	dir := w.Write(t)
	if got := problems(t, dir); got != nil {
		t.Errorf("%q", got)
	}
	small.EditManifest(t, dir, `"file": "b.elf",`, `"file": "b.elf", "role": "symbols"}, {`)
	if got := problems(t, dir); !slices.Equal(got, []string{"images: has 2 images, the manifest says 3"}) {
		t.Errorf("%q", got)
	}
	dir = w.Write(t)
	small.EditRows(t, dir, &schema.Images, func(b *schema.Batch) { (*schema.ImagesImage.In(b))[1] = 2 })
	if got := problems(t, dir); !slices.Equal(got, []string{"images: has image 2, where 1 is the next"}) {
		t.Errorf("%q", got)
	}
}

// Batches stop with the first error, and where the caller wants no more.
func TestBatches(t *testing.T) {
	w := small.New()
	dir := w.Write(t)
	d, err := dataset.Open(dir)
	check(t, err)
	defer d.Close()
	var sources []uint8
	for b, err := range d.Batches(&schema.Counts) {
		check(t, err)
		sources = append(sources, *schema.CountsSource.In(b)...)
	}
	if want := slices.Repeat([]uint8{0x10}, 5); !slices.Equal(sources, append(want, slices.Repeat([]uint8{0x11}, 5)...)) {
		t.Errorf("sources %x", sources)
	}
	for range d.Batches(&schema.Counts) {
		break
	}
	check(t, os.Truncate(filepath.Join(dir, "counts", "10-00000.parquet"), 100))
	n := 0
	for b, err := range d.Batches(&schema.Counts) {
		if n++; b != nil || err == nil {
			t.Errorf("%v, %v", b, err)
		}
	}
	if n != 1 {
		t.Errorf("%d batches", n)
	}
}
