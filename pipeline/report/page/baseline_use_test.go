//go:build unix

package page_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/bench/need"
	"github.com/tracelake/tracelake/pipeline/report/page/browsertest"
	"github.com/tracelake/tracelake/pipeline/report/page/content"
)

// pageOfTwo returns the page of the sample against its beginning.
func pageOfTwo(t testing.TB) []byte {
	t.Helper()
	const key = "two runs"
	if made[key] == nil {
		now, before := twoRuns(t)
		made[key] = written(t, now, content.Options{
			Title: "page", Baseline: []string{before},
			Sources: content.Sources{Roots: []string{filepath.Join(need.Module(t), "bench", "sample", "program")}},
		})
	}
	return made[key]
}

// compare is a script that returns what a page of two runs shows of the change.
const compare = `
const text = e => (e?.innerText ?? "").replaceAll("\u00a0", " ").trim();
const rows = selector => [...document.querySelectorAll(selector + " tbody tr")].filter(r => r.offsetParent).map(r => [...r.cells].map(text));
const heads = () => [...document.querySelectorAll("#table thead th")].map(text);
const press = name => [...document.querySelectorAll("#table button")].find(b => b.textContent === name).click();
const shown = names => rows("#table").slice(0, 3).map(r => names.map(n => r[heads().findIndex(h => h.split(" ▾")[0] === n)]).join(" | "));
const found = {};
found.Pressed = [...document.querySelectorAll("#table [aria-pressed=true]")].map(text);
found.Functions = shown(["function", "gained", "lost", "change", "own before"]);
press("files");
found.Files = shown(["file", "gained", "lost"]);
press("lines");
found.Lines = heads();
found.Marks = [...document.querySelectorAll("#lines .mark")].map(text).filter(t => t.endsWith("gained"));
found.Exceptions = [...document.querySelectorAll("#durations thead th")].map(text);
found.Changes = [...document.querySelectorAll("#first .change")].map(text);
const flame = document.querySelector("#flame canvas");
const legend = () => [...document.querySelectorAll("#flame p.soft")].filter(p => p.offsetParent).map(text)[0];
found.Legends = [legend()];
[...document.querySelectorAll("#flame button")].find(b => b.textContent === "change").click();
found.Legends.push(legend(), location.hash);
flame.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowDown", bubbles: true, cancelable: true}));
found.Legends.push(text(document.querySelector("#flame [aria-live]")));
return found;`

// A page of two runs sorts by what changed, and shows it of functions, files, lines and exceptions. Figures are those
// of report coverage and report hotspots with --baseline.
func TestUseTwoRuns(t *testing.T) {
	type change struct{ Pressed, Functions, Files, Lines, Marks, Exceptions, Changes, Legends []string }
	c, visit := browsertest.Ask[change](t, pageOfTwo(t), browsertest.View{Width: 1200, Height: 900}, compare)
	keep(t, visit.Picture)
	for _, message := range visit.Console {
		t.Errorf("the console: %s", message)
	}
	if diff := cmp.Diff([]string{"functions", "changed first"}, c.Pressed); diff != "" {
		t.Errorf("pressed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{
		"multiply.constprop.0 | 0 | 0 | −9.9 | 41,323", "by_digits | +19 | 0 | +8.1 | 0", "quicksort | 0 | 0 | +7.8 | 35,406",
	}, c.Functions); diff != "" {
		t.Errorf("functions that changed most (-want +got):\n%s", diff)
	}
	if len(c.Files) == 0 || !slices.ContainsFunc(c.Files, func(row string) bool { return strings.HasSuffix(row, "| +92 | 0") }) {
		t.Errorf("files: %q, want one with 92 instructions gained", c.Files)
	}
	if !slices.Contains(c.Lines, "gained") || !slices.Contains(c.Lines, "lost") || !slices.Contains(c.Marks, "+19 gained") {
		t.Errorf("lines have the columns %q, the source %q", c.Lines, c.Marks)
	}
	if !slices.Contains(c.Exceptions, "median before") || !slices.Contains(c.Exceptions, "longest before") {
		t.Errorf("exceptions have the columns %q", c.Exceptions)
	}
	for i, want := range []string{"Click a frame", "Red and +: a larger share of all cycles than in ", "#table=lines&flame=change", "sort_task: 197,886 cycles, 44.9 %, "} {
		if i >= len(c.Legends) || !strings.HasPrefix(c.Legends[i], want) || i == 3 && !strings.HasSuffix(c.Legends[i], "+17.1 points.") {
			t.Errorf("the flame graph says %q, want %q in place %d", c.Legends, want, i)
		}
	}
	if len(c.Changes) != 4 || slices.Contains(c.Changes, "") {
		t.Errorf("the answers say of the change: %q, want each", c.Changes)
	}
}

// A page of two runs is whole on a desk and on a telephone, light and dark, and axe-core finds nothing in it.
func TestLooksOfTwoRuns(t *testing.T) {
	axe := need.AxeCore(t)
	for _, v := range looks {
		t.Run(fmt.Sprint(v.View), func(t *testing.T) {
			see(t, pageOfTwo(t), v.View, axe).complete(t, v.Height)
		})
	}
}
