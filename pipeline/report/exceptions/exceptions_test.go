package exceptions_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/durations"
	"github.com/tracelake/tracelake/pipeline/report/exceptions"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// read returns the exceptions of a dataset.
func read(t *testing.T, text string) *exceptions.Table {
	t.Helper()
	dirs := datasettest.Datasets(t, datasettest.Stacked+text)
	m, err := report.Read(dirs, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := exceptions.Read(m, dirs, "")
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Durations are in the best unit that all of them have.
func TestDurationUnits(t *testing.T) {
	for _, tt := range []struct{ name, spans, want string }{
		{"cycles", "span 1 2 cycles=7 ticks=1 instructions=3\nspan 5 9 ordinal=1 cycles=9 ticks=1 instructions=4", "9 cycles at 5, median 7"},
		{"ticks", "span 1 2 ticks=5 instructions=3\nspan 5 9 ordinal=1 cycles=9 ticks=4 instructions=4", "5 ticks at 1, median 4"},
		{"instructions", "span 1 2 ticks=5 instructions=3\nspan 5 9 ordinal=1 instructions=3", "3 instructions at 1, median 3"},
		{"open", "span 1 2 cycles=5 ticks=5 instructions=3\nspan 5 ? ordinal=1 end=open", "5 cycles at 1, median 5"},
		{"gap", "span 1 2 cycles=5 instructions=3\nspan 5 9 ordinal=1 end=gap instructions=3", "5 cycles at 1, median 5"},
		{"none", "span 1 ? end=open\nspan 5 ? ordinal=1 end=open", "0 instructions at 0, median 0"},
	} {
		x := read(t, "exception 1 entry type=irq number=3\nexception 5 entry type=irq number=3\n"+tt.spans)
		if len(x.Rows) != 1 {
			t.Errorf("%s: %+v", tt.name, x)
			continue
		}
		r := &x.Rows[0]
		if got := fmt.Sprintf("%d %s at %d, median %d", r.Longest, r.Unit, r.Worst.Seq, r.Median); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// Exceptions are compared by type and number.
func TestExceptionsAgainst(t *testing.T) {
	before := read(t, "exception 1 entry type=irq number=3\nexception 5 entry type=irq number=4\nspan 1 2 instructions=6 ticks=9\nspan 5 6 ordinal=1 instructions=6")
	c := read(t, "exception 1 entry type=irq number=3\nexception 5 entry type=svc\nspan 1 2 instructions=10 ticks=11\nspan 5 6 ordinal=1 instructions=6").Against(before)
	if len(c.Rows) != 1 || c.New != 1 || c.Lost != 1 || c.Rows[0].Row.String() != "irq 3" {
		t.Fatalf("%+v", c)
	}
	figures := func(n int64) durations.Figures {
		return durations.Figures{Ended: 1, Median: n, P99: n, Shortest: n, Longest: n, Sum: n}
	}
	want := durations.Change{
		Unit: durations.InTicks, Now: figures(11), Was: figures(9), Slower: 2,
	}
	if diff := cmp.Diff(want, c.Rows[0].Change, cmpopts.IgnoreFields(durations.Figures{}, "Worst")); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

// The paths of two tasks, of an svc in the first, and of two interrupts. Their numbers are in the comments.
const paths = `
stack function=0 instructions=40 total=60 task=0 # 0
stack parent=0 entry=exception type=svc total=20 # 1
stack parent=1 function=2 instructions=20 # 2
stack task=1 entry=exception type=irq number=3 total=9 # 3
stack task=1 parent=3 function=1 instructions=1 # 4
stack task=1 parent=3 function=2 instructions=8 # 5
stack task=2 entry=exception type=irq number=4 total=6 # 6
stack task=2 parent=6 address=0x9000 instructions=6 # 7
stack task=3 function=1 instructions=25 # 8
`

// An exception is nested in those that were open where it was entered, not in those that wait in another task.
func TestNested(t *testing.T) {
	entries := func(kinds ...string) (text string) {
		for i, k := range kinds {
			text += fmt.Sprintf("exception %d entry %s\n", 10*i+10, k)
		}
		return text
	}
	const svc, irq3, irq4 = "type=svc", "type=irq number=3", "type=irq number=4"
	for _, tt := range []struct{ name, text, want string }{
		{"one after another", entries(irq3, irq3) + "span 10 20 stack=0\nspan 20 30 ordinal=1 stack=0", "irq 3: 0"},
		{"in a svc", entries(svc, irq3) + "span 20 25 ordinal=1 stack=2\nspan 10 30 ordinal=0 stack=0", "irq 3: 1, svc: 0"},
		{
			"two deep", entries(svc, irq3, irq4) +
				"span 30 31 ordinal=2 stack=5\nspan 20 35 ordinal=1 stack=2\nspan 10 40 ordinal=0 stack=0", "irq 3: 1, irq 4: 2, svc: 0",
		},
		{
			"the svc waits in another task", entries(svc, irq3, irq4) +
				"span 20 22 ordinal=1 stack=2 end=switch\nspan 30 31 ordinal=2 stack=8\nspan 10 40 ordinal=0 stack=0",
			"irq 3: 1, irq 4: 0, svc: 0",
		},
		{"in its own handler", entries(irq3, irq3) + "span 20 22 ordinal=1 stack=5\nspan 10 30 stack=0", "irq 3: 1"},
		{"and again, by itself", entries(irq3, irq3, irq3) + "span 20 22 ordinal=1 stack=5\nspan 10 29 stack=0\nspan 30 31 ordinal=2 stack=0", "irq 3: 1"},
		{"three of one kind", entries(irq3, irq3, irq3) + "span 30 31 ordinal=2 stack=5\nspan 20 32 ordinal=1 stack=5\nspan 10 40 stack=0", "irq 3: 2"},
		{"the inner one ended", entries(irq3, irq3, irq4) + "span 20 22 ordinal=1 stack=5\nspan 30 31 ordinal=2 stack=5\nspan 10 40 stack=0", "irq 3: 1, irq 4: 1"},
		{"never ended", entries(irq3, irq4) + "span 20 22 ordinal=1 stack=5\nspan 10 ? stack=0 end=open", "irq 3: 0, irq 4: 1"},
		{"it is not known in what", entries(irq3) + "span 10 20 stack=?", "irq 3: ?"},
	} {
		var got []string
		x := read(t, paths+tt.text)
		for i := range x.Rows {
			nested := "?"
			if n := x.Rows[i].Nested; n.OK {
				nested = fmt.Sprint(n.V)
			}
			got = append(got, x.Rows[i].String()+": "+nested)
		}
		slices.Sort(got)
		if got := strings.Join(got, ", "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// What was executed in exceptions is what the call tree has below them, and the handler is what most of that is in.
func TestHandlers(t *testing.T) {
	const spans = "exception 10 entry type=irq number=3\nspan 10 19 stack=0\nexception 20 entry type=irq number=4\nspan 20 26 ordinal=1 stack=0\n" +
		"exception 30 entry type=svc\nspan 30 50 ordinal=2 stack=0\nexception 60 entry type=fiq\nspan 60 ? ordinal=3 end=open stack=?\n"
	of := func(text string) (rows []string) {
		x := read(t, text+spans)
		for i := range x.Rows {
			r := &x.Rows[i]
			rows = append(rows, fmt.Sprintf("%s: %d of %d in %q at %#x", &r.Exception, r.Executed.Instructions, r.Of.Instructions, r.Handler.Function, r.Handler.Address))
		}
		return rows
	}
	want := []string{
		`svc: 20 of 100 in "handler" at 0x1010`, `irq 3: 9 of 100 in "handler" at 0x1010`, `irq 4: 6 of 100 in "" at 0x9000`,
		`fiq: 0 of 0 in "" at 0x0`,
	}
	if diff := cmp.Diff(want, of(paths)); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	for i, name := range []string{"svc", "irq 3", "irq 4", "fiq"} {
		want[i] = name + `: 0 of 0 in "" at 0x0`
	}
	if diff := cmp.Diff(want, of("")); diff != "" {
		t.Errorf("without stacks: want -, got +:\n%s", diff)
	}
}

// An svc in the handler of another one is part of that.
func TestExecutedOnce(t *testing.T) {
	x := read(t, `
stack function=0 instructions=40 cycles=50 total=60 total_cycles=80
stack parent=0 entry=exception type=svc cycles=1 total=20 total_cycles=30
stack parent=1 function=2 instructions=15 cycles=19 total=20 total_cycles=29
stack parent=2 entry=exception type=svc cycles=2 total=5 total_cycles=10
stack parent=3 function=2 instructions=5 cycles=8
exception 10 entry type=svc
exception 20 entry type=svc
span 20 25 ordinal=1 stack=2
span 10 30 stack=0`)
	r := &x.Rows[0]
	want := []stacks.Work{{Instructions: 20, Cycles: schema.Of(int64(30))}, {Instructions: 60, Cycles: schema.Of(int64(80))}}
	if diff := cmp.Diff(want, []stacks.Work{r.Executed, r.Of}); diff != "" || r.Nested != schema.Of(int64(1)) {
		t.Errorf("nested %v, want -, got +:\n%s", r.Nested, diff)
	}
}
