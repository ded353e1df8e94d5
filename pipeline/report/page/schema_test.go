package page_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/pipeline/report/calls"
	"github.com/tracelake/tracelake/pipeline/report/exceptions"
	"github.com/tracelake/tracelake/pipeline/report/page/content"
	"github.com/tracelake/tracelake/pipeline/report/reporttest"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/schema"
)

// An object is what JSON has of a page or a report.
type object map[string]any

// figure returns the number at a path of keys, of a list its first; null and what is not there are -1, which is what
// a page has where there is none.
func (o object) figure(path string) float64 {
	key, rest, nested := strings.Cut(path, ".")
	switch v := o[key].(type) {
	case map[string]any:
		if nested {
			return object(v).figure(rest)
		}
	case []any:
		if len(v) > 0 {
			return object{"": v[0]}.figure("")
		}
	case float64:
		return v
	case string: // the page has some ratios as text
		if n, err := strconv.ParseFloat(v, 64); err == nil {
			return n
		}
	}
	return content.None
}

// rows are those of a report.
func (o object) rows() (rows []object) {
	for _, row := range o["rows"].([]any) {
		rows = append(rows, row.(map[string]any))
	}
	return rows
}

// columns are those of a table of the page, a row of which is the figures at an index.
func (o object) columns(table string) []object {
	var rows []object
	for key, list := range o[table].(map[string]any) {
		list, _ := list.([]any) // null: there are no rows
		for i, v := range list {
			if i == len(rows) {
				rows = append(rows, object{})
			}
			rows[i][key] = v
		}
	}
	return rows
}

// jsonOf returns what encoding/json reads of JSON.
func jsonOf(t *testing.T, text []byte, err error) (o object) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// printed returns what a report prints with --json.
func printed(t *testing.T, a *answer.Answer) object {
	t.Helper()
	var out bytes.Buffer
	err := answer.JSON(&out, a)
	return jsonOf(t, out.Bytes(), err)
}

// Keys of a page and of a report, which have the same figure. UNIT is the unit of the page, in the plural.
var (
	sameKeys = map[string]string{"reached_only": "instructions.reached_only", "covered": "instructions.count", "of": "instructions.of"}
	coverage = map[string]string{"branches_both_ways": "branches_both_ways", "line": "line"}
	hotspots = map[string]string{"own": "UNIT", "entries": "entries", "total": "total_UNIT", "ipc": "ipc"}
	ofFiles  = map[string]string{"lines": "lines.of", "lines_covered": "lines.count", "outcomes": "outcomes.of", "outcomes_covered": "outcomes.count"}
	ofCalls  = map[string]string{"worst": "longest", "shortest": "shortest", "median": "median"}
	ofTasks  = map[string]string{"own": "UNIT", "switches": "switches"}
	ofTypes  = map[string]string{"entries": "entries", "unended": "end_not_seen", "median": "median", "p99": "p99", "longest": "longest"}
)

// Every figure that a page and `report --json` both have is the same, of captures with cycles and without.
func TestOneSchema(t *testing.T) {
	for _, capture := range []string{"sample", "am243x-r5f-etmv3-freertos-002b37c", "am243x-r5f-etmv3-zephyr-e9185a9"} {
		t.Run(capture, func(t *testing.T) {
			dirs := []string{reporttest.Export(t, capture, captures[capture], pipeline.Options{Level: schema.LevelNone})}
			p, _ := makePage(t, t.TempDir(), dirs...)
			text, err := json.Marshal(p.Data)
			x := &schemas{T: t, page: jsonOf(t, text, err), unit: p.Data.Unit, seen: map[string]int{}}
			m, err := report.Read(dirs, report.Options{})
			if err != nil {
				t.Fatal(err)
			}
			x.hotspots(m)
			x.coverage(m)
			x.durations(m, dirs)
			for what, n := range x.seen {
				if n == 0 {
					t.Errorf("no %s were compared", what)
				}
			}
		})
	}
}

// schemas compares a page with reports.
type schemas struct {
	*testing.T
	page object
	unit string
	seen map[string]int // rows that were compared
}

// compare compares rows of the page with those of a report that have the same name.
func (x *schemas) compare(what string, shown, rows []object, nameOnPage, name func(object) string, keys ...map[string]string) {
	x.Helper()
	index := map[string]object{}
	for _, row := range shown {
		index[nameOnPage(row)] = row
	}
	x.seen[what] += 0
	for _, row := range rows {
		key := name(row)
		on, ok := index[key]
		if !ok {
			x.Errorf("%s: the page has no row %s", what, key)
			continue
		}
		x.seen[what]++
		for _, pairs := range keys {
			for page, report := range pairs {
				if got, want := on.figure(page), row.figure(strings.ReplaceAll(report, "UNIT", x.unit)); !x.same(page, got, want) {
					x.Errorf("%s: %s of %s is %v on the page, %v (%s) in --json", what, page, key, got, want, report)
				}
			}
		}
	}
}

// same says whether a figure of the page is that of a report: pages have whole cycles, and ratios with two decimals.
func (x *schemas) same(key string, page, report float64) bool {
	switch {
	case report == content.None && (key == "own" || key == "heat" || key == "of" || key == "outcomes" || key == "line"):
		return page == 0
	case key == "ipc":
		return math.Abs(page-report) <= 0.005+1e-9
	}
	return math.Abs(page-report) <= 0.5+1e-9 && (key == "own" || key == "heat" || page == report)
}

// functionOnPage and function name a function.
func functionOnPage(o object) string {
	return fmt.Sprintf("%v at 0x%08x", o["name"], int64(o.figure("address")))
}
func functionOf(o object) string { return fmt.Sprintf("%v at %v", o["function"], o["address"]) }

// named are rows of functions, but for what is in none.
func named(rows []object) (functions []object) {
	for _, row := range rows {
		if name, ok := row["function"].(string); ok && name != "" {
			functions = append(functions, row)
		}
	}
	return functions
}

func path(o object) string     { return fmt.Sprint(o["path"]) }
func fileName(o object) string { return content.Name(fmt.Sprint(o["file"])) }

// withFile are rows that have a file.
func withFile(rows []object) (files []object) {
	for _, row := range rows {
		if row["file"] != nil {
			files = append(files, row)
		}
	}
	return files
}

func (x *schemas) hotspots(m *report.Merged) {
	x.Helper()
	byFunction := printed(x.T, answer.Hotspots(nil, m.Hotspots(report.ByFunction), report.ByFunction, 0, answer.Absent))
	if byFunction["ordered_by"] != x.page["unit"] || math.Round(byFunction.figure(x.unit)) != x.page.figure("spent") {
		x.Errorf("%v %v were spent, --json says %v %v", x.page["spent"], x.page["unit"], byFunction[x.unit], byFunction["ordered_by"])
	}
	x.compare("hotspots by function", x.page.columns("functions"), named(byFunction.rows()), functionOnPage, functionOf, hotspots)
	byFile := printed(x.T, answer.Hotspots(nil, m.Hotspots(report.ByFile), report.ByFile, 0, answer.Absent))
	x.compare("hotspots by file", x.page.columns("files"), withFile(byFile.rows()), path, fileName, map[string]string{"own": "UNIT"})
	byLine := printed(x.T, answer.Hotspots(nil, m.Hotspots(report.ByLine), report.ByLine, 0, answer.Absent))
	x.compare("hotspots by line", x.lines(), withFile(byLine.rows()), lineName, lineName, map[string]string{"heat": "UNIT"})
}

func (x *schemas) coverage(m *report.Merged) {
	x.Helper()
	by := func(by report.By) []object {
		return printed(x.T, answer.Coverage(nil, m.Coverage(by), by, 0, answer.Absent, answer.Absent, nil, nil)).rows()
	}
	x.compare("coverage by function", x.page.columns("functions"), by(report.ByFunction), functionOnPage, functionOf, sameKeys, coverage)
	x.compare("coverage by file", x.page.columns("files"), withFile(by(report.ByFile)), path, fileName, sameKeys, ofFiles)
	lines := withFile(by(report.ByLine))
	for _, line := range lines {
		line["state"] = 2.0 // not seen
		if line.figure("instructions.count") > 0 {
			line["state"] = 0.0
		} else if line.figure("instructions.reached_only") > 0 {
			line["state"] = 1.0
		}
	}
	x.compare("coverage by line", x.lines(), lines, lineName, lineName, map[string]string{"state": "state"})
}

func (x *schemas) durations(m *report.Merged, dirs []string) {
	x.Helper()
	c, err := calls.Read(m, dirs, "")
	if err != nil {
		x.Fatal(err)
	}
	var inUnit []object
	for _, row := range printed(x.T, answer.Calls(nil, c, 0, answer.Absent)).rows() {
		if row["unit"] == x.unit {
			inUnit = append(inUnit, row)
		}
	}
	x.compare("calls", x.page.columns("functions"), inUnit, functionOnPage, functionOf, ofCalls)
	tasks, err := stacks.ReadTasks(dirs, "")
	if err != nil {
		x.Fatal(err)
	}
	name := func(o object) string { return fmt.Sprint(o["name"]) }
	x.compare("tasks", x.page.columns("tasks"), printed(x.T, answer.Tasks(nil, tasks, 0, answer.Absent)).rows(), name, name, ofTasks)
	e, err := exceptions.Read(m, dirs, "")
	if err != nil {
		x.Fatal(err)
	}
	rows := printed(x.T, answer.Exceptions(nil, e, 0, answer.Absent)).rows()
	shown := x.page.columns("exceptions")
	x.compare("exceptions", shown, rows, name, func(o object) string { return fmt.Sprintf("%v %v", o["type"], o["number"]) }, ofTypes)
	for i, row := range rows { // the page has them in this order
		for _, list := range [][2]any{{shown[i]["each"], row["each"]}, {bins(shown[i]), bins(row)}} {
			if list[1] != nil && fmt.Sprint(list[0]) != fmt.Sprint(list[1]) {
				x.Errorf("exceptions: durations of %v are %v on the page, %v in --json", shown[i]["name"], list[0], list[1])
			}
		}
	}
}

// bins are how many durations lie between which edges; nil: there is no histogram.
func bins(o object) any {
	h, ok := o["histogram"].(map[string]any)
	if !ok {
		return nil
	}
	return []any{h["edges"], h["counts"]}
}

func lineName(o object) string { return fmt.Sprintf("%s:%v", fileName(o), o["line"]) }

// lines are the lines of the page that have code.
func (x *schemas) lines() (rows []object) {
	paths := x.page.columns("files")
	for _, f := range x.page["source"].(map[string]any)["files"].([]any) {
		file := object(f.(map[string]any))
		path := paths[int(file.figure("file"))]["path"]
		line := 0.0
		for _, row := range file.columns("seen") {
			line += row.figure("number")
			rows = append(rows, object{"file": path, "line": line, "heat": row["heat"], "state": row["state"]})
		}
		line = 0
		for _, more := range file["not_seen"].([]any) {
			line += more.(float64)
			rows = append(rows, object{"file": path, "line": line, "state": 2.0})
		}
	}
	return rows
}
