package outside

import (
	"fmt"
	"strconv"

	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Truth returns the rows that the dataset has of a source, in the order in which
// they are compared.
func Truth(d *dataset.Dataset, s Source) ([]Row, error) {
	var rows []Row
	for _, t := range []struct {
		table *schema.Table
		row   func(cells) (RowKind, string, bool)
	}{
		{&schema.Events, eventRow},
		{&schema.Exceptions, func(c cells) (RowKind, string, bool) { return exceptionRow(dialects[s.Protocol], c) }},
		{&schema.Contexts, func(c cells) (RowKind, string, bool) { return Context, contextCells(c), true }},
		{&schema.Timestamps, func(c cells) (RowKind, string, bool) { return Timestamp, c.text("timestamp"), true }},
		{&schema.CycleCounts, func(c cells) (RowKind, string, bool) { return Cycles, c.text("cycles"), true }},
		{&schema.Instructions, instructionRow},
	} {
		for b, err := range d.Batches(t.table) {
			if err != nil {
				return nil, err
			}
			if schema.KeySource.At(b, 0) != s.ID { // a batch is of one source
				continue
			}
			c := newCells(b)
			for c.row = range b.Rows() {
				if kind, text, ok := t.row(c); ok {
					rows = append(rows, Row{kind, c.number("seq"), c.number("byte_offset"), text})
				}
			}
		}
	}
	sortRows(rows)
	return rows, nil
}

func eventRow(c cells) (RowKind, string, bool) {
	switch c.text("event") {
	case schema.EventTraceOn.String(), schema.EventOverflow.String(), schema.EventDebugExit.String():
		return Restart, "", true
	case schema.EventTrigger.String():
		return Trigger, "", true
	case schema.EventCancelled.String():
		return Cancelled, c.hex("address"), true
	case schema.EventUnmapped.String():
		return Unmapped, c.hex("address"), true
	}
	return 0, "", false
}

func exceptionRow(d dialect, c cells) (RowKind, string, bool) {
	if c.text("event") == schema.ExceptionEventNames[schema.ExceptionReturn] {
		return Return, "", true
	}
	return Exception, d.exceptionText(c.text("number"), c.hex("return_address")), true
}

func contextCells(c cells) string {
	return contextText(c.text("context_id"), c.text("vmid"), c.text("security"))
}

func instructionRow(c cells) (RowKind, string, bool) {
	return Instruction, fmt.Sprintf("%s %s %s %s%s%s %s", c.hex("address"), c.text("size"), c.text("isa"),
		c.text("executed"),
		named("cycles", c.text("cycles")), named("timestamp", c.text("timestamp")), contextCells(c)), true
}

// cells are those of one row.
type cells struct {
	columns map[string]*schema.Vector
	row     int
}

func newCells(b *schema.Batch) cells {
	c := cells{columns: map[string]*schema.Vector{}}
	for i := range b.Columns {
		c.columns[b.Columns[i].Column.Name] = &b.Columns[i]
	}
	return c
}

func (c cells) text(name string) string { return c.columns[name].Text(c.row) }

func (c cells) number(name string) int64 {
	v, err := strconv.ParseInt(c.text(name), 10, 64)
	if err != nil {
		panic(fmt.Sprintf("outside: column %s: %v", name, err)) // has whole numbers only
	}
	return v
}

func (c cells) hex(name string) string {
	if c.text(name) == "NULL" {
		return "NULL"
	}
	return fmt.Sprintf("0x%08x", c.number(name))
}
