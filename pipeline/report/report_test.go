package report_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/reporttest"
)

// write writes a dataset, and returns its directory.
func write(t *testing.T, name, text string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := reporttest.Write(dir, text); err != nil {
		t.Fatal(err)
	}
	return dir
}

// merged reads the dataset that a text describes.
func merged(t *testing.T, text string) *report.Merged {
	t.Helper()
	m, err := report.Read([]string{write(t, "run", text)}, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// small is a program of three functions: one ran in part, one as a whole, one did
// not; at 0x1020 is padding.
const small = `
source 0x10 bytes=1000 lost=6 checks=50
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

func TestCoverage(t *testing.T) {
	m := merged(t, small)
	got := m.Coverage(report.ByFunction)
	want := &report.Coverage{
		Named:        true,
		Instructions: report.Tally{Figure: report.Figure{Covered: 4, Of: 9}, Reached: 2},
		Functions:    report.Figure{Covered: 2, Of: 3},
		Full:         1,
		Lines:        report.Figure{Covered: 3, Of: 6},
		Files:        report.Figure{Covered: 2, Of: 2},
		Branches:     report.BranchFigures{All: 3, Reached: 2, Taken: 1, NotTaken: 2, Both: 1},
		Predicated:   report.Predicated{All: 2, Reached: 1, Failed: 1},
		Padding:      1,
	}
	got.Rows = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
