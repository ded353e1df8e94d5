package page_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/pipeline/report/page/content"
	"github.com/tracelake/tracelake/pipeline/report/reporttest"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// taskTurns are the longest turn of each task, where that begins, and what switched it out most often.
func taskTurns(d *content.Data) map[string]string {
	x, all := d.Tasks, map[string]string{}
	for i, name := range x.Name {
		all[name] = fmt.Sprintf("%d at %d:%d, %s %d of %d", x.Longest[i][0], x.Longest[i][1], x.Longest[i][2], x.Out[i], x.OutTimes[i][0],
			x.OutTimes[i][1])
	}
	return all
}

// A turn goes on through exceptions that return to it. An exception that ends in another task, that task, or a gap ends
// it; where trace ends, nothing does.
func TestTurns(t *testing.T) {
	const two = `
source 0x10
file fw.elf 0x1000 0x100 match=1
function 0x1000 8 main
function 0x1008 8 work
code 0x1000 a32 other executed=60
code 0x1008 a32 other executed=40
stack function=0 instructions=60
stack task=1 function=1 instructions=38 total=40
stack task=1 parent=1 function=0 entry=call instructions=2
call 90 92 stack=2 instructions=2
task main instructions=60
task work instructions=40 first=20 origin=new switches=1
`
	const irq = "exception 15 entry type=irq number=14\nspan 15 20 end=switch stack=0 instructions=5\n"
	for _, tt := range []struct {
		name, text string
		want       map[string]string
	}{
		{
			"by an exception", irq + "exception 80 entry type=svc\nspan 80 82 ordinal=1 stack=1",
			map[string]string{"main": "20 at 0:0, irq 14 1 of 1", "work": "80 at 0:20,  0 of 0"},
		},
		{
			"by the task that begins", "exception 10 entry type=svc\nspan 10 12 stack=0\nexception 80 entry type=svc\nspan 80 82 ordinal=1 stack=1",
			map[string]string{"main": "20 at 0:0, work 1 of 1", "work": "80 at 0:20,  0 of 0"},
		},
		{
			"there and back", irq + "exception 45 entry type=irq number=14\nspan 45 50 ordinal=1 end=switch stack=1\n" +
				"exception 60 entry type=svc\nspan 60 70 ordinal=2 end=switch stack=0\nexception 80 entry type=svc\nspan 80 82 ordinal=3 stack=1",
			map[string]string{"main": "20 at 0:0, irq 14 1 of 2", "work": "30 at 0:20, irq 14 1 of 1"},
		},
		{
			"a gap", irq + "event 60 overflow\nexception 80 entry type=svc\nspan 80 82 ordinal=1 stack=1",
			map[string]string{"main": "20 at 0:0, irq 14 1 of 1", "work": "40 at 0:20, a gap 1 of 1"},
		},
	} {
		p, _ := makePage(t, t.TempDir(), datasettest.Datasets(t, two+tt.text)...)
		if diff := gocmp.Diff(tt.want, taskTurns(&p.Data)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// The tasks of the sample are switched by exceptions alone, after the first. So turns are from one that ends in another
// task to the next, in the task that this interrupted.
func TestTurnsOfSample(t *testing.T) {
	dir := reporttest.Sample(t, schema.LevelNone)
	p, _ := makePage(t, t.TempDir(), dir)
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	rows := func(of *schema.Table, do func(b *schema.Batch, row int)) {
		for b, err := range d.Batches(of) {
			if err != nil {
				t.Fatal(err)
			}
			for row := range b.Rows() {
				do(b, row)
			}
		}
	}
	var names []string
	rows(&schema.Tasks, func(b *schema.Batch, row int) { names = append(names, b.Columns[schema.TasksName].Str[row]) })
	var taskOf []uint32
	rows(&schema.Stacks, func(b *schema.Batch, row int) { taskOf = append(taskOf, schema.StacksTask.At(b, row)) })
	type entry struct {
		kind  string
		cycle int64
	}
	entries := map[uint64]entry{}
	rows(&schema.Exceptions, func(b *schema.Batch, row int) {
		kind := schema.ExceptionType(schema.ExceptionsType.At(b, row)).String()
		began := int64(schema.ExceptionsCycle.At(b, row)) - int64(schema.ExceptionsCycles.At(b, row)) // the count of its packet is its own
		entries[schema.ExceptionsOrdinal.At(b, row)] = entry{kind, began}
	})
	type end struct {
		task, by string
		at       int64
	}
	var ends []end
	rows(&schema.ExceptionSpans, func(b *schema.Batch, row int) {
		if schema.CallEnd(schema.ExceptionSpansEnd.At(b, row)) == schema.CallSwitch {
			e := entries[schema.ExceptionSpansOrdinal.At(b, row)]
			ends = append(ends, end{
				names[taskOf[schema.ExceptionSpansStack.At(b, row)]], e.kind, e.cycle + int64(schema.ExceptionSpansCycles.At(b, row)),
			})
		}
	})
	slices.SortFunc(ends, func(x, y end) int { return cmp.Compare(x.at, y.at) })
	longest, out, times := map[string]int64{}, map[string]map[string]int64{}, map[string]int64{}
	for i, e := range ends {
		if out[e.task] == nil {
			out[e.task] = map[string]int64{}
		}
		out[e.task][e.by]++
		times[e.task]++
		if i > 0 {
			longest[e.task] = max(longest[e.task], e.at-ends[i-1].at)
		}
	}
	x := p.Data.Tasks
	for i, name := range x.Name {
		by, _, _ := strings.Cut(x.Out[i], " ")
		switch n := x.OutTimes[i]; {
		case name == "_start" || name == "[irq 14]":
		case n[1] != times[name] || n[0] != out[name][by] || len(out[name]) > 2:
			t.Errorf("%s was switched out by %s, %v; exceptions did so %v", name, x.Out[i], n, out[name])
		case name != "sort_task" && x.Longest[i][0] != longest[name]:
			t.Errorf("the longest turn of %s took %d, want %d", name, x.Longest[i][0], longest[name])
		}
	}
	if last := p.Data.Times[0].Length - ends[len(ends)-1].at; x.Longest[slices.Index(x.Name, "sort_task")][0] != last {
		t.Errorf("sort_task, which runs at last, took %v, want %d", x.Longest, last)
	}
}
