package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/calls"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// readCalls reads the calls of the dataset that a text describes.
func readCalls(t *testing.T, text string) (*report.Merged, *calls.Table) {
	t.Helper()
	dirs := []string{write(t, "run", text)}
	m, err := report.Read(dirs, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := calls.Read(m, dirs, "")
	if err != nil {
		t.Fatal(err)
	}
	return m, c
}

// changedCalls says what changed, in words.
func changedCalls(c *calls.Change) string {
	words := []string{fmt.Sprintf("same %v, %d new, %d lost", c.SameProgram, c.New, c.Lost)}
	for _, r := range c.Rows {
		words = append(words, fmt.Sprintf("%s %+g %s, median %d, was %d", r.Function, r.Slower, r.Unit, r.Now.Median, r.Was.Median))
	}
	return strings.Join(words, "; ")
}

// Functions are slower by what their calls took more than as many at the mean of before, in
// the unit that both have; what is the same is left out.
func TestCallsAgainst(t *testing.T) {
	const tree = "stack function=0 cycles=0\nstack parent=0 function=1 entry=call\nstack parent=0 function=2 entry=call\n"
	const uncounted = "stack function=0\nstack parent=0 function=1 entry=call\n"
	base, before := readCalls(t, datasettest.Stacked+tree+`
call 0 10 stack=1 instructions=5 cycles=10
call 20 30 stack=1 instructions=7 cycles=20
call 40 50 stack=2 instructions=1 cycles=1
`)
	for _, tt := range []struct{ name, text, want string }{
		{"the same", "call 0 10 stack=1 instructions=7 cycles=20\ncall 9 30 stack=1 instructions=5 cycles=10\ncall 40 50 stack=2 instructions=1 cycles=1", "same true, 0 new, 0 lost"},
		{
			"slower and faster", "call 0 10 stack=1 instructions=7 cycles=10\ncall 40 50 stack=2 instructions=1 cycles=2\ncall 60 70 stack=2 instructions=1 cycles=3",
			"same true, 0 new, 0 lost; handler +3 cycles, median 2, was 1; work -5 cycles, median 10, was 10",
		},
		{
			"new and lost", strings.Replace(tree, "function=2", "address=0x40", 1) + "call 0 10 stack=1 instructions=8 cycles=15\ncall 40 50 stack=2 instructions=1 cycles=1",
			"same true, 1 new, 1 lost; work +0 cycles, median 15, was 10",
		},
		{"without cycles", uncounted + "call 0 10 stack=1 instructions=8", "same true, 0 new, 1 lost"},
		{"never ended", "call 0 ? stack=1 end=open\ncall 40 50 stack=2 instructions=1 cycles=1", "same true, 0 new, 0 lost"},
	} {
		if !strings.HasPrefix(tt.text, "stack") {
			tt.text = tree + tt.text
		}
		m, now := readCalls(t, datasettest.Stacked+tt.text)
		if got := changedCalls(now.Against(before, m.SameProgram(base))); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	other := strings.NewReplacer("match=1", "match=1 code=beef", "0x1008", "0x1040", "function 0x1010", "function 0x2010").Replace(datasettest.Stacked)
	m, now := readCalls(t, other+strings.Split(tree, "stack parent=0 function=2")[0]+"call 0 10 stack=1 instructions=8 cycles=25")
	if got, want := changedCalls(now.Against(before, m.SameProgram(base))), "same false, 0 new, 1 lost; work +10 cycles, median 25, was 10"; got != want {
		t.Errorf("another program: %s, want %s", got, want)
	}
}

// Against a baseline hotspots also compare what functions took with their callees.
func TestHotspotsAgainstInclusive(t *testing.T) {
	base := merged(t, report.Options{}, datasettest.Stacked+"stack function=0 instructions=12 total=18\nstack parent=0 function=1 entry=call instructions=6")
	c := merged(t, report.Options{}, strings.Replace(datasettest.Stacked, "executed=10", "executed=19", 1)+
		"stack function=0 instructions=12 total=27\nstack parent=0 function=1 entry=call instructions=9").HotspotsAgainst(base, report.ByFunction)
	got := map[string]float64{}
	for i := range c.Rows {
		got[c.Rows[i].Row().Function] = c.TotalChange(&c.Rows[i])
	}
	equal(t, map[string]float64{"main": 0, "work": 0, "handler": 0}, got, cmpopts.EquateApprox(0, 1e-12))
	if !c.Inclusive || len(got) != 3 {
		t.Errorf("%+v", c)
	}
	if x := merged(t, report.Options{}, datasettest.Stacked).HotspotsAgainst(base, report.ByFunction); x.Inclusive {
		t.Error("inclusive, where one has no stacks")
	}
}
