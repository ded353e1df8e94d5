//go:build unix

package page_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/pipeline/report/page/browsertest"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// saves is a script that returns what tables show, and what is saved of each.
const saves = `
const text = e => (e?.innerText ?? "").replaceAll("\u00a0", " ").trim();
let blob, name;
URL.createObjectURL = b => { blob = b; return "#saved"; };
HTMLAnchorElement.prototype.click = function () { name = this.download; };
const saved = async place => {
  const more = [...place.querySelectorAll(".after button")].find(b => text(b) === "more");
  for (let i = 0; i < 5; i++) more?.click();
  place.querySelector(".after .link").click();
  return {
    Name: name, Save: text(place.querySelector(".after .link")), Heads: [...place.querySelectorAll("thead th")].map(h => text(h).replace(/ [▾▴]$/, "")),
    Rows: [...place.querySelectorAll("tbody tr")].map(r => [...r.cells].map(c => text(c).replace(/ ▾.*/s, ""))), CSV: await blob.text(),
  };
};
const found = {};
const tables = [...document.querySelectorAll("#table [aria-label='Table of'] button")];
for (const table of tables) {
  table.click();
  found[text(table)] = await saved(document.querySelector("#table"));
}
if (document.querySelector("#durations table")) found.exceptions = await saved(document.querySelector("#durations"));
return found;`

// A savedTable is a table of a page, and what is saved of it.
type savedTable struct {
	Name, Save, CSV string
	Heads           []string
	Rows            [][]string // the first
}

// What is saved as CSV of a table is all its rows in their order, with the figures that it shows: plain numbers,
// whole names, two columns of "n of m".
func TestCSV(t *testing.T) {
	stripped := datasettest.Datasets(t, aSource+"file fw.elf 0x1000 0x100 match=1\n"+without(itsLines, ` at=\S+`))
	_, ofStretches := makePage(t, t.TempDir(), stripped...)
	code := []string{"files", "functions", "lines", "tasks", "exceptions"}
	for _, tt := range []struct {
		name   string
		page   []byte
		tables []string
	}{
		{"sample", pageOf(t, "sample"), code},
		{"freertos", pageOf(t, "am243x-r5f-etmv3-freertos-002b37c"), code},
		{"two runs", pageOfTwo(t), code},
		{"stretches", ofStretches, []string{"stretches"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, _ := browsertest.Ask[map[string]savedTable](t, tt.page, browsertest.View{Width: 1200, Height: 900}, saves)
			for _, name := range tt.tables {
				x, ok := found[name]
				if !ok || len(x.Rows) == 0 || !strings.EqualFold(x.Name, name+".csv") {
					t.Errorf("%s: %d rows, saved as %q", name, len(x.Rows), x.Name)
					continue
				}
				for _, problem := range x.check() {
					t.Errorf("%s: %s", name, problem)
				}
			}
			if len(found) != len(tt.tables) {
				t.Errorf("%d tables, want %q", len(found), tt.tables)
			}
		})
	}
}

// check returns what of the saved rows is not as the table shows it.
func (x *savedTable) check() (problems []string) {
	rows, err := csv.NewReader(strings.NewReader(x.CSV)).ReadAll()
	if n := len(rows) - 1; err != nil || n < len(x.Rows) || x.Save != "Save "+figures.Count(int64(n), "row")+" as CSV" {
		return []string{fmt.Sprintf("%d rows are saved of %d and more: %s, %v", n, len(x.Rows), x.Save, err)}
	}
	saved := 0 // columns
	for column, head := range x.Heads {
		at := slices.Index(rows[0], head)
		if at < 0 {
			if head != "covered" && head != "share" { // what they are made of is in other columns
				problems = append(problems, head+" is not saved")
			}
			continue
		}
		saved++
		of := slices.Index(rows[0], head+", of")
		if of >= 0 {
			saved++
		}
		for i, row := range x.Rows {
			whole := ""
			if of >= 0 {
				whole = rows[i+1][of]
			}
			if !isShownAs(head, rows[i+1][at], whole, row[column]) {
				problems = append(problems, fmt.Sprintf("%s of row %d is %q %q, shown as %q", head, i, rows[i+1][at], whole, row[column]))
			}
		}
	}
	if saved != len(rows[0]) {
		problems = append(problems, fmt.Sprintf("the columns %q are saved of %q", rows[0], x.Heads))
	}
	return problems
}

// isShownAs says whether a table shows a saved value, "n of m" with its whole, so.
func isShownAs(head, value, whole, shown string) bool {
	shown = strings.TrimPrefix(strings.TrimSuffix(strings.ReplaceAll(shown, ",", ""), " %"), "< ")
	switch {
	case head == "worst": // leads to it
		return true
	case whole == "0":
		return shown == "–"
	case whole != "":
		return shown == value+" of "+whole
	case value == "":
		return shown == "–" || shown == ""
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil {
		begin, end, _ := strings.Cut(shown, "…") // names may be cut, and paths have their last two parts
		value = strings.ReplaceAll(value, ",", "")
		return strings.Contains(value, begin) && strings.HasSuffix(value, end)
	}
	m, err := strconv.ParseFloat(strings.TrimLeft(strings.ReplaceAll(shown, "−", "-"), "+"), 64)
	if head == "lost" {
		m = -m
	}
	return err == nil && math.Abs(n-m) <= 0.05+1e-9 && (m == n || strings.Contains(shown, "."))
}
