package profile_test

import (
	"fmt"
	"testing"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/profile"
	"github.com/tracelake/tracelake/pipeline/report/reporttest"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// costs returns what functions cost in the datasets that texts describe.
func costs(t *testing.T, texts ...string) *profile.Costs {
	t.Helper()
	return costsOf(t, datasettest.Datasets(t, texts...))
}

func costsOf(t *testing.T, dirs []string) *profile.Costs {
	t.Helper()
	m, err := report.Read(dirs, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := profile.ReadCosts(m, dirs, "")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// costName names a function of costs.
func costName(c *profile.Costs, i int) string {
	if i < len(c.Frames) {
		return c.Frames[i].Text()
	}
	return "task " + c.Tasks[i-len(c.Frames)].Name
}

// costLines has a line for each instruction and each call.
func costLines(c *profile.Costs) []string {
	var lines []string
	for i, f := range c.Functions {
		for _, x := range f.Own {
			lines = append(lines, fmt.Sprintf("%s: %s %s", costName(c, i), at(x.Place), work(x.Work)))
		}
		for _, x := range f.Calls {
			lines = append(lines, fmt.Sprintf("%s: %s %d calls of %s: %s", costName(c, i), at(x.From), x.Calls, costName(c, x.Callee), work(x.All)))
		}
	}
	return lines
}

func at(p profile.CodePlace) string { return fmt.Sprintf("%x %s:%d", p.Address, p.File, p.Line) }

// looped is a program whose functions call each other in a circle.
const looped = `
source 0x10
file fw.elf 0x1000 0x100 match=1
function 0x1000 0x10 main at=a.c:1
function 0x1010 0x10 ping at=a.c:10
function 0x1020 0x10 pong at=b.c:1
code 0x1000 a32 call  at=a.c:2 executed=1
code 0x1004 a32 call  at=a.c:3 executed=1
code 0x1010 a32 call  at=a.c:11 executed=7
code 0x1014 a32 other at=a.c:11 executed=1
code 0x1018 a32 call  at=a.c:11
code 0x1020 a32 call  at=c.h:5 executed=30
code 0x1024 a32 other executed=2
edge 0x1000 0x1010 call taken
edge 0x1004 0x1010 call taken
edge 0x1018 0x1020 call taken
edge 0x1010 0x1020 indirect_call unknown
edge 0x1014 0x1020 call not_taken
edge 0x1004 0x1020 branch taken
edge 0x1020 0x1010 call taken
edge 0x9000 0x1010 call taken
edge 0x1004 0x9000 call taken
task a
`

// A call has the line that calls, if that is one alone and of the file of the caller; the costs
// of a function that is on the stack already are those of its outermost call.
func TestCosts(t *testing.T) {
	c := costs(t, looped+`
stack function=0 instructions=2 total=42
stack parent=0 function=1 entry=call calls=2 instructions=5 total=40
stack parent=1 function=2 entry=call calls=3 instructions=30 total=35
stack parent=2 function=1 entry=call calls=4 instructions=3 total=5
stack parent=3 function=2 entry=call calls=5 instructions=2
`)
	equal(t, []string{
		"main: 1000 a.c:2 1", "main: 1004 a.c:3 1",
		"main: 1000 a.c:1 2 calls of ping: 40",
		"ping: 1010 a.c:11 7", "ping: 1014 a.c:11 1",
		"ping: 1010 a.c:11 8 calls of pong: 35",
		"pong: 1020 c.h:5 30", "pong: 1024 :0 2",
		"pong: 1020 b.c:1 4 calls of ping: 0",
		"task a: 0 :0 1 calls of main: 42",
	}, costLines(c))
}

// What a function took by itself is divided among its instructions; without any it is at its
// first address. Code that no function has, and exceptions, are functions.
func TestCostsDivided(t *testing.T) {
	c := costs(t, looped+`
run 0x2000 a32 executed=9
stack function=1 instructions=8 cycles=15
stack parent=0 function=2 instructions=64 cycles=5
stack parent=1 address=0x2000 instructions=9 cycles=1
stack parent=2 entry=exception type=irq cycles=0
`+"function 0x2010 4 gone at=d.c:9\nstack parent=3 function=3 instructions=4 cycles=2")
	equal(t, []string{
		"ping: 1010 a.c:11 7/13", "ping: 1014 a.c:11 1/2",
		"ping: 1010 a.c:11 1 calls of pong: 77/8",
		"pong: 1020 c.h:5 60/5", "pong: 1024 :0 4/0",
		"pong: 1020 b.c:1 1 calls of 0x00002000: 13/3",
		"0x00002000: 2000 :0 9/1",
		"0x00002000: 2000 :0 1 calls of [irq]: 4/2",
		"[irq]: 0 :0 1 calls of gone: 4/2",
		"gone: 2010 d.c:9 4/2",
		"task a: 0 :0 1 calls of ping: 85/23",
	}, costLines(c))
}

// Of the sample, the costs of instructions are those that were counted, and the calls of a
// function have together what it took with its callees.
func TestSampleCosts(t *testing.T) {
	c := costsOf(t, []string{reporttest.Sample(t, schema.LevelNone)})
	var own stacks.Work
	called := map[string]stacks.Work{}
	lines := map[string]int64{}
	for _, f := range c.Functions {
		for _, x := range f.Own {
			own = stacks.Work{Instructions: own.Instructions + x.Work.Instructions, Cycles: schema.Of(own.Cycles.V + x.Work.Cycles.V)}
			lines[fmt.Sprintf("%s:%d", x.Place.File, x.Place.Line)] += x.Work.Instructions
		}
		for _, x := range f.Calls {
			w := called[costName(c, x.Callee)]
			called[costName(c, x.Callee)] = stacks.Work{Instructions: w.Instructions + x.All.Instructions, Cycles: schema.Of(w.Cycles.V + x.All.Cycles.V)}
		}
	}
	equal(t, stacks.Work{Instructions: 218349, Cycles: schema.Of[int64](440811)}, own)
	equal(t, stacks.Work{Instructions: 77544, Cycles: schema.Of[int64](165426)}, called["quicksort"])
	equal(t, int64(91461), called["sort_task"].Instructions)
	equal(t, []int64{22719, 12796, 12641}, []int64{lines["sort.c:13"], lines["sort.c:39"], lines["sort.c:37"]})
}
