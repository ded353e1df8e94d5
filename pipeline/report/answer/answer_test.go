package answer

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
	"github.com/tracelake/tracelake/schema"
)

// example has every kind of value, in two rows of which one is left out of a third.
func example() *Answer {
	names := []string{"a", "b, \"c\"", "d"}
	s := &Section{Noun: "row", Rows: 3, Top: 2, Columns: []Column{
		{Title: "ON SCREENS", At: func(int) Value { return None }},
		{Key: "name", At: func(i int) Value { return Text(names[i]) }},
		{Key: "core", At: func(i int) Value { return Text([]string{"", "cpu"}[i]) }},
		When(false, Column{Key: "never", Title: "NEVER", At: func(int) Value { return Int(1) }}),
		{Key: "covered", Unit: Figure, At: func(i int) Value { return Of(int64(i), 4*int64(i)) }},
		{Key: "covered.reached", Unit: Count, At: func(i int) Value { return Int(i) }},
		{Key: "now", At: func(i int) Value { return If(i > 0, Object()) }},
		{Key: "now.cycles", Unit: Cycles, At: func(int) Value { return Tenths(438643.99999999977) }},
		{Key: "now.share", Unit: Ratio, At: func(int) Value { return PercentOf(0.25) }},
		{Key: "hidden", Unit: Count, At: func(i int) Value { return Int(7).unless(i > 0) }},
		{Key: "each", Unit: Chart, At: func(int) Value { return JSONOf([]int{1, 2}) }},
	}}
	return &Answer{Name: "example", Facts: []Fact{
		{"text", Text("<&>")},
		{"none", None},
		{"absent", Absent},
		{"empty", Word("")},
		{"list", each(1, Column{Key: "i", At: func(i int) Value { return Int(i) }})},
		{"known", Nullable(schema.Of(int64(3)))},
		{"object", Object(Fact{"x", Float(0.5)})},
		{"rows", Rows(s)},
	}}
}

// Keys are in their order, what nobody knows is null, and what is left out is counted.
func TestJSON(t *testing.T) {
	var out bytes.Buffer
	if err := JSON(&out, example()); err != nil {
		t.Fatal(err)
	}
	want := `{
  "text": "<&>",
  "none": null,
  "empty": "",
  "list": [
    {
      "i": 0
    }
  ],
  "known": 3,
  "object": {
    "x": 0.5
  },
  "rows_left_out": 1,
  "rows": [
    {
      "name": "a",
      "never": null,
      "covered": {
        "count": 0,
        "of": null,
        "percent": null,
        "reached": 0
      },
      "now": null,
      "hidden": null,
      "each": [
        1,
        2
      ]
    },
    {
      "name": "b, \"c\"",
      "core": "cpu",
      "never": null,
      "covered": {
        "count": 1,
        "of": 4,
        "percent": 25,
        "reached": 1
      },
      "now": {
        "cycles": 438644,
        "share": 25
      },
      "hidden": 7,
      "each": [
        1,
        2
      ]
    }
  ]
}
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// A line of CSV has the same numbers, and a cell for every key.
func TestCSV(t *testing.T) {
	var out bytes.Buffer
	if err := CSV(&out, example()); err != nil {
		t.Fatal(err)
	}
	want := "name,core,never,covered.count,covered.of,covered.reached,now.cycles,now.share,hidden\n" +
		"a,,,0,,0,,,\n" +
		"\"b, \"\"c\"\"\",cpu,,1,4,1,438644,25,7\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// A name is text in CSV, without the quotes of JSON.
func TestCSVOfNames(t *testing.T) {
	tasks := &stacks.Tasks{Rows: []stacks.Task{{Name: "main"}}}
	branches := &report.Branches{Rows: []report.Branch{{In: report.Name{Function: "main"}}}}
	for _, a := range []*Answer{Tasks(nil, tasks, 0, Absent), Branches(nil, branches, 0, Absent, Absent)} {
		var out bytes.Buffer
		if err := CSV(&out, a); err != nil || !strings.Contains(out.String(), ",main,") {
			t.Errorf("%v: %s", err, &out)
		}
	}
}

// Sums of shares of cycles are rounded once, to a tenth; the order of rows and what screens show first
// are by the unit.
func TestHotspots(t *testing.T) {
	h := &report.Hotspots{Named: true, ByCycles: true, Cycles: 438643.99999999977, Rows: []report.HotspotRow{
		{Name: report.Name{Function: "f"}, Cycles: 107220.00000000001, Instructions: 2, Entries: 1},
	}}
	var out bytes.Buffer
	a := Hotspots(nil, h, report.ByFunction, 0, Absent)
	if err := CSV(&out, a); err != nil {
		t.Fatal(err)
	}
	want := "core,function,address,file,line,outside,exception,instructions,entries,cycles,seconds,ipc,total_instructions,total_cycles\n" +
		",f,0x00000000,,,,,2,1,107220,,0,,\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
	places := map[string]int{}
	for _, c := range a.Section().Columns {
		places[c.Title] = c.Place
	}
	if places["CYCLES"] > places["INSTRUCTIONS"] {
		t.Errorf("cycles are after instructions: %v", places)
	}
}
