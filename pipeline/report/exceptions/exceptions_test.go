package exceptions_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tracelake/tracelake/pipeline/report/durations"
	"github.com/tracelake/tracelake/pipeline/report/exceptions"
	"github.com/tracelake/tracelake/schema/datasettest"
)

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
		dirs := datasettest.Datasets(t, datasettest.Stacked+"exception 1 entry type=irq number=3\nexception 5 entry type=irq number=3\n"+tt.spans)
		x, err := exceptions.Read(dirs, "")
		if err != nil || len(x.Rows) != 1 {
			t.Errorf("%s: %v %+v", tt.name, err, x)
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
	read := func(text string) *exceptions.Table {
		x, err := exceptions.Read(datasettest.Datasets(t, datasettest.Stacked+text), "")
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	before := read("exception 1 entry type=irq number=3\nexception 5 entry type=irq number=4\nspan 1 2 instructions=6 ticks=9\nspan 5 6 ordinal=1 instructions=6")
	c := read("exception 1 entry type=irq number=3\nexception 5 entry type=svc\nspan 1 2 instructions=10 ticks=11\nspan 5 6 ordinal=1 instructions=6").Against(before)
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
