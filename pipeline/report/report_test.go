package report_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/trust"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// write writes the dataset that a text describes, and returns its directory.
func write(t *testing.T, name, text string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := datasettest.Write(dir, text); err != nil {
		t.Fatal(err)
	}
	return dir
}

// merged reads the datasets that texts describe.
func merged(t *testing.T, opt report.Options, texts ...string) *report.Merged {
	t.Helper()
	m, err := report.Read(datasettest.Datasets(t, texts...), opt)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func equal(t *testing.T, want, got any, options ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, options...); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

// small is a program of three functions: one ran in part, one as a whole, one did
// not; at 0x1020 is padding.
const small = `
source 0x10 bytes=1000 lost=6 ends=6 checks=50
file fw.elf 0x1000 0x100 match=1
function 0x1000 0xa main at=src/main.c:10
function 0x1010 4 helper at=src/util.c:3
function 0x1014 4 unused at=src/util.c:9
code 0x1000 t32 other  at=src/main.c:11 executed=5
code 0x1002 t32 branch at=src/main.c:12 conditional executed=3 failed=2
code 0x1004 t32 other  at=src/main.c:12 conditional failed=5
code 0x1006 t32 branch at=src/main.c:13 conditional failed=5
code 0x1008 t32 branch at=src/main.c:13 conditional
code 0x1010 t32 other  at=src/util.c:4 executed=7
code 0x1012 t32 return executed=7
code 0x1014 t32 other  at=src/util.c:10
code 0x1016 t32 other  at=src/util.c:11 conditional
code 0x1020 t32 other
`

// tally is a tally of instructions.
func tally(covered, of, reached int64) report.Tally {
	return report.Tally{Figure: report.Figure{Covered: covered, Of: of}, Reached: reached}
}

func TestCoverage(t *testing.T) {
	c := merged(t, report.Options{}, small).Coverage(report.ByFunction)
	equal(t, &report.Coverage{
		Named:        true,
		Instructions: tally(4, 9, 2), // padding is in no denominator; what always failed its condition is not covered
		Functions:    report.Figure{Covered: 2, Of: 3},
		Full:         1,
		Lines:        report.Figure{Covered: 3, Of: 6},
		Files:        report.Figure{Covered: 2, Of: 2},
		Branches:     report.BranchFigures{All: 3, Reached: 2, Taken: 1, NotTaken: 2, Both: 1},
		Predicated:   report.Predicated{All: 2, Reached: 1, Failed: 1},
		Padding:      1,
	}, c, cmpopts.IgnoreFields(report.Coverage{}, "Rows"))
	equal(t, []report.CoverageRow{
		{
			Name:         report.Name{Function: "main", Address: 0x1000, File: "src/main.c", Line: 10},
			Instructions: tally(2, 5, 2), Lines: report.Figure{Covered: 2, Of: 3}, Outcomes: report.Figure{Covered: 3, Of: 6}, Both: 1, Executions: 5,
			OneWay: 1, First: report.OneWay{Line: 13},
		},
		{
			Name:         report.Name{Function: "unused", Address: 0x1014, File: "src/util.c", Line: 9},
			Instructions: tally(0, 2, 0), Lines: report.Figure{Of: 2},
			NeverCalled: 1,
		},
		{
			Name:         report.Name{Function: "helper", Address: 0x1010, File: "src/util.c", Line: 3},
			Instructions: tally(2, 2, 0), Lines: report.Figure{Covered: 1, Of: 1}, Executions: 7,
		},
	}, c.Rows)
}

// Files are those of lines: what has no line is in a row of its own, the last among
// equals. Lines that somebody who wants to cover more looks at are first.
func TestCoverageRows(t *testing.T) {
	for _, tt := range []struct {
		by   report.By
		want []report.Name
	}{
		{report.ByFile, []report.Name{{File: "src/main.c"}, {File: "src/util.c"}, {}}},
		{report.ByLine, []report.Name{
			{File: "src/main.c", Line: 12},
			{File: "src/main.c", Line: 13},
			{File: "src/util.c", Line: 10},
			{File: "src/util.c", Line: 11},
			{File: "src/main.c", Line: 11},
			{File: "src/util.c", Line: 4},
			{},
		}},
	} {
		var got []report.Name
		for _, row := range merged(t, report.Options{}, small).Coverage(tt.by).Rows {
			got = append(got, row.Name)
		}
		equal(t, tt.want, got)
	}
}

// Where the trace has no outcome an instruction counts as covered, and a condition as
// unknown; a branch without any outcome is reached.
func TestUnknown(t *testing.T) {
	m := merged(t, report.Options{}, `
source 0x10
file fw.elf 0x1000 0x100 match=1
function 0x1000 0x10 main
code 0x1000 a32 other conditional unknown=2
code 0x1004 a32 branch conditional unknown=2
code 0x1008 a32 other conditional executed=1 failed=1 unknown=1
code 0x100c a32 branch conditional executed=1 unknown=1
`)
	c := m.Coverage(report.ByFunction)
	equal(t, tally(4, 4, 0), c.Instructions)
	equal(t, report.BranchFigures{All: 2, Reached: 2, Taken: 1, Unknown: 1}, c.Branches)
	equal(t, report.Predicated{All: 2, Reached: 2, Passed: 1, Failed: 1, Unknown: 2}, c.Predicated)
	equal(t, [2]int64{2, 2}, [2]int64{m.Trust().Conditions, m.Trust().Unknown})
}

// Functions of one name are counted by address; lines that are inlined at a place
// count where they are from.
func TestNames(t *testing.T) {
	m := merged(t, report.Options{}, `
source 0x10
file fw.elf 0x1000 0x100 match=1
function 0x1000 4 init at=a.c:1
function 0x1004 4 init at=b.c:1
code 0x1000 a32 other at=inline.h:7 executed=1
inlined 0x1000 1 a.c:2
code 0x1004 a32 other at=b.c:2
`)
	c := m.Coverage(report.ByFile)
	equal(t, report.Figure{Covered: 1, Of: 2}, c.Functions)
	equal(t, report.Figure{Covered: 1, Of: 2}, c.Lines)
	equal(t, []string{"b.c", "inline.h"}, []string{c.Rows[0].File, c.Rows[1].File}) // the most missed first
}

// Without a program file the code is what ran: there are no percentages.
func TestNoProgram(t *testing.T) {
	m := merged(t, report.Options{}, `
source 0x10
memory ram.bin 0x1000 0x100
code 0x1000 t32 other executed=3
code 0x1002 t32 branch failed=3
`, `
source 0x10
memory ram.bin 0x1000 0x100
code 0x1002 t32 branch executed=1
code 0x1004 t32 other executed=1
`)
	c := m.Coverage(report.ByFile)
	equal(t, tally(3, 0, 0), c.Instructions)
	equal(t, []report.CoverageRow{
		{Name: report.Name{Address: 0x1000}, Instructions: tally(1, 1, 0), Executions: 3},
		{Name: report.Name{Address: 0x1002}, Instructions: tally(1, 1, 0), Executions: 1},
		{Name: report.Name{Address: 0x1004}, Instructions: tally(1, 1, 0), Executions: 1},
	}, c.Rows)
	if m.Trust().HasProgram {
		t.Error("says that there is a program file")
	}
}

// Several programs: a source executes that of its core, else that of every core.
func TestCores(t *testing.T) {
	m := merged(t, report.Options{}, `
source 0x10 core=cpu_0
source 0x11 core=cpu_1
file a.elf 0x1000 8 core=cpu_0 code=aa match=1
file b.elf 0x1000 8 core=cpu_1 code=bb match=1
file rom.elf 0x8000 4 code=cc match=1
function 0x8000 4 rom
function 0x1000 8 main core=cpu_0
function 0x1000 8 main core=cpu_1
code 0x8000 a32 other
code 0x1000 a32 other core=cpu_0 executed=1
code 0x1004 a32 other core=cpu_0
code 0x1000 t32 other core=cpu_1
run 0x8000 a32 source=0x10 executed=1
run 0x8000 a32 source=0x11 executed=2
run 0x1000 t32 source=0x11 executed=4
run 0x1004 a32 source=0x11 executed=8
code 0x8004 a32 other
code 0x8004 a32 other core=cpu_0
run 0x8004 a32 source=0x10 executed=1
`)
	c := m.Coverage(report.ByFunction)
	equal(t, tally(3, 4, 0), c.Instructions) // 0x8004 is in no function
	equal(t, [2]int64{2, 1}, [2]int64{c.Padding, c.PaddingRun})
	equal(t, []trust.Outside{{Core: "cpu_1", Address: 0x1004, Times: 8}}, m.Trust().Outside)
	for _, row := range c.Rows {
		want := map[string]int64{"": 3, "cpu_0": 1, "cpu_1": 4}[row.Core]
		if row.Executions != want {
			t.Errorf("core %q: %d executions, want %d", row.Core, row.Executions, want)
		}
	}
}

// The program of a core goes before that of every core.
func TestOwnCore(t *testing.T) {
	m := merged(t, report.Options{}, `
source 0x10 core=cpu_0
file rom.elf 0x8000 4 code=cc
file a.elf 0x8000 4 core=cpu_0 code=aa
function 0x8000 4 rom
function 0x8000 4 own core=cpu_0
code 0x8000 a32 other
code 0x8000 a32 other core=cpu_0
run 0x8000 a32 executed=1
`)
	equal(t, "own", m.Hotspots(report.ByFunction).Rows[0].Function)
}

// Another instruction set at the address of an instruction is other code.
func TestOutside(t *testing.T) {
	m := merged(t, report.Options{}, small+"run 0x1010 a32 executed=2\nrun 0x4000 t32 failed=3\n")
	equal(t, []trust.Outside{{Address: 0x1010, Times: 2}, {Address: 0x4000, Times: 3}}, m.Trust().Outside)
	h := m.Hotspots(report.ByFunction)
	last := h.Rows[len(h.Rows)-1]
	equal(t, report.HotspotRow{Outside: true, Instructions: 5}, last)
	equal(t, int64(39), h.Instructions)
}

func TestBranches(t *testing.T) {
	b := merged(t, report.Options{}, `
source 0x10
file fw.elf 0x1000 0x100 match=1
function 0x1000 0x20 main
code 0x1000 a32 other    at=m.c:1 conditional executed=1
code 0x1004 a32 branch   at=m.c:2 conditional target=0x1010 executed=4 failed=4
code 0x1008 a32 branch   at=m.c:3 conditional
code 0x100c a32 return   at=m.c:4 conditional unknown=2
code 0x1010 a32 branch   at=m.c:5 conditional failed=1
code 0x1014 a32 call     at=m.c:6 conditional executed=9
code 0x1018 a32 barrier  at=m.c:7 conditional failed=3
code 0x101c a32 branch   at=m.c:8 executed=3
`).Branches()
	type row struct {
		line    uint32
		verdict string
	}
	var got []row
	for _, r := range b.Rows {
		got = append(got, row{r.In.Line, r.Verdict.String()})
	}
	equal(t, []row{
		{6, "always_taken"},
		{5, "never_taken"},
		{4, "unknown"},
		{2, "both"},
		{3, "never_reached"},
		{7, "never_taken"},
		{1, "always_taken"}, // predicated
	}, got, cmp.AllowUnexported(row{}))
	equal(t, report.BranchFigures{All: 5, Reached: 4, Taken: 2, NotTaken: 2, Both: 1, Unknown: 1}, b.Branches)
	equal(t, report.Predicated{All: 2, Reached: 2, Passed: 1, Failed: 1}, b.Predicated)
}
