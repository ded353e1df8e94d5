package report_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// What is asked about is what figures are of, but for shares of the time, which are of all that ran.
func TestSelection(t *testing.T) {
	const text = `
source 0x10
file fw.elf 0x1000 0x100 match=1
function 0x1000 8 main at=src/m.c:1 linkage=_Z4mainv
function 0x1008 8 sort_up at=src/lib/sort.c:1
function 0x1010 8 sort_down at=src/lib/sort.c:9
code 0x1000 a32 other at=src/m.c:2 executed=1 timed=1 cycles=10
code 0x1004 a32 other at=src/lib/sort.c:20 executed=1 timed=1 cycles=20
code 0x1008 a32 other at=src/lib/sort.c:2 executed=1 timed=1 cycles=30
code 0x1010 a32 other at=src/lib/sort.c:10
`
	for _, tt := range []struct {
		only    report.Selection
		covered report.Figure
		rows    []string // of hotspots
		names   []string // of what nothing matches
	}{
		{report.Selection{}, report.Figure{Covered: 3, Of: 4}, []string{"main", "sort_up"}, nil},
		{report.Selection{Functions: []string{"sort*"}}, report.Figure{Covered: 1, Of: 2}, []string{"sort_up"}, nil},
		{report.Selection{Functions: []string{"sort*", "main"}}, report.Figure{Covered: 3, Of: 4}, []string{"main", "sort_up"}, nil},
		{report.Selection{Functions: []string{"_Z4mainv"}}, report.Figure{Covered: 2, Of: 2}, []string{"main"}, nil},
		{report.Selection{Functions: []string{"0x00001010"}}, report.Figure{Covered: 0, Of: 1}, nil, nil},
		{report.Selection{Files: []string{"sort.c"}}, report.Figure{Covered: 2, Of: 3}, []string{"main", "sort_up"}, nil}, // inlined into main
		{report.Selection{Files: []string{"lib/*.c"}}, report.Figure{Covered: 2, Of: 3}, []string{"main", "sort_up"}, nil},
		{report.Selection{Functions: []string{"main"}, Files: []string{"lib/*"}}, report.Figure{Covered: 1, Of: 1}, []string{"main"}, nil},
		{report.Selection{Functions: []string{"main", "nobody"}}, report.Figure{}, nil, []string{"main", "sort_down", "sort_up"}},
		{report.Selection{Functions: []string{"[a-"}}, report.Figure{}, nil, []string{"main", "sort_down", "sort_up"}}, // no glob
		{report.Selection{Files: []string{"c/sort.c"}}, report.Figure{}, nil, []string{"m.c", "sort.c"}},
	} {
		m, err := report.Read(datasettest.Datasets(t, text), report.Options{Only: tt.only})
		if none, ok := errors.AsType[*report.NoMatchError](err); ok != (tt.names != nil) || ok && !slices.Equal(none.Names, tt.names) {
			t.Errorf("%+v: %v, want none of %q", tt.only, err, tt.names)
		}
		if tt.names != nil {
			continue
		}
		if got := m.Coverage(report.ByFunction).Instructions.Figure; got != tt.covered {
			t.Errorf("%+v: %+v, want %+v", tt.only, got, tt.covered)
		}
		h := m.Hotspots(report.ByFunction)
		var rows []string
		for _, r := range h.Rows {
			rows = append(rows, r.Function)
		}
		if slices.Sort(rows); !slices.Equal(rows, tt.rows) || h.Cycles != 60 {
			t.Errorf("%+v: %q of %v cycles, want %q of 60", tt.only, rows, h.Cycles, tt.rows)
		}
	}
}
