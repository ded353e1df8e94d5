//go:build unix

package page_test

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/pipeline/report/page/browsertest"
	"github.com/tracelake/tracelake/pipeline/report/reporttest"
	"github.com/tracelake/tracelake/schema"
)

//go:embed testdata/state.js
var state string

// A showing is what a page shows of its state.
type showing struct {
	Hash, Table, Sorted, Line, Flame string
	Rows, Listed, Marked             []string
	From, To                         float64
}

// The state of a page is in its address: it is shown when the page opens, links of the first screen and the search box lead to
// it, Back takes a step back, and what is saved as CSV are the rows that are shown.
func TestState(t *testing.T) {
	type answer struct {
		Opened, Back  showing
		Links, Search map[string]showing
		Stepped       []showing
		CSV           string
	}
	hash := "#table=files&sort=own%3Aup&line=" + "PATH" + "&t=0%3A1000..3000"
	page := opened(t, "sample")
	path := fileOf(t, page, "sort.c")
	got, visit := browsertest.Ask[answer](t, page, browsertest.View{Width: 1200, Height: 900, Hash: strings.Replace(hash, "PATH", path+"%3A28", 1)}, state)
	keep(t, visit.Picture)
	for _, message := range visit.Console {
		t.Errorf("the console: %s", message)
	}
	if o := got.Opened; o.Table != "files, hot first" || o.Sorted != "own cycles ▴" || o.Line != "28" || o.Flame != "in time order" || o.From != 1000 || o.To != 3000 {
		t.Errorf("%s shows %+v", o.Hash, o)
	}
	links := got.Links
	if want := []string{"all exceptions", "all tasks", "its source", "show it", "the hottest", "what was missed"}; !slices.Equal(slices.Sorted(maps.Keys(links)), want) {
		t.Fatalf("the links of the first screen are %q, want %q", slices.Sorted(maps.Keys(links)), want)
	}
	if l := links["what was missed"]; l.Sorted != "missed ▾" || l.Rows[0] != "popcount" {
		t.Errorf("what was missed: %+v", l)
	}
	if l := links["the hottest"]; l.Sorted != "own cycles ▾" || l.Rows[0] != "quicksort" {
		t.Errorf("the hottest: %+v", l)
	}
	if l := links["its source"]; l.Line != "28" || !slices.Equal(l.Rows, []string{"quicksort"}) {
		t.Errorf("its source: %+v", l)
	}
	if l := links["all tasks"]; !strings.HasPrefix(l.Table, "tasks") || l.Rows[0] != "sort_task" {
		t.Errorf("all tasks: %+v", l)
	}
	// The longest svc takes 560 cycles.
	if l := links["show it"]; l.Flame != "in time order" || l.To-l.From < 4*500 || l.To-l.From > 4*600 {
		t.Errorf("show it: %+v", l)
	}
	if got.Back.Hash != links["show it"].Hash || got.Back.From != links["show it"].From {
		t.Errorf("Back from %q shows %+v", links["all exceptions"].Hash, got.Back)
	}
	for typed, want := range map[string][]string{"quick": {"quicksort"}, "script.c": {"script.c"}, "matrix_t": {"matrix_task"}, "0x40008028": {"_start"}} {
		s := got.Search[typed]
		if len(s.Listed) == 0 || !strings.HasPrefix(s.Listed[0], want[0]) || !slices.Equal(s.Rows, want) {
			t.Errorf("search for %s lists %q and shows %+v", typed, s.Listed, s)
		}
	}
	checkSteps(t, got.Stepped)
	rows, err := csv.NewReader(strings.NewReader(got.CSV)).ReadAll()
	if err != nil || len(rows) != 2 || rows[0][0] != "function" || rows[1][0] != got.Search["0x40008028"].Rows[0] {
		t.Errorf("CSV of the one row is %q: %v", rows, err)
	}
}

// number reads a number with commas.
func number(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(strings.ReplaceAll(text, ",", ""), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// checkSteps checks what the pane of instructions marks, at the entry of the longest svc and a few steps from
// there, and that the source is at its line.
func checkSteps(t *testing.T, steps []showing) {
	t.Helper()
	is := instructionsOf(t, reporttest.Sample(t, schema.LevelInstructions))
	const entry = 82_585 // docs/queries/Q13.sql
	for i, by := range []int64{0, 1, 2, 1, 1} {
		s := steps[i]
		if len(s.Marked) < 8 || !strings.HasSuffix(strings.Fields(s.Marked[7])[0], ":"+s.Line) {
			t.Fatalf("step %d marks %q and line %s", i, s.Marked, s.Line)
		}
		seq := number(t, s.Marked[0])
		// A click is on a pixel, which is several instructions.
		if i == 4 && (seq < entry || seq > entry+20) || i < 4 && seq != entry+by {
			t.Errorf("step %d marks seq %d, want %d", i, seq, entry+by)
		}
		if want := fmt.Sprintf("0x%08x", is[seq].Address); s.Marked[1] != want {
			t.Errorf("step %d marks %q, want %s", i, s.Marked, want)
		}
	}
}

// fileOf returns the path of the file with a name, as the address of the page has it.
func fileOf(t *testing.T, page []byte, name string) string {
	t.Helper()
	for _, path := range dataOf(t, page)["files"].(map[string]any)["path"].([]any) {
		if path := path.(string); strings.HasSuffix(path, name) {
			return strings.ReplaceAll(path, "/", "%2F")
		}
	}
	t.Fatalf("no file %s", name)
	return ""
}
