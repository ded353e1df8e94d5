package profile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/profile"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// rangesOf returns a line for each range, then for each branch, of the program file that ran most.
func rangesOf(t *testing.T, texts ...string) string {
	t.Helper()
	dirs := datasettest.Datasets(t, texts...)
	m, err := report.Read(dirs, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := profile.ReadRanges(m, dirs, "", &profile.ProgramFiles(m)[0])
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, x := range r.Ranges {
		lines = append(lines, fmt.Sprintf("%x-%x:%d", uint64(x.From), uint64(x.To), x.Count))
	}
	for _, x := range r.Branches {
		lines = append(lines, fmt.Sprintf("%x->%x:%d", uint64(x.From), uint64(x.To), x.Count))
	}
	if r.Outside > 0 {
		lines = append(lines, fmt.Sprintf("outside %d", r.Outside))
	}
	return strings.Join(lines, " ")
}

func TestRanges(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a branch that is not taken ends a range", `
code 0x1000 a64 other executed=3
code 0x1004 a64 branch conditional executed=1 failed=2
code 0x1008 a64 other executed=2
edge 0x1004 0x1000 branch taken n=1
edge 0x1004 0x1008 branch not_taken n=2`, "1000-1004:3 1008-1008:2 1004->1000:1"},
		{"a range begins within another", `
code 0x1000 a64 other executed=1
code 0x1004 a64 other executed=5
code 0x1008 a64 return executed=5`, "1000-1008:1 1004-1008:4"},
		{"an exception that does not return ends the range that began last", `
code 0x1000 a64 other executed=4
code 0x1004 a64 other executed=9
code 0x1008 a64 other executed=2
code 0x100c a64 return executed=2`, "1000-1004:2 1000-100c:2 1004-1004:5"},
		{"code that did not run is between", `
code 0x1000 a64 other executed=2
code 0x1004 a64 other
code 0x1008 a64 other executed=2`, "1000-1000:2 1008-1008:2"},
		{"a predicated instruction is in the range whether or not it passes", `
code 0x1000 t32 other executed=2
code 0x1002 t32 other conditional executed=1 failed=1
code 0x1004 t32 return unknown=2`, "1000-1004:2"},
		{"exceptions and what makes them are no branches", `
code 0x1000 a64 svc executed=1
code 0x1004 a64 other executed=1
code 0x1008 a64 exception_return executed=1
edge 0x1000 0x1004 svc taken
edge 0x1000 0x1008 exception taken
edge 0x1008 0x1004 exception_return taken`, "1000-1000:1 1004-1008:1 1008->1004:1"},
		{"branches to other code are left out", `
code 0x1000 a64 call executed=3
edge 0x1000 0x9000 call taken n=2
edge 0x9000 0x1000 return taken n=3
edge 0x9000 0x9004 branch taken n=9`, "1000-1000:3 outside 5"},
		{"nothing after the last instruction", `
code 0x1000 a64 other executed=1`, "1000-1000:1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := rangesOf(t, "source 0x10\nfile fw.elf 0x1000 0x100 match=1\n"+tt.text); got != tt.want {
				t.Errorf("%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// Several datasets add up, and so do cores that run one file.
func TestRangesAddUp(t *testing.T) {
	const text = `
source 0x10 core=a
source 0x11 core=b
file fw.elf 0x41000 0x8 match=1 core=a base=0x40000
file fw.elf 0x81000 0x8 match=1 core=b base=0x80000
code 0x41000 a64 other core=a
code 0x41004 a64 return core=a
code 0x81000 a64 other core=b
code 0x81004 a64 return core=b
run 0x41000 a64 source=0x10 executed=1
run 0x41004 a64 source=0x10 executed=1
run 0x81000 a64 source=0x11 executed=2
run 0x81004 a64 source=0x11 executed=2
edge 0x41004 0x41000 return taken source=0x10
edge 0x81004 0x81000 return taken source=0x11 n=2
`
	if got, want := rangesOf(t, text, text), "1000-1004:6 1004->1000:6"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestProgramFiles(t *testing.T) {
	m, err := report.Read(datasettest.Datasets(t, `
source 0x10
memory flash.bin 0x1000 0x9000
file small.elf 0x1000 0x100 match=1 code=aa
file idle.elf 0x2000 0x100 match=1 code=bb
file large.so 0x3000 0x100 match=1 code=cc base=0x3000
code 0x1000 a64 other executed=3
code 0x2000 a64 other
code 0x3000 a64 other executed=2
code 0x3004 a64 other executed=1 failed=4
`), report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []profile.ProgramFile{{File: "large.so", SHA256: "cc", Executed: 7}, {File: "small.elf", SHA256: "aa", Executed: 3}}
	if got := profile.ProgramFiles(m); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
