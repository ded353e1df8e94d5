package convert_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/pipeline/convert"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/profile"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// costed returns what functions cost in the dataset that a text describes.
func costed(t *testing.T, text string) *profile.Costs {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	check(t, datasettest.Write(dir, text))
	return costsOf(t, dir)
}

func costsOf(t *testing.T, dir string) *profile.Costs {
	t.Helper()
	m, err := report.Read([]string{dir}, report.Options{})
	check(t, err)
	c, err := profile.ReadCosts(m, []string{dir}, "")
	check(t, err)
	return c
}

// Lines of an inlined function are of their own file; what calls cost is written in the file of
// the caller again.
func TestCallgrind(t *testing.T) {
	c := costed(t, stacked+"edge 0x1004 0x1008 call taken n=2\n")
	var out bytes.Buffer
	check(t, convert.Callgrind(&out, c, &convert.Paths{Map: []convert.Mapping{{From: "C:/fw", To: "src"}}, Root: "/home/me"}, "tracelake 1", []string{"ok"}))
	equal(t, `# callgrind format
version: 1
creator: tracelake 1
desc: Trust: ok
positions: instr line
events: Instructions Cycles
summary: 54 397

ob=(1) fw.elf
fl=(2) /home/me/src/main.c
fn=(3) main
0x1000 11 4 40
0x1004 12 4 40
cob=(1)
cfi=(4) /home/me/src/sort.h
cfn=(5) sort<int; int>
calls=2 0x1008 20
0x1004 12 45 308
cob=(6) ???
cfi=(7) ???
cfn=(8) 0x00004000
calls=2 0x4000 0
0x1000 10 1 9

ob=(1)
fl=(4)
fn=(5)
0x1008 21 30 226
fi=(2)
0x100c 13 10 75
fe=(4)
cob=(1)
cfi=(4)
cfn=(5)
calls=4 0x1008 20
0x1008 20 0 0
cob=(6)
cfi=(7)
cfn=(9) [irq 53]
calls=1 0x0 0
0x1008 20 5 7

ob=(6)
fl=(7)
fn=(9)
cob=(1)
cfi=(7)
cfn=(10) tick
calls=1 0x8000 0
0x0 0 5 7

ob=(1)
fl=(7)
fn=(10)
0x8000 0 5 7

ob=(6)
fl=(7)
fn=(8)
0x4000 0 1 9

ob=(6)
fl=(7)
fn=(11) [task idle]
cob=(1)
cfi=(2)
cfn=(3)
calls=1 0x1000 10
0x0 0 48 338

ob=(6)
fl=(7)
fn=(12) [task worker 0x2a]
cob=(1)
cfi=(2)
cfn=(3)
calls=1 0x1000 10
0x0 0 6 59

totals: 54 397
`, out.String())
}

func TestCallgrindHostile(t *testing.T) {
	var out bytes.Buffer
	check(t, convert.Callgrind(&out, costed(t, hostile), &convert.Paths{}, "a\nb", []string{"c\nd"}))
	equal(t, `# callgrind format
version: 1
creator: a\u000ab
desc: Trust: c\u000ad
positions: instr line
events: Instructions
summary: 3

ob=(1) fw\u000a.elf
fl=(2) src\u000a/"a".c
fn=(3) a;b\u000a[task x] 7\u0000
0x1000 10 1
cob=(1)
cfi=(4) ???
cfn=(5) 0x00001008
calls=1 0x1008 0
0x1000 10 2

ob=(1)
fl=(4)
fn=(5)
0x1008 0 2

ob=(6) ???
fl=(4)
fn=(7) [task t;\u000a\xfe]
cob=(1)
cfi=(2)
cfn=(3)
calls=1 0x1000 10
0x0 0 3

totals: 3
`, out.String())
}

// callgrind_annotate finds what another program counted.
func TestCallgrindAnnotate(t *testing.T) {
	program := need.Tool(t, need.Valgrind, "callgrind_annotate")
	for _, tt := range []struct {
		capture, elf string
		want         []string
	}{
		{"sample", sample.ELF, []string{
			"218,349 (100.0%) 440,811 (100.0%) PROGRAM TOTALS",
			"77,544 (35.51%) 165,426 (37.53%) * sort.c:quicksort [sample.elf]",
			"0 0 > sort.c:quicksort (117x) [sample.elf]", // recursion
			"91,461 (41.89%) 197,886 (44.89%) * sort.c:sort_task [sample.elf]",
			"77,544 (35.51%) 165,426 (37.53%) > sort.c:quicksort (3x) [sample.elf]",
		}},
		{"am243x-r5f-etmv3-freertos-002b37c", "freertos.elf", []string{
			"232,204 (100.0%) PROGRAM TOTALS",
			"FreeRTOS-Kernel/portable/MemMang/heap_3.c:vPortFree (519x) [freertos.elf]",
			"118,851 (51.18%) * C:/ti/mcu_plus_sdk_am243x_10_00_00_20/source/kernel/freertos/FreeRTOS-Kernel/portable/MemMang/heap_3.c:vPortFree [freertos.elf]",
		}},
	} {
		t.Run(tt.capture, func(t *testing.T) {
			dir, _, _ := exportedProfile(t, tt.capture, tt.elf)
			var out bytes.Buffer
			check(t, convert.Callgrind(&out, costsOf(t, dir), &convert.Paths{}, "tracelake", nil))
			name := filepath.Join(t.TempDir(), "callgrind.out")
			writeFile(t, name, out.Bytes())
			text, err := exec.Command(program, "--inclusive=yes", "--tree=both", "--threshold=100", name).CombinedOutput()
			if err != nil || bytes.Contains(text, []byte("WARNING")) {
				t.Fatalf("callgrind_annotate: %v\n%s", err, text)
			}
			words := strings.Join(strings.Fields(string(text)), " ")
			for _, want := range tt.want {
				if !strings.Contains(words, want) {
					t.Errorf("no %q in\n%s", want, text)
				}
			}
		})
	}
}
