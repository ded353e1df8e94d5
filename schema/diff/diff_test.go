package diff_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/diff"
	"github.com/tracelake/tracelake/schema/internal/small"
)

// compare compares the datasets in two directories.
func compare(t testing.TB, dir, truth string) *diff.Result {
	t.Helper()
	r, err := diff.Compare(t.Context(), open(t, dir), open(t, truth), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func open(t testing.TB, dir string) *dataset.Dataset {
	t.Helper()
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// lines are the differences, one a line, in short.
func lines(v *diff.Result) []string {
	var lines []string
	for _, d := range v.Differences {
		line := fmt.Sprintf("%s %02x %d %d", d.Table, d.Source.V, d.Seq.V, d.ByteOffset.V)
		switch d.Kind {
		case diff.CellDiffers:
			line += fmt.Sprintf(" %s %s %s", d.Column, d.Truth, d.Dataset)
		case diff.RowMissing:
			line += " missing"
		case diff.RowExtra:
			line += " extra"
		case diff.TableLacking:
			line = d.Table + " lacking " + d.Truth
		}
		lines = append(lines, line)
	}
	return lines
}

// counts are what each table that differs came to: compared, differing, missing,
// extra.
func counts(v *diff.Result) []string {
	var lines []string
	for _, t := range v.Tables {
		if t.Differences() > 0 && !t.Lacking {
			lines = append(lines, fmt.Sprintf("%s %d %d %d %d", t.Table, t.Compared, t.Differing, t.Missing, t.Extra))
		}
	}
	return lines
}

// Each kind of difference is reported as such, and nothing else is. The dataset is
// changed; the truth is the small one.
func TestCompareDifferences(t *testing.T) {
	truth := small.New().Write(t)
	for _, tt := range []struct {
		name   string
		change func(*small.Dataset)
		lines  []string
		counts []string
	}{
		{"none", func(*small.Dataset) {}, nil, nil},
		{"cell", func(w *small.Dataset) { w.Set(&schema.Instructions, 0x11, 1, "executed=true") }, []string{"instructions 11 1 100 executed false true"}, []string{"instructions 10 1 0 0"}},
		{"two cells", func(w *small.Dataset) {
			w.Set(&schema.Instructions, 0x10, 3, "address=0xa000 executed=false")
		}, []string{
			"instructions 10 3 104 address 0x00009000 0x0000a000", "instructions 10 3 104 executed true false",
		}, []string{"instructions 10 1 0 0"}},
		{"NULL for a value", func(w *small.Dataset) { w.Set(&schema.Instructions, 0x10, 0, "cycles=-") }, []string{"instructions 10 0 100 cycles 2 NULL"}, []string{"instructions 10 1 0 0"}},
		{"value for NULL", func(w *small.Dataset) { w.Set(&schema.Instructions, 0x10, 2, "executed=false") }, []string{"instructions 10 2 100 executed NULL false"}, []string{"instructions 10 1 0 0"}},
		{"text for NULL", func(w *small.Dataset) { w.Set(&schema.Losses, 0x10, 2, "detail=x") }, []string{"losses 10 5 108 detail NULL x"}, []string{"losses 3 1 0 0"}},
		{"row missing", func(w *small.Dataset) { w.Delete(&schema.Losses, 0x10, 1, 2) }, []string{"losses 10 3 102 missing"}, []string{"losses 2 0 1 0"}},
		{"last row missing", func(w *small.Dataset) { w.Delete(&schema.Losses, 0x10, 2, 3) }, []string{"losses 10 5 108 missing"}, []string{"losses 2 0 1 0"}},
		{"extra row", func(w *small.Dataset) { w.Insert(&schema.Losses, 0x10, 1, "1 0 50 9 bad_packet") }, []string{"losses 10 1 50 extra"}, []string{"losses 3 0 0 1"}},
		{"extra row at the end", func(w *small.Dataset) { w.Add(&schema.Losses, 0x10, "9 0 199 9 bad_packet") }, []string{"losses 10 9 199 extra"}, []string{"losses 3 0 0 1"}},
		{"extra rows of a source", func(w *small.Dataset) { w.Add(&schema.Losses, 0x12, "9 0 199 9 bad_packet") }, []string{"losses 12 9 199 extra"}, []string{"losses 3 0 0 1"}},
		{"only the place", func(w *small.Dataset) { w.Set(&schema.Losses, 0x10, 1, "byte_offset=103") }, []string{"losses 10 3 102 byte_offset 102 103"}, []string{"losses 3 1 0 0"}},
		// the rows after it are matched again: they differ in seq only
		{"instruction inserted", func(w *small.Dataset) {
			w.Insert(&schema.Instructions, 0x10, 3, "3 0 100 0x800c 4 a32 0xe1a00000 other true - 0 - 0x4000000000000000 - 7 non_secure")
			w.Set(&schema.Instructions, 0x10, 4, "seq=4")
			w.Set(&schema.Instructions, 0x10, 5, "seq=5")
		}, []string{"instructions 10 3 100 extra", "instructions 10 3 104 seq 3 4", "instructions 10 4 104 seq 4 5"}, []string{"instructions 10 2 0 1"}},
		{"source missing", func(w *small.Dataset) {
			w.Delete(&schema.Instructions, 0x11, 0, 5)
			w.Sources = w.Sources[:1]
		}, []string{
			"instructions 11 0 100 missing", "instructions 11 1 100 missing", "instructions 11 2 100 missing",
			"instructions 11 3 104 missing", "instructions 11 4 104 missing", "sources 11 0 0 missing",
		}, []string{"instructions 5 0 5 0", "sources 1 0 1 0"}},
		{"extra source", func(w *small.Dataset) {
			s := w.Sources[0]
			s.Source = 0x12
			w.Sources = append(w.Sources, s)
		}, []string{"sources 12 0 0 extra"}, []string{"sources 2 0 0 1"}},
		{"total", func(w *small.Dataset) { w.Sources[1].Bytes = 201 }, []string{
			"sources 11 0 0 bytes 200 201", "sources 11 0 0 decoded_share 1 0.9950248756218906",
		}, []string{"sources 2 1 0 0"}},
		{"register", func(w *small.Dataset) { w.Sources[1].Registers = nil }, []string{`sources 11 0 0 registers {"ETMCR":"0x0"} null`}, []string{"sources 2 1 0 0"}},
		{"names and hashes", func(w *small.Dataset) {
			w.Sources[0].Name, w.Sources[0].Core, w.Sources[0].Buffer = "x", "y", "z"
			w.Images[0] = schema.ImageRegion{File: "b.bin", SHA256: "cc", Core: "y", Address: 0x8000, Bytes: 8192}
		}, nil, nil},
		{"image", func(w *small.Dataset) { w.Images[0].Bytes = 1 }, []string{"images 00 0 0 bytes 8192 1"}, []string{"images 1 1 0 0"}},
		{"table missing", func(w *small.Dataset) { w.Options.Tables = []*schema.Table{&schema.Events} }, []string{"instructions lacking 10"}, nil},
		// without a row of the truth nothing is missing
		{"empty table missing", func(w *small.Dataset) { w.Options.Tables = []*schema.Table{&schema.Instructions} }, nil, nil},
		{"table the truth does not have", func(w *small.Dataset) {
			w.Options.Tables = append(slices.Clone(schema.Tables()[:1]), &schema.Packets)
			w.Add(&schema.Packets, 0x10, "0 - 0 A-sync \x00\x80 {}")
		}, nil, nil},
	} {
		for _, format := range []schema.Format{schema.Parquet, schema.Arrow} {
			t.Run(tt.name+"/"+format.String(), func(t *testing.T) {
				w := small.New()
				w.Options.Format = format
				tt.change(w)
				v := compare(t, w.Write(t), truth)
				if d := cmp.Diff(tt.lines, lines(v)); d != "" {
					t.Errorf("want (-), got (+):\n%s", d)
				}
				if d := cmp.Diff(tt.counts, counts(v)); d != "" {
					t.Errorf("want (-), got (+):\n%s", d)
				}
				if v.Equal() != (tt.lines == nil) {
					t.Errorf("equal: %v", v.Equal())
				}
			})
		}
	}
}

// Every difference is counted, the first ten are reported, and those of one table
// do not hide those of another.
func TestCompareManyDifferences(t *testing.T) {
	truth, other := small.New(), small.New()
	truth.Delete(&schema.Instructions, 0x10, 0, 5)
	other.Delete(&schema.Instructions, 0x10, 0, 5)
	for i := range 100_000 {
		segment := "0"
		if i == 0 {
			segment = "-"
		}
		row := func(address int, executed bool) string {
			return fmt.Sprintf("%d %s %d %d 4 a32 0xe1a00000 other %t - 0 - 0x4000000000000000 - 7 non_secure", i, segment, i, address, executed)
		}
		truth.Add(&schema.Instructions, 0x10, row(4*i, true))
		other.Add(&schema.Instructions, 0x10, row(4*i+4, false))
	}
	other.Set(&schema.Losses, 0x10, 1, "detail=another")
	v := compare(t, other.Write(t), truth.Write(t))
	if len(v.Differences) != diff.MaxDifferences || v.Differences[9].Table != "losses" || v.Differences[8].Table != "instructions" {
		t.Errorf("differences %q", lines(v))
	}
	if d := cmp.Diff([]string{"instructions 100005 100000 0 0", "losses 3 1 0 0"}, counts(v)); d != "" {
		t.Error(d)
	}
	if got := v.Tables[0].Columns; got["address"] != 100_000 || got["executed"] != 100_000 || len(got) != 2 {
		t.Errorf("columns %v", got)
	}
	if row := v.Differences[0].Row; !strings.HasPrefix(row, "segment=NULL address=0x00000000 size=4 isa=a32 ") {
		t.Errorf("the row is %q", row)
	}
}

// A dataset of blocks is compared as its view gives: of a run, the last has the
// cycles of all. The flat level has them one by one.
func TestCompareBlocksAsView(t *testing.T) {
	truth := small.New().Write(t)
	for _, tt := range []struct {
		name   string
		change string // TABLE ROW COLUMN=CELL, …
		lines  []string
	}{
		{"none", "", nil},
		{"sum of cycles", "blocks 0 cycles=8", []string{"instructions 10 2 100 cycles 9 8"}},
		{"cycle", "blocks 0 cycle=8", []string{"instructions 10 2 100 cycle 9 8"}},
		{"cycles of no instruction", "blocks 1 cycles=1", []string{"instructions 10 4 104 cycles NULL 1"}},
		{"failed", "blocks 0 failed=0b011", []string{"instructions 10 0 100 executed true false"}},
		{"failed is NULL", "blocks 1 failed=-", []string{"instructions 10 3 104 executed true NULL"}},
		{"outcome", "blocks 1 outcome=not_taken", []string{"instructions 10 4 104 executed true false"}},
		{"address", "code_blocks 5 address=0x9002, code_blocks 6 address=0x9006", []string{
			"instructions 10 3 104 address 0x00009000 0x00009002", "instructions 10 4 104 address 0x00009004 0x00009006",
		}},
		{"count", "blocks 1 instructions=1", []string{"instructions 10 4 104 missing"}},
		{"place", "blocks 0 byte_offset=101", []string{
			"instructions 10 0 100 byte_offset 100 101", "instructions 10 1 100 byte_offset 100 101", "instructions 10 2 100 byte_offset 100 101",
		}},
		{"seq", "blocks 1 seq=4", []string{"instructions 10 3 104 seq 3 4", "instructions 10 4 104 seq 4 5"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := small.New()
			w.Options.Level = schema.LevelBlocks
			for change := range strings.SplitSeq(tt.change, ", ") {
				if f := strings.Fields(change); len(f) > 0 {
					row, _ := strconv.Atoi(f[1])
					w.Set(schema.FindTable(f[0]), 0x10, row, f[2])
				}
			}
			v := compare(t, w.Write(t), truth)
			if d := cmp.Diff(tt.lines, lines(v)); d != "" {
				t.Errorf("want (-), got (+):\n%s", d)
			}
			if r := v.Tables[0]; !r.AsView || r.Compared < 9 {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestCompareStops(t *testing.T) {
	dir := small.New().Write(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := diff.Compare(ctx, open(t, dir), open(t, dir), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
