package convert_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	pprof "github.com/google/pprof/profile"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/convert"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/profile"
	"github.com/tracelake/tracelake/pipeline/report/reporttest"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// profiled reads the dataset that a text describes, with its call trees.
func profiled(t *testing.T, text string) (*report.Merged, *profile.Profile) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	check(t, datasettest.Write(dir, text))
	return profileOf(t, dir)
}

func profileOf(t *testing.T, dirs ...string) (*report.Merged, *profile.Profile) {
	t.Helper()
	m, err := report.Read(dirs, report.Options{})
	check(t, err)
	p, err := profile.Read(m, dirs, "")
	check(t, err)
	return m, p
}

// exportedProfile is of the export of a capture with a program file.
func exportedProfile(t *testing.T, name, elf string) (string, *report.Merged, *profile.Profile) {
	t.Helper()
	dir := reporttest.Export(t, name, elf, pipeline.Options{Level: schema.LevelNone})
	m, p := profileOf(t, dir)
	return dir, m, p
}

// stacked is a program whose functions call each other, themselves and a library without a
// name, and which are interrupted, in two tasks.
const stacked = `
source 0x10 core=cpu_0
file fw.elf 0x1000 0x100 match=1
file fw.elf 0x8000 0x100 match=1
function 0x1000 8 main linkage=_main at=C:/fw/main.c:10
function 0x1008 8 "sort<int; int>" linkage=_Z4sortIiE at=C:/fw/sort.h:20
function 0x8000 8 tick
code 0x1000 a32 other at=C:/fw/main.c:11 executed=4
code 0x1004 a32 call  at=C:/fw/main.c:12 executed=4
code 0x1008 a32 other at=C:/fw/sort.h:21 executed=30
code 0x100c a32 other at=C:/fw/main.c:13 executed=10
code 0x8000 a32 other executed=5
task idle
task worker context=0x2a
stack function=0 instructions=3 cycles=30 total=43
stack parent=0 function=1 entry=call calls=2 instructions=10 cycles=100 total=40
stack parent=1 function=1 entry=call calls=3 instructions=20 cycles=200 total=25
stack parent=2 entry=exception type=irq number=53 cycles=0 total=5
stack parent=3 function=2 instructions=5 cycles=7
stack parent=1 function=1 entry=tail instructions=10 cycles=1
stack parent=0 address=0x4000 entry=call instructions=0 cycles=0
stack task=1 function=0 instructions=5 cycles=50 total=6
stack task=1 parent=7 address=0x4000 entry=call instructions=1 cycles=9
`

func TestFolded(t *testing.T) {
	_, p := profiled(t, stacked)
	var out bytes.Buffer
	check(t, convert.Folded(&out, p))
	equal(t, `[task idle];main 30
[task idle];main;sort<int\x3b int> 100
[task idle];main;sort<int\x3b int>;sort<int\x3b int> 201
[task idle];main;sort<int\x3b int>;sort<int\x3b int>;[irq 53];tick 7
[task worker 0x2a];main 50
[task worker 0x2a];main;0x00004000 9
`, out.String())
}

// handled is a task that an exception interrupts, whose handlers are a root beside it, twice of the same function.
const handled = `
source 0x10
function 0x1000 8 main
function 0x1008 8 tick
task main
task "[irq 14]" first=5 origin=exception
stack function=0 instructions=3 total=7
stack parent=0 entry=other instructions=4
stack task=1 entry=exception type=irq number=14 total=2
stack task=1 parent=2 function=1 instructions=2
stack function=0 instructions=5
`

// Handlers of asynchronous exceptions are in no task, and roots of one function are one.
func TestHandlers(t *testing.T) {
	_, p := profiled(t, handled)
	var out bytes.Buffer
	check(t, convert.Folded(&out, p))
	equal(t, "[irq 14];tick 2\n[task main];main 8\n[task main];main;(other) 4\n", out.String())
}

// Without cycles of all that ran, numbers are instructions. Sources of several cores are kept
// apart.
func TestFoldedCores(t *testing.T) {
	_, p := profiled(t, `
source 0x10 core=cpu_0
source 0x11
task a
stack instructions=1 cycles=5 address=0x10
task a source=0x11
stack instructions=2 address=0x10 source=0x11
stack parent=0 entry=exception source=0x11 total=4
stack parent=1 entry=exception type=fiq source=0x11 total=4
stack parent=2 instructions=4 address=0x18 source=0x11
`)
	var out bytes.Buffer
	check(t, convert.Folded(&out, p))
	equal(t, `[core cpu_0];[task a];0x00000010 1
[source 0x11];[task a];0x00000010 2
[source 0x11];[task a];0x00000010;[exception];[fiq];0x00000018 4
`, out.String())
}

// hostile has names that no compiler makes.
const hostile = `
source 0x10
file "fw\n.elf" 0x1000 0x100 match=1
function 0x1000 8 "a;b\n[task x] 7\x00" linkage="\xff" at="src\n/\"a\".c:10"
function 0x1008 8 ""
code 0x1000 a32 other at="src\n/\"a\".c:10" executed=1
task "t;\n\xfe"
stack function=0 instructions=1 total=3
stack parent=0 function=1 instructions=2
`

func TestFoldedHostile(t *testing.T) {
	_, p := profiled(t, hostile)
	var out bytes.Buffer
	check(t, convert.Folded(&out, p))
	equal(t, `[task t\x3b\u000a\xfe];a\x3bb\u000a[task x] 7\u0000 1
[task t\x3b\u000a\xfe];a\x3bb\u000a[task x] 7\u0000;0x00001008 2
`, out.String())
}

// pprofOf writes a profile and reads it back; twice, the bytes are the same.
func pprofOf(t *testing.T, p *profile.Profile, paths *convert.Paths) *pprof.Profile {
	t.Helper()
	var first, second bytes.Buffer
	check(t, convert.PProf(&first, p, paths, []string{"ok:\nall"}))
	check(t, convert.PProf(&second, p, paths, []string{"ok:\nall"}))
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same profile makes other bytes")
	}
	read, err := pprof.ParseData(first.Bytes())
	check(t, err)
	check(t, read.CheckValid())
	return read
}

func TestPProf(t *testing.T) {
	_, p := profiled(t, stacked)
	got := pprofOf(t, p, &convert.Paths{Map: []convert.Mapping{{From: "C:/fw", To: "src"}}})
	equal(t, `Comment: ok:\u000aall
PeriodType: instructions count
Period: 1
Samples:
instructions/count cycles/count[dflt]
          3         30: 1 
                core:[cpu_0] task:[idle]
         10        100: 2 1 
                core:[cpu_0] task:[idle]
         30        201: 2 2 1 
                core:[cpu_0] task:[idle]
          5          7: 4 3 2 2 1 
                core:[cpu_0] task:[idle]
          5         50: 1 
                context_id:[0x2a] core:[cpu_0] task:[worker]
          1          9: 5 1 
                context_id:[0x2a] core:[cpu_0] task:[worker]
Locations
     1: 0x1000 M=1 main src/main.c:10:0 s=10(_main)
     2: 0x1008 M=1 sort<int; int> src/sort.h:20:0 s=20(_Z4sortIiE)
     3: 0x0 [irq 53] :0:0 s=0()
     4: 0x8000 M=2 tick :0:0 s=0
     5: 0x4000 0x00004000 :0:0 s=0()
Mappings
1: 0x1000/0x1100/0x0 fw.elf  [FN][FL][LN]
2: 0x8000/0x8100/0x0 fw.elf  [FN][FL][LN]
`, got.String())
}

func TestPProfHostile(t *testing.T) {
	_, p := profiled(t, hostile)
	got := pprofOf(t, p, &convert.Paths{})
	equal(t, `Comment: ok:\u000aall
PeriodType: instructions count
Period: 1
Samples:
instructions/count[dflt]
          1: 1 
                source:[0x10] task:[t;\u000a\xfe]
          2: 2 1 
                source:[0x10] task:[t;\u000a\xfe]
Locations
     1: 0x1000 M=1 a;b\u000a[task x] 7\u0000 src\u000a/"a".c:10:0 s=10(\xff)
     2: 0x1008 M=1 0x00001008 :0:0 s=0()
Mappings
1: 0x1000/0x1100/0x0 fw\u000a.elf  [FN][FL][LN]
`, got.String())
}

// go tool pprof finds what another program counted.
func TestGoToolPProf(t *testing.T) {
	for _, tt := range []struct {
		capture, elf string
		want         []string
	}{
		{"sample", sample.ELF, []string{"of 218349 total", "46749 21.41% 24.28% 77544 35.51% quicksort", "6264 2.87% 2.87% 91461 41.89% sort_task"}},
		{"am243x-r5f-etmv3-freertos-002b37c", "freertos.elf", []string{"of 232204 total", "6747 2.91% 4.47% 118851 51.18% vPortFree", "5715 2.46% 6.93% 109101 46.98% pvPortMalloc"}},
	} {
		t.Run(tt.capture, func(t *testing.T) {
			_, _, p := exportedProfile(t, tt.capture, tt.elf)
			name := filepath.Join(t.TempDir(), "cpu.pb.gz")
			var out bytes.Buffer
			check(t, convert.PProf(&out, p, &convert.Paths{}, nil))
			writeFile(t, name, out.Bytes())
			text, err := exec.Command("go", "tool", "pprof", "-sample_index=instructions", "-top", "-cum", name).CombinedOutput()
			if err != nil {
				t.Fatalf("go tool pprof: %v\n%s", err, text)
			}
			top := strings.Join(strings.Fields(string(text)), " ")
			for _, want := range tt.want {
				if !strings.Contains(top, want) {
					t.Errorf("no %q in\n%s", want, text)
				}
			}
		})
	}
}
