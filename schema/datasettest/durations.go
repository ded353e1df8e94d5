package datasettest

import (
	"fmt"

	"github.com/tracelake/tracelake/schema"
)

// addDurations adds what rows of calls say of how long they took to the stacks that they are of, unless a line says
// that, and to `call_times`.
func (d *description) addDurations() {
	stacks := map[series][]cells{}
	for _, r := range d.rows {
		if s := (series{table: r.table, source: uint8(r.cells.number("source"))}); r.table == &schema.Stacks {
			stacks[s] = append(stacks[s], r.cells)
		}
	}
	given := map[series][]bool{} // what they executed
	for s, list := range stacks {
		for _, stack := range list {
			given[s] = append(given[s], stack["instructions"] != "")
		}
	}
	for _, r := range d.rows {
		s := series{table: &schema.Stacks, source: uint8(r.cells.number("source"))}
		if i := r.cells.number("stack"); r.table == &schema.Calls && 0 <= i && i < int64(len(stacks[s])) {
			stacks[s][i].addCall(r.cells, given[s][i])
			d.addTime(r.cells, stacks[s][i])
		}
	}
	for _, list := range stacks {
		for _, stack := range list {
			delete(stack, "rows")
		}
	}
}

// took is how long a call took, by a row.
func (c cells) took() int64 {
	if c["cycles"] != "" {
		return c.number("cycles")
	}
	return c.number("instructions")
}

// addCall adds a call to its stack, and what that executed unless it is given.
func (c cells) addCall(call cells, given bool) {
	c.add("rows", 1)
	c["calls"] = fmt.Sprint(max(c.number("rows"), c.number("calls")))
	if !given {
		c.add("instructions", call.number("own_instructions"))
		c["total_instructions"] = c["instructions"]
	}
	if call["own_cycles"] != "" && !given {
		c.add("cycles", call.number("own_cycles"))
		c["total_cycles"] = c["cycles"]
	}
	if call["end"] != schema.CallReturn.String() {
		c.add("not_ended", 1)
		return
	}
	took := call.took()
	if c["shortest"] == "" || took < c.number("shortest") {
		c["shortest"] = fmt.Sprint(took)
	}
	if c["longest"] == "" || took > c.number("longest") {
		c["longest"], c["longest_seq"] = fmt.Sprint(took), call["seq"]
	}
}

// add adds to a number.
func (c cells) add(column string, n int64) { c[column] = fmt.Sprint(c.number(column) + n) }

// addTime adds the row of `call_times` of a call that returned.
func (d *description) addTime(call, stack cells) {
	if call["end"] != schema.CallReturn.String() {
		return
	}
	took := fmt.Sprint(call.took())
	d.rows = append(d.rows, row{&schema.CallTimes, cells{
		"source": call["source"], "function": stack["function"], "address": stack["address"], "at_least": took,
		"at_most": took, "calls": "1",
	}})
}
