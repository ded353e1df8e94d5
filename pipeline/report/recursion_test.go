package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/tracelake/tracelake/bench/sample"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/pipeline/report/calls"
	"github.com/tracelake/tracelake/pipeline/report/reporttest"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/datasettest"
)

// A call of a function that is called already has its duration, but is in the sum and in what the
// function took with its callees but once. A handler is in no call that it interrupted; a tail call is a call.
func TestCallsRecursion(t *testing.T) {
	m, c := readCalls(t, datasettest.Stacked+`
stack function=0 instructions=1 total=40
stack parent=0 function=1 entry=call instructions=5 total=30
stack parent=1 function=1 entry=call instructions=4 total=20
stack parent=2 function=1 entry=call instructions=4 total=4
stack parent=1 entry=exception type=irq total=6
stack parent=4 function=2 instructions=1 total=6
stack parent=5 function=1 entry=call instructions=5 total=5
stack parent=0 address=0x4000 entry=tail instructions=1 total=9
stack parent=7 address=0x4000 entry=call instructions=5 total=8
stack parent=8 address=0x4000 entry=call instructions=2 total=2
stack parent=8 address=0x5000 entry=call instructions=1 total=1
call 3 7 stack=3 instructions=4
call 2 8 stack=2 instructions=20
call 9 14 stack=6 instructions=5
call 1 20 stack=1 instructions=30
call 23 25 stack=9 instructions=2
call 26 27 stack=10 instructions=1
call 22 29 stack=8 instructions=8
call 21 29 stack=7 instructions=9 entry=tail
`)
	rows := func(c *calls.Table) (words []string) {
		for _, r := range c.Rows {
			words = append(words, fmt.Sprintf("%s %#x: %d calls, sum %d, all %d, longest %d", r.Function, r.Address, r.Ended, r.Sum,
				r.All.Instructions, r.Longest))
		}
		return words
	}
	equal(t, []string{
		"work 0x1008: 4 calls, sum 18, all 30, longest 30",
		" 0x4000: 3 calls, sum 9, all 9, longest 9",
		" 0x5000: 1 calls, sum 1, all 1, longest 1",
	}, rows(c))
	base, before := readCalls(t, datasettest.Stacked+"stack function=0\nstack parent=0 function=1 entry=call\ncall 0 9 stack=1 instructions=9")
	if x := c.Against(before, m.SameProgram(base)); len(x.Rows) != 1 || x.Rows[0].Slower != 18-4*9 {
		t.Errorf("%+v", x)
	}
}

// What functions took with all that they called, in JSON, is the sum of the outermost paths of their
// calls, whose totals the table has.
func TestCallsInclusive(t *testing.T) {
	for _, tt := range []struct{ capture, elf string }{
		{"sample", sample.ELF},
		{"am243x-r5f-etmv3-freertos-002b37c", "freertos.elf"},
		{"am243x-r5f-etmv3-zephyr-e9185a9", "zephyr.elf"},
		{"am243x-r5f-etmv3-threadx-ce42d22", "threadx.elf"},
		{"opencsd-tc2-ptm-rstk-t32", ""},
		{"opencsd-TC2", ""},
		{"stm32f105-m3-etmv34-itm-swo", ""},
	} {
		t.Run(tt.capture, func(t *testing.T) {
			dir := reporttest.Export(t, tt.capture, tt.elf, pipeline.Options{Level: schema.LevelNone})
			want := outermostTotals(t, dir)
			rows := callsInJSON(t, dir)
			if len(rows) == 0 {
				t.Error("no calls")
			}
			for _, r := range rows {
				equal(t, want[r.place()], r.inclusive)
			}
		})
	}
}

// An inclusive is what a function took with all that it called.
type inclusive struct {
	Instructions int64  `json:"total_instructions"`
	Cycles       *int64 `json:"total_cycles"`
}

// A callsRow is a row of `report calls --json`.
type callsRow struct {
	Core, Address string
	inclusive
}

func (r *callsRow) place() string { return r.Core + " " + r.Address }

// callsInJSON returns the rows of `report calls --json` on a dataset.
func callsInJSON(t *testing.T, dir string) []callsRow {
	t.Helper()
	m, err := report.Read([]string{dir}, report.Options{})
	check(t, err)
	c, err := calls.Read(m, []string{dir}, "")
	check(t, err)
	var out bytes.Buffer
	check(t, answer.JSON(&out, answer.Calls(nil, c, len(c.Rows), answer.Absent)))
	var x struct{ Rows []callsRow }
	check(t, json.Unmarshal(out.Bytes(), &x))
	return x.Rows
}

// outermostTotals adds up the totals in `stacks` that are below no other one of the same function, by
// core and address. Programs are of every core, the rest of that of its source.
func outermostTotals(t *testing.T, dir string) map[string]inclusive {
	t.Helper()
	type node struct {
		parent int64
		place  string // "": an exception
	}
	d, err := dataset.Open(dir)
	check(t, err)
	defer d.Close()
	all, nodes, cores := map[string]inclusive{}, map[uint8][]node{}, map[uint8]string{}
	for _, s := range d.Manifest.Sources {
		cores[s.Source] = s.Core
	}
	for b, err := range d.Batches(&schema.Stacks) {
		check(t, err)
		for row := range b.Rows() {
			source := schema.StacksSource.At(b, row)
			n := node{parent: -1, place: " " + schema.StacksAddress.At(b, row).Hex()}
			if b.Columns[schema.StacksFunction].Null(row) {
				n.place = cores[source] + n.place
			}
			if schema.StackEntry(schema.StacksEntry.At(b, row)) == schema.StackException {
				n.place = ""
			}
			if !b.Columns[schema.StacksParent].Null(row) {
				n.parent = int64(schema.StacksParent.At(b, row))
			}
			nodes[source] = append(nodes[source], n)
			again := false
			for p := n.parent; p >= 0; p = nodes[source][p].parent {
				again = again || nodes[source][p].place == n.place
			}
			if again {
				continue
			}
			x := all[n.place]
			x.Instructions += int64(schema.StacksTotalInstructions.At(b, row))
			if !b.Columns[schema.StacksTotalCycles].Null(row) {
				sum := int64(schema.StacksTotalCycles.At(b, row))
				if x.Cycles != nil {
					sum += *x.Cycles
				}
				x.Cycles = &sum
			}
			all[n.place] = x
		}
	}
	return all
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
