package page_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/pipeline/report/page"
	"github.com/tracelake/tracelake/pipeline/report/page/content"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// manyCalls describes a task of 100,000 instructions that calls a function every 10 of them, for 2.
// One call in the midst of nothing takes as long. In it is an exception, and a longer one in one of the others.
func manyCalls() string {
	text := &strings.Builder{}
	text.WriteString(`
source 0x10
file fw.elf 0x1000 0x100 match=1
function 0x1000 8 main
function 0x1008 8 work
code 0x1000 a32 other executed=80000 first=0
code 0x1008 a32 other executed=20000 first=3
task main instructions=100000
stack function=0 instructions=80000 total=100000
stack parent=0 function=1 entry=call calls=9000 instructions=20000
exception 50001 entry type=irq number=1
exception 20001 entry type=irq number=1
`)
	for at := 0; at < 100_000; at += 10 {
		if at == 50_000 || at < 45_000 || at > 55_000 {
			fmt.Fprintf(text, "call %d %d stack=1 instructions=2\n", at+1, at+3)
		}
	}
	text.WriteString("span 20001 20003 ordinal=1 instructions=2\nspan 50001 50002 ordinal=0 instructions=1\n")
	return text.String()
}

// Calls that are too short to be told apart are merged into spans that are as short as that; one
// alone is drawn, and so are those of the longest exceptions and the five longest calls.
func TestMergedSpans(t *testing.T) {
	p, _ := makePage(t, t.TempDir(), datasettest.Datasets(t, manyCalls())...)
	x := &p.Data.Times[0]
	checkSpans(t, x)
	if x.Length != 100_000 {
		t.Fatalf("the axis has %d instructions", x.Length)
	}
	const short = 100_000 / 4000
	at, merged, drawn := int64(0), 0, map[string]int{}
	for i := range x.Depth {
		at += x.Start[i]
		name := x.Frames.Name[x.Frame[i]]
		if x.Frames.Kind[x.Frame[i]] != 3 {
			drawn[fmt.Sprintf("%s at depth %d", name, x.Depth[i])]++
			continue
		}
		if merged++; x.Took[i] > short || x.Took[i] <= 2 {
			t.Fatalf("a merged span takes %d, want more than 2 and %d at most", x.Took[i], short)
		}
	}
	if merged < 2900 || merged > 3100 { // three calls in each, of 9,000
		t.Errorf("%d merged spans", merged)
	}
	worst := p.Data.Exceptions.Worst[0][0]
	if drawn["main at depth 0"] != 1 || drawn["work at depth 2"] != 7 || drawn["irq 1 at depth 3"]+drawn["irq 1 at depth 2"] != 2 || worst != [4]int64{2, 0, 20_001, 2} {
		t.Errorf("drawn are %v; the worst is at %v", drawn, worst)
	}
	lane := x.Lanes[1]
	if lane.Turns != 2 || len(lane.Start) != 2 || lane.All != 3 {
		t.Errorf("%+v", lane)
	}
}

// Of a call tree calls that took little of their caller's time are one node, if there are several.
func TestMergedFrames(t *testing.T) {
	text := &strings.Builder{}
	text.WriteString("source 0x10\nfile fw.elf 0x1000 0x10000 match=1\ncode 0x1000 a32 other executed=100000\ntask main instructions=100000\n")
	for i := range 40 {
		fmt.Fprintf(text, "function %#x 4 f%d\n", 0x1000+4*i, i)
	}
	text.WriteString("stack function=0 instructions=99000 total=100000\n")
	for i := range 30 {
		fmt.Fprintf(text, "stack parent=0 function=%d entry=call calls=2 instructions=5\n", i+1)
	}
	text.WriteString("stack parent=0 function=32 entry=call calls=1 instructions=799 total=810\nstack parent=31 function=33 entry=call calls=1 instructions=11\nstack parent=0 function=34 entry=call calls=3 instructions=40\n")
	p, _ := makePage(t, t.TempDir(), datasettest.Datasets(t, text.String())...)
	f := p.Data.Flame
	var got []string
	for i := range f.Parent {
		got = append(got, fmt.Sprintf("%s %d %d after %d", f.Frames.Name[f.Frame[i]], f.Calls[i], f.Instructions[i], f.Parent[i]))
	}
	want := "main 0 100000 after 0, f0 1 100000 after 1, f32 1 810 after 1, f33 1 11 after 1, f34 3 40 after 3, … 60 150 after 4"
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("%s, want %s", text, want)
	}
}

// The time of one of several datasets is drawn if it is asked for; what it says of exceptions is of
// all, and the longest is shown only if it is there.
func TestTimeOf(t *testing.T) {
	longer := strings.Replace(itsStacks, "span 20 22 ordinal=0 instructions=2", "span 20 30 ordinal=0 instructions=10", 1)
	dirs := datasettest.Datasets(t, aSource+aProgram+itsLines+itsStacks, aSource+aProgram+itsLines+longer)
	for i, want := range [][4]int64{{10, -1, 0, 0}, {10, 0, 20, 10}} {
		p, err := page.Read(dirs, content.Options{TimeOf: dirs[i]})
		if err != nil {
			t.Fatal(err)
		}
		e := p.Data.Exceptions
		if len(p.Data.Times) != 1 || e.Worst[0][0] != want || e.Entries[0] != 4 || e.Longest[0] != 10 {
			t.Errorf("%d times, worst %v, want %v", len(p.Data.Times), e.Worst[0], want)
		}
	}
	if _, err := page.Read(dirs, content.Options{TimeOf: "elsewhere"}); err == nil || !strings.Contains(err.Error(), "elsewhere: is none of the datasets") {
		t.Errorf("%v", err)
	}
}
