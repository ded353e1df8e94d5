package report_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/calls"
	"github.com/tracelake/tracelake/pipeline/report/durations"
	"github.com/tracelake/tracelake/pipeline/report/exceptions"
	"github.com/tracelake/tracelake/pipeline/report/reporttest"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// What functions of the sample took with their callees, what tasks and exceptions took, and
// how long calls took: figures that were counted by another program.
func TestSampleStacks(t *testing.T) {
	dir := reporttest.Sample(t, schema.LevelNone)
	dirs := []string{dir}
	m, err := report.Read(dirs, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("inclusive", func(t *testing.T) { sampleInclusive(t, m) })
	t.Run("tasks", func(t *testing.T) { sampleTasks(t, dirs) })
	t.Run("exceptions", func(t *testing.T) { sampleExceptions(t, m, dirs) })
	t.Run("calls", func(t *testing.T) { sampleCalls(t, m, dirs) })
}

// Recursion counts once: quicksort and fibonacci call themselves.
func sampleInclusive(t *testing.T, m *report.Merged) {
	h := m.Hotspots(report.ByFunction)
	if !h.Inclusive || !h.ByCycles {
		t.Errorf("inclusive %v, by cycles %v", h.Inclusive, h.ByCycles)
	}
	want := map[string]int64{
		"sort_task": 91461, "quicksort": 77544, "script_task": 52894, "interpret.constprop.0": 52674, "checksum_task": 37552, "matrix_task": 24898,
		"fibonacci": 15318,
	}
	for i := range h.Rows {
		r := &h.Rows[i]
		if r.Exception != "" { // no function
			continue
		}
		if n, ok := want[r.Function]; ok && r.All.Instructions != n {
			t.Errorf("%s: %d instructions with callees, want %d", r.Function, r.All.Instructions, n)
		}
		delete(want, r.Function)
		// what it took by itself is part of that; costs are spread evenly there
		if r.All.Instructions < r.Instructions || float64(r.All.Cycles.V) < 0.9*r.Cycles {
			t.Errorf("%s takes %d instructions and %.0f cycles, %+v with callees", r.Function, r.Instructions, r.Cycles, r.All)
		}
	}
	if len(want) > 0 {
		t.Errorf("no rows of %v", want)
	}
}

func sampleTasks(t *testing.T, dirs []string) {
	tasks, err := stacks.ReadTasks(dirs, "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range tasks.Rows {
		got = append(got, fmt.Sprintf("%s %s %d: %d in %d, %d switches, %d ambiguous, drift %d, from %d", r.Origin, r.Name, r.ContextID.V,
			r.Executed.Instructions, r.Executed.Cycles.V, r.Switches, r.Ambiguous, r.Drift, r.FirstSeq))
	}
	equal(t, []string{
		"start _start 0: 6232 in 14890, 0 switches, 0 ambiguous, drift 0, from 0",
		"new checksum_task 1: 37552 in 59757, 12 switches, 0 ambiguous, drift 0, from 6232",
		"exception [irq 14] 0: 4585 in 17312, 0 switches, 0 ambiguous, drift 0, from 10176",
		"new sort_task 2: 91461 in 197886, 15 switches, 0 ambiguous, drift 0, from 10247",
		"new matrix_task 3: 24898 in 49399, 7 switches, 0 ambiguous, drift 0, from 14263",
		"new script_task 4: 52894 in 96699, 14 switches, 0 ambiguous, drift 0, from 18279",
		"new fault_task 5: 727 in 4868, 5 switches, 0 ambiguous, drift 0, from 22295",
	}, got)
	equal(t, stacks.Work{Instructions: 218349, Cycles: schema.Of(int64(440811))}, tasks.Executed)
	if !tasks.ByCycles {
		t.Error("not by cycles")
	}
}

func sampleExceptions(t *testing.T, m *report.Merged, dirs []string) {
	x, err := exceptions.Read(m, dirs, "")
	if err != nil {
		t.Fatal(err)
	}
	got := exceptionLines(t, x)
	equal(t, []string{
		"irq 14: 52 entries, 0 without end; 476 cycles at most at 178844; nested 0; 17312 of 440811; irq_entry",
		"svc 10: 20 entries, 1 without end; 560 cycles at most at 82585; nested 0; 7276 of 440811; svc_entry",
		"undefined 9: 8 entries, 0 without end; 143 cycles at most at 38362; nested 0; 1020 of 440811; undefined_entry",
		"prefetch_abort 11: 4 entries, 0 without end; 114 cycles at most at 38376; nested 0; 456 of 440811; prefetch_abort_entry",
		"data_abort 12: 4 entries, 0 without end; 144 cycles at most at 38392; nested 0; 547 of 440811; data_abort_entry",
	}, got)
	equal(t, int64(88), x.Entries)
}

// exceptionLines says what the rows say.
func exceptionLines(t *testing.T, x *exceptions.Table) (lines []string) {
	t.Helper()
	for i := range x.Rows {
		r := &x.Rows[i]
		n, of := r.Took()
		lines = append(lines, fmt.Sprintf("%s %d: %d entries, %d without end; %d %s at most at %d; nested %d; %d of %d; %s",
			r.Type.V, r.Number.V, r.Entries, r.Unended, r.Longest, r.Unit, r.Worst.Seq, r.Nested.V, n, of, r.Handler.Function))
		checkRanked(t, r.String(), &r.Summary)
	}
	return lines
}

// In captures of silicon handlers are found below vectors, an interrupt in the handler of another one is nested, and what
// was not followed to its end has no duration. What was executed in them is what stacks have below them.
func TestExceptionsOfCaptures(t *testing.T) {
	for _, tt := range []struct {
		capture, elf string
		want         []string
	}{
		{"am243x-r5f-etmv3-freertos-002b37c", "freertos.elf", []string{
			"irq 14: 1 entries, 0 without end; 308 instructions at most at 187169; nested 0; 308 of 232204; HwiP_irq_handler",
			"debug 1: 1 entries, 1 without end; 0 instructions at most at 0; nested 0; 0 of 0; ",
		}},
		{"am243x-r5f-etmv3-zephyr-e9185a9", "zephyr.elf", []string{
			"irq 14: 3 entries, 0 without end; 429 instructions at most at 126031; nested 1; 514 of 352666; _isr_wrapper",
			"debug 1: 3 entries, 3 without end; 0 instructions at most at 0; nested 0; 0 of 0; ",
			"svc 10: 2 entries, 0 without end; 66 instructions at most at 352237; nested 0; 132 of 352666; z_arm_svc",
		}},
	} {
		t.Run(tt.capture, func(t *testing.T) {
			dirs := []string{reporttest.Export(t, tt.capture, tt.elf, pipeline.Options{Level: schema.LevelNone})}
			m, err := report.Read(dirs, report.Options{})
			if err != nil {
				t.Fatal(err)
			}
			x, err := exceptions.Read(m, dirs, "")
			if err != nil {
				t.Fatal(err)
			}
			equal(t, tt.want, exceptionLines(t, x))
		})
	}
}

// checkRanked checks that what took longest is in order, begins with the longest, and is all where there is little.
func checkRanked(t *testing.T, name string, s *durations.Summary) {
	t.Helper()
	equal(t, min(5, s.Ended), int64(len(s.Ranked)))
	for i, l := range s.Ranked {
		if want := (durations.Lasted{Took: s.Longest, At: s.Worst}); i == 0 && l != want {
			t.Errorf("%s: the longest is ranked as %+v, want %+v", name, l, want)
		}
		if i > 0 && l.Took > s.Ranked[i-1].Took {
			t.Errorf("%s: %+v comes after one that is shorter", name, l)
		}
	}
	for i, took := range s.Each[max(0, len(s.Each)-5):] {
		equal(t, took, s.Ranked[min(5, len(s.Each))-1-i].Took)
	}
}

// The longest call of each function is one that the table has, at that place; no other is
// longer, and half of them are not longer than the median.
func sampleCalls(t *testing.T, m *report.Merged, dirs []string) {
	c, err := calls.Read(m, dirs, "")
	if err != nil {
		t.Fatal(err)
	}
	all := callsByFunction(t, dirs[0])
	rows := 0
	for _, took := range all {
		rows += len(took)
	}
	equal(t, int64(rows), c.Calls)
	for i := range c.Rows {
		r := &c.Rows[i]
		took := all[r.Function]
		ended := int64(0)
		for _, x := range took {
			ended += one(x.returned)
		}
		if int64(len(took)) != r.Calls || ended != r.Ended || r.Unit != durations.InCycles {
			t.Errorf("%s: of %d calls %d ended, in %s; the table has %d, %d", r.Function, r.Calls, r.Ended, r.Unit, len(took), ended)
		}
		checkRanked(t, r.Function, &r.Summary)
		ranked := map[int64]bool{}
		for _, l := range r.Ranked {
			ranked[l.At.Seq] = true
			if took[l.At.Seq].cycles != l.Took || !l.At.Row.OK {
				t.Errorf("%s: ranked %+v; the table has %d", r.Function, l, took[l.At.Seq].cycles)
			}
		}
		var below [2]int64 // how many do not exceed the median, and the 99th percentile
		sum := int64(0)
		for seq, x := range took {
			n := x.cycles
			if !x.within(took) {
				sum += n
			}
			if !x.returned {
				continue
			}
			if n > r.Longest || n == r.Longest && seq < r.Worst.Seq {
				t.Errorf("%s: the call at %d took %d cycles; the longest is %d at %d", r.Function, seq, n, r.Longest, r.Worst.Seq)
			}
			if !ranked[seq] && n > r.Ranked[len(r.Ranked)-1].Took {
				t.Errorf("%s: the call at %d took %d cycles, and is not ranked", r.Function, seq, n)
			}
			below[0] += one(n <= r.Median+r.Median/60)
			below[1] += one(n <= r.P99+r.P99/60)
		}
		if r.Ended > 0 && took[r.Worst.Seq].cycles != r.Longest || sum != r.Sum || 2*below[0] < r.Ended || 100*below[1] < 99*r.Ended {
			t.Errorf("%s: longest %d at %d, sum %d, median %d, p99 %d: not those of the table", r.Function, r.Longest, r.Worst.Seq, r.Sum, r.Median, r.P99)
		}
	}
	if first := c.Rows[0]; first.Function != "quicksort" || first.Calls != 120 || first.Median != 711 || first.P99 != 49663 || first.Sum != 165426 {
		t.Errorf("%+v", first)
	}
}

func one(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// A tookCall is a row of `calls`.
type tookCall struct {
	task             uint32
	seq, end, cycles int64
	returned         bool
}

// within says whether another call of the same function and task is around it.
func (c tookCall) within(all map[int64]tookCall) bool {
	for _, o := range all {
		if o.task == c.task && o.seq < c.seq && c.end <= o.end {
			return true
		}
	}
	return false
}

// callsByFunction reads calls by their first instruction.
func callsByFunction(t *testing.T, dir string) map[string]map[int64]tookCall {
	t.Helper()
	d, err := dataset.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var names []string // of stacks
	functions := map[uint32]string{}
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
	rows(&schema.Functions, func(b *schema.Batch, row int) {
		functions[schema.FunctionsFunction.At(b, row)] = b.Columns[schema.FunctionsName].Str[row]
	})
	var tasks []uint32
	rows(&schema.Stacks, func(b *schema.Batch, row int) {
		names = append(names, functions[schema.StacksFunction.At(b, row)])
		tasks = append(tasks, schema.StacksTask.At(b, row))
	})
	all := map[string]map[int64]tookCall{}
	rows(&schema.Calls, func(b *schema.Batch, row int) {
		name := names[schema.CallsStack.At(b, row)]
		if all[name] == nil {
			all[name] = map[int64]tookCall{}
		}
		seq := int64(schema.CallsSeq.At(b, row))
		end := int64(schema.CallsEndSeq.At(b, row))
		if b.Columns[schema.CallsEndSeq].Null(row) {
			end = math.MaxInt64
		}
		all[name][seq] = tookCall{
			tasks[schema.CallsStack.At(b, row)], seq, end, int64(schema.CallsCycles.At(b, row)),
			schema.CallEnd(schema.CallsEnd.At(b, row)) == schema.CallReturn,
		}
	})
	return all
}

// What a function took with its callees is of its outermost frames alone, over all tasks; an
// exception counts for what it interrupted.
func TestInclusive(t *testing.T) {
	m := merged(t, report.Options{}, datasettest.Stacked+`
stack function=0 instructions=8 total=14
stack parent=0 function=1 entry=call instructions=1 total=4
stack parent=1 function=1 entry=call instructions=1 total=3
stack parent=2 function=1 entry=call instructions=1 total=1
stack parent=2 entry=exception type=irq total=1
stack parent=4 function=2 instructions=1 total=1
stack parent=0 function=1 entry=tail instructions=1 total=2
stack parent=6 function=2 entry=call instructions=1 total=1
stack task=1 function=1 instructions=2 total=4
stack parent=8 function=0 entry=call instructions=2 total=2
`)
	h := m.Hotspots(report.ByFunction)
	got := map[string]int64{}
	for _, r := range h.Rows {
		got[r.Function] = r.All.Instructions
	}
	equal(t, map[string]int64{"main": 16, "work": 10, "handler": 2}, got)
}

// If one of several datasets has no stacks, nobody knows what functions took with callees.
func TestInclusiveWithout(t *testing.T) {
	m := merged(t, report.Options{}, datasettest.Stacked+"stack function=0 instructions=8", datasettest.Stacked)
	if m.Hotspots(report.ByFunction).Inclusive {
		t.Error("inclusive, where one dataset has no stacks")
	}
}

// A percentile of rank p is the least that p percent of all do not exceed.
func TestPercentiles(t *testing.T) {
	for _, tt := range []struct{ n, median, p99 int64 }{{1, 1, 1}, {2, 1, 2}, {3, 2, 3}, {100, 50, 99}, {101, 51, 100}, {200, 100, 198}} {
		var text strings.Builder
		for i := range tt.n {
			fmt.Fprintf(&text, "call %d %d stack=1 instructions=%d\n", i, i+1, tt.n-i)
		}
		dir := write(t, "run", datasettest.Stacked+"stack function=0\nstack parent=0 function=1 entry=call\n"+text.String())
		m, err := report.Read([]string{dir}, report.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c, err := calls.Read(m, []string{dir}, "")
		if err != nil || len(c.Rows) != 1 {
			t.Fatal(err, c)
		}
		if r := &c.Rows[0]; r.Median != tt.median || r.P99 != tt.p99 || r.Longest != tt.n || r.Worst.Seq != 0 || r.Unit != durations.InInstructions {
			t.Errorf("%d: %+v, want median %d, p99 %d", tt.n, r.Summary, tt.median, tt.p99)
		}
	}
}

// Above 63 median and 99th percentile are the middle of their classes, but no more than the longest; counts, the
// shortest and the longest are those of stacks.
func TestClassesOfCalls(t *testing.T) {
	_, c := readCalls(t, datasettest.Stacked+`
stack function=0
stack parent=0 function=1 entry=call instructions=70 calls=60 not_ended=1 shortest=7 longest=101 longest_seq=5
stack parent=0 function=1 entry=tail instructions=30 calls=50 shortest=9 longest=101 longest_seq=3
took 0 7 function=1 calls=20
took 0 64 at_most=65 function=1 calls=80
took 0 100 at_most=103 function=1 calls=9
`)
	r := &c.Rows[0]
	equal(t, []int64{110, 1, 109, 7, 64, 101, 101, 3, 100}, []int64{
		r.Calls, r.Unended, r.Ended, r.Shortest, r.Median, r.P99, r.Longest, r.Worst.Seq, r.Sum,
	})
	equal(t, []bool{true, true}, []bool{r.About, r.P99About})
}

// Tables that no export writes, of a damaged dataset, are an error and never a panic.
func TestHostileStacks(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"stack as=1", "stack 1 goes on from stack -1, where 0 is the next"},
		{"stack parent=0", "stack 0 goes on from stack 0"},
		{"stack\nstack parent=7", "stack 1 goes on from stack 7"},
		{"stack parent=-2", "stack 0 goes on from stack -2"},
		{"stack function=3", "stack 0 is of function 3, which there is not"},
		{"stack function=-2", "stack 0 is of function -2"},
		{"stack instructions=-1", "stack 0 has counts that no trace can have"},
		{"stack total=9223372036854775807", "stack 0 has counts that no trace can have"},
		{"stack cycles=-5", "stack 0 has counts that no trace can have"},
		{"stack shortest=3 longest=2", "stack 0 has counts that no trace can have"},
		{"stack shortest=-3 longest=2", "stack 0 has counts that no trace can have"},
		{"stack calls=3 not_ended=4", "stack 0 has counts that no trace can have"},
		{"stack calls=3 not_ended=-1", "stack 0 has counts that no trace can have"},
		{"stack\ntook 0 5 function=3", "row 0 is of function 3, which there is not"},
		{"stack\ntook 0 5 function=-2", "row 0 is of function -2, which there is not"},
		{"stack\ntook 0 -5", "row 0 has counts that no trace can have"},
		{"stack\ntook 0 5 at_most=4", "row 0 has counts that no trace can have"},
		{"stack\ntook 0 5 calls=-1", "row 0 has counts that no trace can have"},
		{"stack\ntook 0 5 calls=9223372036854775807", "row 0 has counts that no trace can have"},
		{"stack\ntook 0 5\ncall 0 5 stack=1 instructions=5", "call 0 is of stack 1, which there is not"},
		{"stack\ntook 0 5\ncall 0 5 end=gap instructions=-1 own_instructions=1", "call 0 took what no trace can have"},
		{"exception 0 entry\nspan 0 1 stack=1 instructions=1\nstack", "span 0 is of stack 1, which there is not"},
		{"exception 0 entry\nspan 0 1 ticks=-1 instructions=1\ntask a", "span 0 took what no trace can have"},
		{"task a instructions=-1", "task 0 has counts that no trace can have"},
	} {
		dir := write(t, "run", datasettest.Stacked+tt.text)
		m, err := report.Read([]string{dir}, report.Options{})
		if err == nil && strings.Contains(tt.text, "took") {
			_, err = calls.Read(m, []string{dir}, "")
		}
		if err == nil && strings.Contains(tt.text, "span") {
			_, err = exceptions.Read(m, []string{dir}, "")
		}
		if err == nil {
			_, err = stacks.ReadTasks([]string{dir}, "")
		}
		e, ok := errors.AsType[*dataset.Error](err)
		if !ok || !e.Damaged || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.text, err, tt.want)
		}
	}
}

// Datasets of before there were stacks have no such tables: each report says which, and
// what to do.
func TestWithoutStacks(t *testing.T) {
	dirs := []string{write(t, "run", datasettest.Stacked)}
	m, err := report.Read(dirs, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = calls.Read(m, dirs, "")
	wantMissing(t, err, "call_times")
	_, err = stacks.ReadTasks(dirs, "")
	wantMissing(t, err, "tasks")
	_, err = exceptions.Read(m, dirs, "")
	wantMissing(t, err, "exception_spans")
}

func wantMissing(t *testing.T, err error, table string) {
	t.Helper()
	e, ok := errors.AsType[*dataset.Error](err)
	if !ok || e.Damaged || !strings.Contains(e.Problem, "no table "+table) || !strings.Contains(e.Remedy, "export again") {
		t.Errorf("%v", err)
	}
}
