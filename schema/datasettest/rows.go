package datasettest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
	"github.com/tracelake/tracelake/schema/internal/sample"
)

// A kind is a kind of line that is a row.
type kind struct {
	table    *schema.Table
	words    string // columns that stand in the line without a key, in order
	defaults string
	copies   string // columns that have the value of another unless they are given
	number   string // column that numbers the rows
}

// kinds are the kinds by the first word of their lines.
var kinds = map[string]kind{
	"loss":        {table: &schema.Losses, words: "bytes reason"},
	"function":    {&schema.Functions, "address size name", "origin=symbol", "linkage_name=name", "function"},
	"code":        {table: &schema.Code, words: "address isa kind", defaults: "section=.text"},
	"inlined":     {table: &schema.Lines, words: "address inline_depth at", defaults: "is_stmt=true"},
	"run":         {table: &schema.Counts, words: "address isa", copies: "cycles_spread=cycles"},
	"timestamp":   {table: &schema.Timestamps, words: "timestamp", defaults: "known_bits=64"},
	"instruction": {&schema.Instructions, "address isa kind", "", "cycle=cycles", "seq"},
	"edge":        {table: &schema.Edges, words: "from_address to_address kind outcome", defaults: "n=1"},
	"exception":   {&schema.Exceptions, "seq event", "", "", "ordinal"},
	"stack": {
		&schema.Stacks, "", "depth=1 entry=root calls=1", "total_instructions=instructions", "stack",
	},
	"task": {&schema.Tasks, "name", "origin=start", "", "task"},
	"call": {
		&schema.Calls, "seq end_seq", "end=return entry=call", "own_instructions=instructions own_cycles=cycles", "call",
	},
	"took":  {&schema.CallTimes, "address at_least", "calls=1", "at_most=at_least", ""},
	"span":  {&schema.ExceptionSpans, "seq end_seq", "end=return", "", "span"},
	"count": {table: &schema.Epochs, words: "epoch cycles", defaults: "kind=packet counts=1 unknown=0 gap_cycles=0"},
	"event": {table: &schema.Events, words: "seq event"},
}

// short are the short names of columns, for tables that have no column of that name.
var short = map[string]string{
	"offset": "byte_offset", "first": "first_seq", "linkage": "linkage_name", "of": "inlined_name", "in": "function",
	"type": "exception", "total": "total_instructions", "context": "context_id", "drift": "stack_drift",
}

// cells are those of a row that are given, by column.
type cells map[string]string

// number returns a cell that is a number, 0 if it is not given.
func (c cells) number(column string) int64 {
	n, _ := strconv.ParseInt(c[column], 0, 64) // what is wrong with it is found when it is written
	return n
}

// address returns the address of a row, 0 if it is not given.
func (c cells) address() uint64 {
	a, _ := strconv.ParseUint(c["address"], 0, 64) // likewise
	return a
}

// move takes some of the cells.
func (c cells) move(columns ...string) cells {
	moved := cells{}
	for _, column := range columns {
		if text, ok := c[column]; ok {
			moved[column] = text
			delete(c, column)
		}
	}
	return moved
}

type row struct {
	table *schema.Table
	cells cells
}

// A series is rows that are numbered from 0.
type series struct {
	table  *schema.Table
	source uint8
	core   string
}

// pairs calls f for each KEY=VALUE of a text.
func pairs(text string, f func(key, value string)) {
	for pair := range strings.FieldsSeq(text) {
		key, value, _ := strings.Cut(pair, "=")
		f(key, value)
	}
}

// cells returns those that a line gives.
func (k *kind) cells(w *words) cells {
	c := cells{}
	pairs(k.defaults, func(column, value string) { c[column] = value })
	columns := strings.Fields(k.words)
	for i, column := range columns {
		c[column] = w.word(i + 1)
	}
	for _, flag := range w.plain[min(len(w.plain), len(columns)+1):] {
		c[flag] = "true"
	}
	for key, value := range w.keys {
		switch long, ok := short[key]; {
		case key == "as":
			key = k.number
		case ok && !has(k.table, key):
			key = long
		}
		c[key] = value
	}
	if at := c.move("at")["at"]; at != "" {
		i := strings.LastIndexByte(at, ':')
		if i < 0 {
			w.fail("%s is not FILE:LINE", at)
			return c
		}
		c["file"], c["line"] = at[:i], at[i+1:]
	}
	pairs(k.copies, func(column, from string) {
		if _, ok := c[column]; !ok {
			c[column] = c[from]
		}
	})
	return c
}

func has(t *schema.Table, column string) bool {
	return slices.ContainsFunc(t.Columns, func(c schema.Column) bool { return c.Name == column })
}

// addRow adds the row that a line describes.
func (d *description) addRow(w *words) {
	k, ok := kinds[w.plain[0]]
	if !ok {
		w.fail("no such thing")
		return
	}
	r := row{k.table, k.cells(w)}
	if k.table.PerSource && r.cells["source"] == "" {
		r.cells["source"] = fmt.Sprint(d.manifest.Sources[0].Source)
	}
	if isa := r.cells["isa"]; has(k.table, "size") && isa != "" {
		r.cells["size"] = map[bool]string{true: "4", false: "2"}[isa == schema.A32.String() || isa == schema.A64.String()]
	}
	switch k.table {
	case &schema.Code:
		d.addCode(r.cells)
	case &schema.Losses:
		s := d.source(r)
		s.BytesLost += r.cells.number("bytes")
		s.BytesDecoded -= r.cells.number("bytes")
	}
	if k.number != "" {
		s := series{k.table, uint8(r.cells.number("source")), r.cells["core"]}
		if r.cells[k.number] == "" {
			r.cells[k.number] = fmt.Sprint(d.next[s])
		}
		d.next[s]++
	}
	d.rows = append(d.rows, r)
}

// addCode adds what a line of code says of other tables.
func (d *description) addCode(code cells) {
	if code["target"] != "" {
		code["target_isa"] = code["isa"]
	}
	if line := code.move("file", "line", "inlined_name"); line["file"] != "" {
		line["core"], line["address"], line["is_stmt"] = code["core"], code["address"], "true"
		d.rows = append(d.rows, row{&schema.Lines, line})
	}
	run := code.move("executed", "failed", "unknown", "timed", "cycles", "first_seq")
	if run.number("executed")+run.number("failed")+run.number("unknown") > 0 {
		run["source"] = fmt.Sprint(d.manifest.Sources[0].Source)
		run["address"], run["isa"], run["cycles_spread"] = code["address"], code["isa"], run["cycles"]
		d.rows = append(d.rows, row{&schema.Counts, run})
	}
}

// function returns the ordinal of the function around an address; "" if there is none.
func (d *description) function(at cells) string {
	n := 0
	for _, r := range d.rows {
		if r.table != &schema.Functions || r.cells["core"] != at["core"] {
			continue
		}
		if i := at.address() - r.cells.address(); i < uint64(r.cells.number("size")) {
			return fmt.Sprint(n)
		}
		n++
	}
	return ""
}

// write writes the rows, those of `lines` in the order of the table, and sums them up in the
// manifest.
func (d *description) write(out *dataset.Writer) error {
	slices.SortStableFunc(d.rows, func(x, y row) int {
		if x.table != &schema.Lines || y.table != &schema.Lines {
			return strings.Compare(x.table.Name, y.table.Name)
		}
		return cmp.Or(strings.Compare(x.cells["core"], y.cells["core"]),
			cmp.Compare(x.cells.address(), y.cells.address()),
			cmp.Compare(x.cells.number("inline_depth"), y.cells.number("inline_depth")))
	})
	losses := int64(0)
	for _, r := range d.rows {
		switch r.table {
		case &schema.Code, &schema.Lines:
			if _, ok := r.cells["function"]; !ok {
				r.cells["function"] = d.function(r.cells)
			}
		case &schema.Counts:
			r.cells["cycles"], _, _ = strings.Cut(r.cells["cycles"], ".") // the spread ones are a fraction
			d.source(r).Instructions += r.cells.number("executed") + r.cells.number("failed") + r.cells.number("unknown")
		case &schema.Losses:
			losses++
		}
		b := out.Table(r.table, uint8(r.cells.number("source"))).Row()
		if err := r.append(b); err != nil {
			return fmt.Errorf("%s %v: %w", r.table.Name, r.cells, err)
		}
	}
	for i := range d.manifest.Sources {
		d.manifest.Sources[i].Losses = losses
	}
	return nil
}

// append appends the row to a batch of its table.
func (r row) append(b *schema.Batch) error {
	left := maps.Clone(r.cells)
	for i := range b.Columns {
		v := &b.Columns[i]
		text := left[v.Column.Name]
		delete(left, v.Column.Name)
		isText := v.Column.Type == schema.String || v.Column.Type == schema.JSON
		if text == "" || text == "?" && !isText {
			v.AppendZeros(1)
		} else if err := sample.AppendCell(v, text); err != nil {
			return err
		}
	}
	for column := range left {
		return fmt.Errorf("there is no column %s", column)
	}
	return nil
}
