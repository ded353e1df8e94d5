package diff_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/diff"
	"github.com/tracelake/tracelake/schema/internal/small"
)

// keyed are the differences in tables that have a key, one a line, in short.
func keyed(v *diff.Result) []string {
	var lines []string
	for _, d := range v.Differences {
		line := fmt.Sprintf("%s %02x %s", d.Table, d.Source.V, d.Key)
		switch d.Kind {
		case diff.CellDiffers:
			line += fmt.Sprintf(": %s %s %s", d.Column, d.Truth, d.Dataset)
		case diff.RowMissing:
			line += ": missing"
		case diff.RowExtra:
			line += ": extra"
		case diff.TableLacking:
			line = d.Table + " lacking " + d.Truth
		}
		lines = append(lines, line)
	}
	return lines
}

// Rows of tables that have a key are the same ones if their keys are: one row too
// many or too few is one difference.
func TestCompareKeyed(t *testing.T) {
	unused := func(w *small.Dataset) { // before all others, so that their ordinals change
		w.Insert(&schema.Functions, 0, 0, "- 0 0x7000 0 unused unused - main.c 9 symbol")
		w.Set(&schema.Functions, 0, 1, "function=1")
		w.Set(&schema.Functions, 0, 2, "function=2")
		for _, of := range []struct {
			table *schema.Table
			index int
		}{{&schema.Code, int(schema.CodeFunction)}, {&schema.Lines, int(schema.LinesFunction)}} {
			for _, row := range w.Rows[small.Series{Table: of.table}] {
				row[of.index] = map[string]string{"0": "1", "1": "2", "-": "-"}[row[of.index]]
			}
		}
	}
	far := func(w *small.Dataset) { w.Set(&schema.Functions, 0, 1, "address=0xffffff8000009000") }
	for _, tt := range []struct {
		name          string
		truth, change func(*small.Dataset)
		want          []string
	}{
		{"none", nil, nil, nil},
		{"count", nil, func(w *small.Dataset) { w.Set(&schema.Counts, 0x11, 1, "failed=2") }, []string{"counts 11 address=0x00008004 isa=a32: failed 1 2"}},
		{"double", nil, func(w *small.Dataset) { w.Set(&schema.Counts, 0x10, 0, "cycles=3 cycles_spread=1") }, []string{
			"counts 10 address=0x00008000 isa=a32: cycles 2 3", "counts 10 address=0x00008000 isa=a32: cycles_spread 0.6666666666666666 1",
		}},
		{"first count missing", nil, func(w *small.Dataset) { w.Delete(&schema.Counts, 0x10, 0, 1) }, []string{"counts 10 address=0x00008000 isa=a32: missing"}},
		{"count in between", nil, func(w *small.Dataset) {
			w.Insert(&schema.Counts, 0x10, 1, "0x8000 t32 1 0 0 0 0")
		}, []string{"counts 10 address=0x00008000 isa=t32: extra"}},
		{"edge", nil, func(w *small.Dataset) { w.Set(&schema.Edges, 0x10, 0, "n=2") }, []string{
			"edges 10 from_address=0x00008008 to_address=0x00009000 kind=exception outcome=taken: n 1 2",
		}},
		{"edge to another", nil, func(w *small.Dataset) { w.Set(&schema.Edges, 0x10, 0, "to_address=0x9004") }, []string{
			"edges 10 from_address=0x00008008 to_address=0x00009000 kind=exception outcome=taken: missing",
			"edges 10 from_address=0x00008008 to_address=0x00009004 kind=exception outcome=taken: extra",
		}},
		{"code", nil, func(w *small.Dataset) { w.Delete(&schema.Code, 0, 0, 1) }, []string{"code 00 core=NULL address=0x00008000 isa=a32: missing"}},
		{"code of a core", nil, func(w *small.Dataset) {
			w.Add(&schema.Code, 0, "b 0x8000 4 a32 0xe1a00000 other false - - - .text")
		}, []string{"code 00 core=b address=0x00008000 isa=a32: extra"}},
		{"function of code", nil, func(w *small.Dataset) { w.Set(&schema.Code, 0, 3, "function=1") }, []string{
			"code 00 core=NULL address=0x0000800c isa=a32: function NULL that at 0x00009000",
		}},
		{"function of code above 4 GiB", far, func(w *small.Dataset) {
			far(w)
			w.Set(&schema.Code, 0, 3, "function=1")
		}, []string{"code 00 core=NULL address=0x0000800c isa=a32: function NULL that at 0xffffff8000009000"}},
		{"name", nil, func(w *small.Dataset) { w.Set(&schema.Functions, 0, 1, "name=wait linkage_name=wait") }, []string{
			"functions 00 core=NULL address=0x00009000: name idle wait", "functions 00 core=NULL address=0x00009000: linkage_name idle wait",
		}},
		{"function missing", unused, nil, []string{"functions 00 core=NULL address=0x00007000: missing"}},
		{"function too many", nil, unused, []string{"functions 00 core=NULL address=0x00007000: extra"}},
		{"inlined line", nil, func(w *small.Dataset) { w.Delete(&schema.Lines, 0, 4, 5) }, []string{
			"lines 00 core=NULL address=0x00009000 inline_depth=1: missing",
		}},
		{"line", nil, func(w *small.Dataset) { w.Set(&schema.Lines, 0, 0, "line=11") }, []string{"lines 00 core=NULL address=0x00008000 inline_depth=0: line 10 11"}},
		{"symbol", nil, func(w *small.Dataset) { w.Delete(&schema.Symbols, 0, 3, 4) }, []string{"symbols 00 core=NULL address=0x00009000 name=idle: missing"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			truth, w := small.New(), small.New()
			if tt.truth != nil {
				tt.truth(truth)
			}
			if tt.change != nil {
				tt.change(w)
			}
			v := compare(t, w.Write(t), truth.Write(t))
			if d := cmp.Diff(tt.want, keyed(v)); d != "" {
				t.Errorf("want (-), got (+):\n%s", d)
			}
		})
	}
}

// What the truth does not have is left out, and named: tables, what a decoder found
// out, and images of program files.
func TestCompareLeavesOut(t *testing.T) {
	truth, w := small.New(), small.New()
	truth.Options.Without = schema.Answers()
	w.Sources[0].Agreement = &schema.Agreement{BranchChecks: 20, BranchAgrees: 19}
	w.Images = append(w.Images, schema.ImageRegion{File: "a.elf", Address: 0x7000, Bytes: 16, Role: "symbols", CodeSHA256: "cc"})
	tables := []string{"epochs", "counts", "edges", "stacks", "tasks", "calls", "call_times", "exception_spans", "code", "functions", "lines", "symbols"}
	ofStacks := diff.OmittedColumns{Table: "segments", Columns: []string{"stack"}}
	want := diff.LeftOut{
		Tables: tables, Images: true,
		Columns: []diff.OmittedColumns{ofStacks, {Table: "sources", Columns: []string{"branch_checks", "branch_agrees", "isync_checks", "isync_agrees", "agreement"}}},
	}
	v := compare(t, w.Write(t), truth.Write(t))
	if d := cmp.Diff(want, v.LeftOut); d != "" || !v.Equal() {
		t.Errorf("%q, want (-), got (+):\n%s", lines(v), d)
	}
	w.Sources[0].Agreement, w.Images = nil, w.Images[:1]
	v = compare(t, w.Write(t), truth.Write(t))
	if d := cmp.Diff(diff.LeftOut{Tables: tables, Columns: []diff.OmittedColumns{ofStacks}}, v.LeftOut); d != "" || !v.Equal() {
		t.Errorf("%q, want (-), got (+):\n%s", lines(v), d)
	}
	// the other way round, what the truth has is lacking
	v = compare(t, truth.Write(t), w.Write(t))
	lacking := []string{"counts lacking 10", "edges lacking 2", "code lacking 6", "functions lacking 2", "lines lacking 6", "symbols lacking 4"}
	if d := cmp.Diff(lacking, lines(v)); d != "" || v.LeftOut.Tables != nil {
		t.Errorf("want (-), got (+):\n%s", d)
	}
	// both have them
	w.Images = append(w.Images, schema.ImageRegion{File: "a.elf", Address: 0x7000, Bytes: 16, Role: "symbols", CodeSHA256: "cc"})
	v = compare(t, w.Write(t), small.New().Write(t))
	if got := lines(v); !slices.Equal(got, []string{"images 00 0 0 extra"}) || v.LeftOut.Images {
		t.Errorf("%q", got)
	}
}

// A dataset or a truth of a later program is compared in what this one knows.
func TestCompareLater(t *testing.T) {
	for _, format := range []schema.Format{schema.Parquet, schema.Arrow} {
		w := small.New()
		w.Options.Format = format
		later := w.Write(t)
		small.Future(t, later)
		now := small.New().Write(t)
		for _, pair := range [][2]string{{later, now}, {now, later}, {later, later}} {
			v := compare(t, pair[0], pair[1])
			if d := cmp.Diff(diff.LeftOut{Unknown: []string{"marks"}}, v.LeftOut); d != "" || !v.Equal() || v.Tables[0].Compared != 10 {
				t.Errorf("%q, want (-), got (+):\n%s", lines(v), d)
			}
		}
	}
	w := small.New()
	w.Set(&schema.Counts, 0x10, 0, "executed=9")
	later := w.Write(t)
	small.Future(t, later)
	if got := keyed(compare(t, later, small.New().Write(t))); !slices.Equal(got, []string{"counts 10 address=0x00008000 isa=a32: executed 1 9"}) {
		t.Errorf("%q", got)
	}
}
