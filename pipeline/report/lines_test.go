package report_test

import (
	"testing"

	"github.com/tracelake/tracelake/pipeline/report"
)

// A line ran as often as that of its instructions which ran most often, and took what all of them
// took. Predicated instructions whose outcome is unknown are told from branches.
func TestLines(t *testing.T) {
	m := merged(t, report.Options{}, `
source 0x10
file fw.elf 0x1000 0x100 match=1
function 0x1000 0x20 main at=src/main.c:1
code 0x1000 a32 other  at=src/main.c:2 executed=5 timed=5 cycles=10
code 0x1004 a32 branch at=src/main.c:2 conditional executed=3 failed=6 timed=9 cycles=20.5
code 0x1008 a32 branch at=src/main.c:2 conditional unknown=4
code 0x100c a32 other  at=src/main.c:2 conditional unknown=4
code 0x1010 a32 other  at=src/main.c:9 conditional failed=7
code 0x1014 a32 other  at=src/main.c:4
code 0x1018 a32 other  at=a.h:3 executed=1 of=helper
inlined 0x1018 1 src/main.c:5
code 0x101c a32 other  executed=1
`)
	equal(t, []report.LineCounts{
		{Path: "a.h", Lines: []report.LineCount{{Number: 3, Code: tally(1, 1, 0), Executions: 1, Instructions: 1}}},
		{Path: "src/main.c", Lines: []report.LineCount{
			{
				Number: 2, Code: tally(4, 4, 0), Executions: 5, Instructions: 22, Cycles: 30.5, Unknown: 1,
				Branches:   []report.LineBranch{{Address: 0x1004, Taken: 3, NotTaken: 6}, {Address: 0x1008, Unknown: 4}},
				Predicated: []report.LineBranch{{Address: 0x100c, Unknown: 4}},
			},
			{Number: 4, Code: tally(0, 1, 0)},
			{Number: 9, Code: tally(0, 1, 1), Instructions: 7, Predicated: []report.LineBranch{{Address: 0x1010, NotTaken: 7}}},
		}},
	}, m.Lines())
}

// Without names the instructions that ran one after another are one stretch, up to the end of a
// page of memory.
func TestStretches(t *testing.T) {
	m := merged(t, report.Options{}, `
source 0x10
memory mem.bin 0x1000 0x2000
code 0x1ff8 a32 other executed=5 timed=5 cycles=10
code 0x1ffc a32 branch conditional executed=2 failed=3
code 0x2000 a32 other executed=2
code 0x2008 a32 other executed=1
code 0x200c a32 other conditional failed=1
code 0x2010 a32 other
code 0x2014 a32 other executed=4
`)
	equal(t, []report.Stretch{
		{Address: 0x1ff8, Bytes: 8, Code: tally(2, 2, 0), Branches: 1, Both: 1, Instructions: 10, Entries: 5, Timed: 5, Cycles: 10},
		{Address: 0x2000, Bytes: 4, Code: tally(1, 1, 0), Instructions: 2, Entries: 2},
		{Address: 0x2008, Bytes: 8, Code: tally(1, 2, 1), Instructions: 2, Entries: 1},
		{Address: 0x2014, Bytes: 4, Code: tally(1, 1, 0), Instructions: 4, Entries: 4},
	}, m.Stretches())
}
