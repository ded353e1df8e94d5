package report_test

import (
	"fmt"
	"testing"

	"github.com/tracelake/tracelake/pipeline/report"
)

// Functions of one declaration and linkage name are one. They are in the file of their declaration,
// unless all their code is of others, at the first line that has code of them.
func TestSourceFunctions(t *testing.T) {
	s := merged(t, report.Options{Exclude: []report.Exclusion{{Name: "gone"}}}, `
source 0x10
file fw.elf 0x1000 0x1000 match=1
function 0x1000 4 copy at=util.h:4
function 0x1004 8 copy at=util.h:4
function 0x100c 4 sort linkage=_Z4sortIiE at=sort.h:20
function 0x1010 4 sort linkage=_Z4sortIcE at=sort.h:20
function 0x1014 8 split at=memory.c:30
function 0x101c 8 outer at=memory.c:50
function 0x1024 4 memcpy at=string.h:85
function 0x1028 8 late
function 0x1030 4 bare at=memory.c:90
function 0x1034 4 nowhere
function 0x1038 4 gone at=memory.c:99
code 0x1000 a32 other  at=util.h:5 executed=7
code 0x1004 a32 other  at=util.h:5
code 0x1008 a32 other  at=util.h:6 executed=1
code 0x100c a32 other  at=sort.h:20 executed=2
code 0x1010 a32 other  at=sort.h:20
code 0x1014 a32 other  executed=3
code 0x1018 a32 other  at=memory.c:31 executed=3
code 0x101c a32 other  at=util.h:5 executed=4
code 0x1020 a32 other  at=memory.c:51 executed=4
code 0x1024 a32 other  at=memcpy.c:91 executed=5
code 0x1028 a32 branch conditional
code 0x102c a32 other  at=late.c:1
code 0x1030 a32 other
code 0x1034 a32 branch conditional executed=6
code 0x1038 a32 other  at=memory.c:99
code 0x103c a32 branch conditional
`).Sources()
	equal(t, [4]int64{10, 1, 1, 2}, [4]int64{s.Functions, s.Copies, s.Lineless, s.Branches})
	var got []string
	for _, f := range s.Files {
		for _, x := range f.Functions {
			got = append(got, fmt.Sprintf("%s:%d %s %d", f.Path, x.Line, x.Name, x.Executions))
		}
	}
	equal(t, []string{
		"late.c:1 late 0",
		"memcpy.c:91 memcpy 5",
		"memory.c:31 split 3", "memory.c:51 outer 4", "memory.c:90 bare 0",
		"sort.h:20 _Z4sortIcE 0", "sort.h:20 _Z4sortIiE 2",
		"util.h:5 copy 8",
	}, got)
}
