package generate

import (
	"debug/elf"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/bench/encode/perfdata"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/decode/capture"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/profile"
	"github.com/tracelake/tracelake/pipeline/report/reporttest"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// TestRangesOfSample: of the sample, ranges have each instruction of `counts` and branches each taken branch of
// `edges`, as often.
func TestRangesOfSample(t *testing.T) {
	dir := reporttest.Export(t, "sample", sample.ELF, pipeline.Options{Level: schema.LevelNone})
	checkRanges(t, dir, filepath.Dir(sampleFile(t)))
}

// sampleFile is the program of the sample.
func sampleFile(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := sample.Extract(dir); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, sample.ELF)
}

// TestRangesOfPerf: likewise of a recording of two processes at the same addresses, whose programs were moved.
func TestRangesOfPerf(t *testing.T) {
	dir := t.TempDir()
	tr := perfTrial{
		recipe: Recipe{Protocol: "etmv4", Minor: 2, ContextIDBytes: 4}, session: perfdata.Session{Version: 1}, story: processes(2, 0),
	}
	tr.record(t, dir)
	opt := pipeline.Options{Level: schema.LevelNone, Capture: capture.Options{Sysroots: []string{filepath.Join(dir, "root")}}}
	run := filepath.Join(dir, "run")
	if _, err := pipeline.Export(t.Context(), filepath.Join(dir, "perf.data"), run, opt); err != nil {
		t.Fatal(err)
	}
	if n := checkRanges(t, run, filepath.Join(dir, "root")); n != 2 {
		t.Errorf("%d program files, want 2", n)
	}
}

// checkRanges compares the ranges of all program files with the tables that they are from, and with the files, which
// are in a folder. It returns how many files there are.
func checkRanges(t *testing.T, dir, folder string) int {
	t.Helper()
	m, err := report.Read([]string{dir}, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, branches := executions(t, dir)
	files := profile.ProgramFiles(m)
	bases := map[string]schema.Address{}
	for _, s := range m.Sections() {
		bases[s.File] = s.Base
	}
	got := map[schema.Address]int64{}
	for i := range files {
		r, err := profile.ReadRanges(m, []string{dir}, "", &files[i])
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range r.Ranges {
			if !isCodeOf(t, filepath.Join(folder, files[i].File), x.From, x.To) {
				t.Fatalf("%s has no code at %x-%x", files[i].File, uint64(x.From), uint64(x.To))
			}
			for c := range m.Code() { // of few instructions
				if a := c.Address - bases[files[i].File]; a >= x.From && a <= x.To {
					got[c.Address] += x.Count
				}
			}
		}
		for _, x := range r.Branches {
			branches[[2]schema.Address{x.From + bases[files[i].File], x.To + bases[files[i].File]}] -= x.Count
		}
		if r.Outside != 0 {
			t.Errorf("%s: %d branches from or to other files", files[i].File, r.Outside)
		}
	}
	if len(want) == 0 {
		t.Error("nothing ran")
	}
	for a, n := range want {
		if got[a] != n {
			t.Errorf("%s ran %d times, want %d", a.Hex(), got[a], n)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d instructions ran, want %d", len(got), len(want))
	}
	for key, n := range branches {
		if n != 0 {
			t.Errorf("branch %s to %s: %d more than in the profile", key[0].Hex(), key[1].Hex(), n)
		}
	}
	return len(files)
}

// executions returns how often each instruction ran, and each branch was taken, by the tables of a dataset.
func executions(t *testing.T, dir string) (counts map[schema.Address]int64, branches map[[2]schema.Address]int64) {
	t.Helper()
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	counts, branches = map[schema.Address]int64{}, map[[2]schema.Address]int64{}
	kinds := []string{"branch", "call", "indirect", "indirect_call", "return", "exception_return"}
	each(t, d, &schema.Counts, func(b *schema.Batch, row int) {
		counts[schema.CountsAddress.At(b, row)] += int64(schema.CountsExecuted.At(b, row) + schema.CountsFailed.At(b, row) + schema.CountsUnknown.At(b, row))
	})
	each(t, d, &schema.Edges, func(b *schema.Batch, row int) {
		taken := schema.EdgeOutcomeNames[schema.EdgesOutcome.At(b, row)] != "not_taken"
		if taken && slices.Contains(kinds, schema.EdgeKindNames[schema.EdgesKind.At(b, row)]) {
			branches[[2]schema.Address{schema.EdgesFromAddress.At(b, row), schema.EdgesToAddress.At(b, row)}] += int64(schema.EdgesN.At(b, row))
		}
	})
	return counts, branches
}

// each calls do with each row of a table.
func each(t *testing.T, d *dataset.Dataset, table *schema.Table, do func(b *schema.Batch, row int)) {
	t.Helper()
	for i := range d.Manifest.Sources {
		r := d.Open(table, d.Manifest.Sources[i].Source)
		defer r.Close()
		for b, err := r.Next(); err == nil; b, err = r.Next() {
			for row := range b.Rows() {
				do(b, row)
			}
		}
	}
}

// isCodeOf reports whether addresses are in one executable section of an ELF file.
func isCodeOf(t *testing.T, name string, from, to schema.Address) bool {
	t.Helper()
	f, err := elf.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return slices.ContainsFunc(f.Sections, func(s *elf.Section) bool {
		return s.Flags&elf.SHF_EXECINSTR != 0 && uint64(from) >= s.Addr && uint64(to) < s.Addr+s.Size && from <= to
	})
}
