//go:build unix

package page_test

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/pipeline/report/page/browsertest"
)

// opened is a page whose module lets scripts see what it shows.
func opened(t testing.TB, capture string) []byte {
	t.Helper()
	return browsertest.ChangeModule(t, pageOf(t, capture), func(module string) string { return module + "\nglobalThis.view = view;\n" })
}

//go:embed testdata/use.js
var use string

// A usage is what happened when somebody used a page: what use.js finds.
type usage struct {
	Table struct {
		Down, Up, Filtered, ByFile [][]string
		All                        int
		States                     map[string]string
	}
	Clicked struct {
		Only, Hash, Cleared string
		Rows                [][]string
	}
	Source struct {
		File, Hash              string
		Marked, Lines, WithCode [][]string
		Without                 int
	}
	Keys struct {
		Focused bool
		Said    []string
	}
	Durations [][]string
	Worst     []struct {
		Lane    string
		Pressed []string
		Took    []int64

		Folded, Open bool
		Next         []nextLongest
	}
}

// A nextLongest is what a fold-out of the next longest shows when one is clicked.
type nextLongest struct {
	Said string
	Took []int64
}

// What can be clicked, sorted, filtered and walked through by keyboard does so. Numbers of functions and
// entries were counted on another way.
func TestUse(t *testing.T) {
	u, visit := browsertest.Ask[usage](t, opened(t, "sample"), browsertest.View{Width: 1200, Height: 900}, use)
	keep(t, visit.Picture)
	for _, message := range visit.Console {
		t.Errorf("the console: %s", message)
	}
	t.Run("table", func(t *testing.T) {
		names := func(rows [][]string) (names []string) {
			for _, r := range rows {
				names = append(names, r[0])
			}
			return names
		}
		if diff := cmp.Diff([]string{"by_digits", "descending", "ascending"}, names(u.Table.Down)); diff != "" {
			t.Errorf("entered most often (-want +got):\n%s", diff)
		}
		if first := u.Table.Up[0]; !slices.Contains(first, "0") {
			t.Errorf("entered least often: %q, want entries of 0", first)
		}
		if diff := cmp.Diff([]string{"quicksort"}, names(u.Table.Filtered)); diff != "" || u.Table.All != 46 {
			t.Errorf("%d rows in all, want 46; filtered (-want +got):\n%s", u.Table.All, diff)
		}
		if diff := cmp.Diff(map[string]string{
			"all": "20 of 46 shown", "wholly covered": "20 of 31 shown", "partly covered": "8 of 8 shown", "only reached": "0 of 0 shown", "not seen": "2 of 2 shown",
		}, u.Table.States); diff != "" {
			t.Errorf("by state (-want +got):\n%s", diff)
		}
		if len(u.Table.ByFile) != 8 {
			t.Errorf("by file: %q, want 8 rows", u.Table.ByFile)
		}
	})
	t.Run("map", func(t *testing.T) {
		// random_next has next in its name, and is another function.
		if c := u.Clicked; len(c.Rows) != 1 || c.Rows[0][0] != "next" || !strings.HasPrefix(c.Only, "only next") || c.Cleared != "20 of 46 shown" {
			t.Errorf("a click on the largest function shows %q: %q, and Escape %q", c.Only, c.Rows, c.Cleared)
		}
	})
	t.Run("source", func(t *testing.T) {
		if u.Source.File != "sort.c" || len(u.Source.Marked) != 1 || u.Source.Marked[0][0] != "28" {
			t.Errorf("quicksort leads to %s, lines %q, want sort.c, line 28", u.Source.File, u.Source.Marked)
		}
		line := strings.Join(u.Source.Lines[12], " ")
		for _, want := range []string{"13 ● 1,509 ", "4 outcomes not recorded", "static int by_digits("} {
			if !strings.Contains(line, want) {
				t.Errorf("line 13 of sort.c is without %q: %s", want, line)
			}
		}
	})
	t.Run("instructions", func(t *testing.T) { checkCode(t, u.Source.WithCode, "sort.c") })
	if !strings.Contains(u.Source.Hash, "code=1") || u.Source.Without != len(u.Source.Lines) {
		t.Errorf("%s has the instructions; without them there are %d rows, want %d", u.Source.Hash, u.Source.Without, len(u.Source.Lines))
	}
	t.Run("keys", func(t *testing.T) {
		if !u.Keys.Focused {
			t.Error("the flame graph does not take the keyboard")
		}
		// sort_task is the root of its task, too. What it took with callees is what reports say.
		for i, want := range []string{
			"ArrowDown: sort_task: 197,886 cycles", "ArrowDown: sort_task: 197,886 cycles", "ArrowDown: quicksort: 165,426 cycles", "ArrowRight: random_next: ",
			"ArrowLeft: quicksort: ", "ArrowUp: sort_task: ", "Enter: sort_task: ", "Escape: ", "search: ",
		} {
			if i >= len(u.Keys.Said) || !strings.HasPrefix(u.Keys.Said[i], want) {
				t.Errorf("it says %q, want %q in place %d", u.Keys.Said, want, i)
			}
		}
		calls := "calls that returned took 35 to 67,554, median 711 cycles" // of quicksort
		if !slices.ContainsFunc(u.Keys.Said, func(said string) bool { return strings.Contains(said, calls) }) {
			t.Errorf("it never says %q: %q", calls, u.Keys.Said)
		}
		if said := u.Keys.Said[len(u.Keys.Said)-1]; !strings.Contains(said, "37.5 % of ") { // 165,426 of 440,811
			t.Errorf("the share of what is searched for: %s", said)
		}
	})
	t.Run("worst", func(t *testing.T) {
		// Cycles of each type, by docs/queries/Q13.sql.
		longest := map[string]int64{"irq 14": 476, "svc 10": 560, "undefined 9": 143, "prefetch_abort 11": 114, "data_abort 12": 144}
		for i, shown := range u.Worst {
			want := longest[shown.Lane]
			if !slices.Contains(shown.Took, want) || !slices.Contains(shown.Pressed, "in time order") {
				t.Errorf("%q shows %v of %s in %q, want one of %d cycles", u.Durations[i], shown.Took, shown.Lane, shown.Pressed, want)
			}
			if !shown.Folded || !shown.Open {
				t.Errorf("%s: the next longest fold %v, open %v", shown.Lane, shown.Folded, shown.Open)
			}
			if shown.Lane == "irq 14" { // likewise
				checkNext(t, shown.Next, []int64{458, 457, 452, 450})
			}
		}
	})
}

// checkNext checks what is shown of the next longest exceptions, of which one on the axis may be shorter.
func checkNext(t *testing.T, next []nextLongest, want []int64) {
	t.Helper()
	if len(next) != len(want) {
		t.Fatalf("%v, want %v", next, want)
	}
	for i, n := range want {
		is := func(took int64) bool { return n*8/10 < took && took <= n }
		if next[i].Said != fmt.Sprint(n) || !slices.ContainsFunc(next[i].Took, is) {
			t.Errorf("%q shows %v, want %d", next[i].Said, next[i].Took, n)
		}
	}
}

// lines is a script that returns the columns of each canvas over time in which gaps are marked, and where
// the canvas begins and ends, first of the whole of the time and then of a part.
const lines = `
const painted = async () => { for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame); };
const press = name => [...document.querySelectorAll("#flame button")].find(b => b.textContent === name || b.getAttribute("aria-label") === name).click();
const lost = getComputedStyle(document.documentElement).getPropertyValue("--lost").trim();
const [r, g, b] = [1, 3, 5].map(i => parseInt(lost.slice(i, i + 2), 16));
const marked = canvas => {
  const {width, height} = canvas;
  const pixels = canvas.getContext("2d").getImageData(0, 0, width, height).data;
  const columns = [];
  for (let x = 0; x < width; x++) {
    let n = 0;
    for (let y = 0; y < height; y++) {
      const i = 4 * (x + y * width);
      if (pixels[i] === r && pixels[i + 1] === g && pixels[i + 2] === b) n++;
    }
    if (n >= height / 4) columns.push(x);
  }
  return columns;
};
const scales = () => ["flame", "lanes", "growth"].map(id => {
  const canvas = document.querySelector("#" + id + " .deep canvas");
  const {left, right} = canvas.getBoundingClientRect();
  return {Left: left, Right: right, Gaps: marked(canvas)};
});
press("in time order");
await painted();
const whole = scales();
press("zoom in");
press("later");
await painted();
return [whole, scales()];`

// All pictures over time have one scale, as the gaps in them show, also after somebody moved one.
func TestOneScale(t *testing.T) {
	type axis struct {
		Left, Right float64
		Gaps        []int
	}
	got, _ := browsertest.Ask[[][]axis](t, pageOf(t, "am243x-r5f-etmv3-zephyr-e9185a9"), browsertest.View{Width: 1200, Height: 900}, lines)
	for i, axes := range got {
		for _, x := range axes {
			if diff := cmp.Diff(axes[0], x); diff != "" || len(x.Gaps) == 0 {
				t.Errorf("window %d: gaps at %d; another picture (-want +got):\n%s", i, x.Gaps, diff)
			}
		}
	}
	if cmp.Equal(got[0], got[1]) {
		t.Error("zooming in and moving changed nothing")
	}
}
