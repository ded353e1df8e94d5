package profile_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/profile"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// samplesOf returns executions by line of the datasets that texts describe.
func samplesOf(t *testing.T, texts ...string) (*profile.Samples, error) {
	t.Helper()
	dirs := datasettest.Datasets(t, texts...)
	m, err := report.Read(dirs, report.Options{})
	if err != nil {
		return nil, err
	}
	return profile.ReadSamples(m, dirs, "")
}

// sampleLines has a line for each function and line.
func sampleLines(f *profile.FunctionSamples, before string) []string {
	before += f.Name
	lines := []string{fmt.Sprintf("%s: %d, %d entries", before, f.Total, f.Entries)}
	for _, l := range f.Lines {
		var text strings.Builder
		fmt.Fprintf(&text, "%s+%d: %d", before, l.Offset, l.Count)
		for _, x := range l.Targets {
			fmt.Fprintf(&text, ", %d of %s", x.Count, x.Name)
		}
		lines = append(lines, text.String())
	}
	for i := range f.Inlined {
		x := &f.Inlined[i]
		lines = append(lines, sampleLines(&x.FunctionSamples, fmt.Sprintf("%s+%d ", before, x.Offset))...)
	}
	return lines
}

// inlines is a program in which get is inlined into twice, and that into main; hidden, which is
// inlined, too, has no function of its own. There are two functions of the name init.
const inlines = `
source 0x10
file fw.elf 0x1000 0x100 match=1
function 0x1000 0x20 main  at=a.c:10
function 0x1020 0x10 get   at=a.h:3 linkage=_get
function 0x1030 0x10 twice at=a.c:1
function 0x1040 0x08 init  at=a.c:30
function 0x1048 0x08 init  at=b.c:40
function 0x1050 0x08 macro at=b.c:50
function 0x1058 0x08 bare
code 0x1000 a32 other at=a.c:11 executed=2
code 0x1004 a32 other at=a.c:11 executed=3 failed=9
code 0x1008 a32 other at=a.h:4 of=get executed=7
inlined 0x1008 1 a.c:2 of=twice
inlined 0x1008 2 a.c:12
code 0x100c a32 call at=a.h:5 of=get executed=5
inlined 0x100c 1 a.c:9
code 0x1010 a32 other at=a.h:8 of=hidden executed=100
inlined 0x1010 1 a.c:13
code 0x1014 a32 call at=a.c:14 executed=1
code 0x1018 a32 other at=a.c:15
code 0x1020 a32 other at=a.h:4 executed=6
code 0x1040 a32 other at=a.c:30 executed=1
code 0x1044 a32 other at=a.c:31 executed=20
code 0x1048 a32 other at=b.c:40 executed=3
code 0x104c a32 other at=b.c:41 executed=4
code 0x1050 a32 other at=macro.h:1 executed=11
code 0x1054 a32 other at=b.c:51 executed=8
code 0x1058 a32 other executed=13
edge 0x1014 0x1020 call taken n=6
edge 0x1014 0x1040 indirect_call unknown n=2
edge 0x1014 0x1048 indirect_call taken n=3
edge 0x1014 0x1020 call not_taken n=50
edge 0x1014 0x1020 branch taken n=50
edge 0x100c 0x1050 call taken n=4
edge 0x1010 0x1050 call taken n=4
edge 0x1014 0x2000 call taken n=4
`

// Lines count from the declaration of their function, inlined or not; functions of one name are
// one. What has no such line is left out.
func TestSamples(t *testing.T) {
	s, err := samplesOf(t, inlines)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range s.Functions {
		got = append(got, sampleLines(&s.Functions[i], "")...)
	}
	equal(t, []string{
		"init: 28, 4 entries", "init+0: 4", "init+1: 24",
		"main: 16, 2 entries", "main+1: 3", "main+4: 1, 6 of _get, 5 of init",
		"main+2 twice: 7, 0 entries", "main+2 twice+1 _get: 7, 0 entries", "main+2 twice+1 _get+1: 7",
		"main+65535 _get: 5, 0 entries", "main+65535 _get+2: 5, 4 of macro",
		"macro: 8, 11 entries", "macro+1: 8",
		"_get: 6, 6 entries", "_get+1: 6",
	}, got)
	equal(t, [2]int64{184, 124}, [2]int64{s.Executed, s.LeftOut})
}

// Datasets add up.
func TestSamplesTwice(t *testing.T) {
	s, err := samplesOf(t, inlines, inlines)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, []string{"_get: 12, 12 entries", "_get+1: 12"}, sampleLines(&s.Functions[3], ""))
	equal(t, []string{"main: 32, 4 entries", "main+1: 6", "main+4: 2, 12 of _get, 10 of init"}, sampleLines(&s.Functions[1], "")[:3])
	equal(t, [2]int64{368, 248}, [2]int64{s.Executed, s.LeftOut})
}

// Tables that no export writes are an error.
func TestHostileSamples(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"inlined 0x1058 1 a.c:1", "0x00001058 has inline depth 1 where 0 is expected"},
		{"inlined 0x1050 2 a.c:1", "has inline depth 2 where"},
		{"edge 0x1014 0x1020 call taken n=-1", "row 8 has a count that no trace can have"},
		{"edge 0x1014 0x1020 call taken n=0x1000000000000000", "row 8 has a count that no trace can have"},
	} {
		_, err := samplesOf(t, inlines+tt.text)
		if e, ok := errors.AsType[*dataset.Error](err); !ok || !e.Damaged || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
}
