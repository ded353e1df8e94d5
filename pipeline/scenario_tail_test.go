package pipeline

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/schema"
)

// fromEachAsync decodes from each A-sync on and demands the rows the whole has
// from there, but for what the start of a stream makes different.
func (r *trial) fromEachAsync() {
	for i, p := range r.s.Packets {
		if !strings.HasPrefix(p.Name, "A-sync") {
			continue
		}
		way := fmt.Sprintf("from the A-sync in line %d", p.Line)
		tail := r.decode(r.bytesFrom(i, len(r.stream)), false, 1)
		cuts := r.whole.rows["segments"]
		k := slices.IndexFunc(cuts, func(row map[string]string) bool { return number(row["byte_offset"]) > p.Offset })
		if k < 0 {
			if len(tail.rows["segments"]) > 0 {
				r.Errorf("%s: %s: there are segments, the whole has none", r.s.Name, way)
			}
			continue
		}
		want := relative(r.whole, k, p.Offset)
		got := relative(tail, 0, 0)
		blind(want, got)
		blindData(want, got)
		for _, set := range []*rowSet{want, got} { // some cycles of the first instruction may have gone by before
			for _, row := range set.rows["instructions"][:min(1, len(set.rows["instructions"]))] {
				row["cycles"] = "?"
			}
		}
		r.contextsIn(way, got, want)
		r.same(way, got, want)
	}
}

// relative returns the rows from a segment on with ordinals, offsets, epochs
// and cycles that count from its start.
func relative(set *rowSet, segment, offset int) *rowSet {
	of := &rowSet{rows: map[string][]map[string]string{}}
	for _, table := range schema.Tables() {
		if slices.Contains(schema.Answers(), table) { // what came before decides how calls and exceptions end
			continue
		}
		for _, row := range set.rows[table.Name] {
			if at, err := strconv.Atoi(row["segment"]); err == nil && at >= segment {
				of.rows[table.Name] = append(of.rows[table.Name], maps.Clone(row))
			}
		}
	}
	for _, row := range of.rows["segments"] {
		maps.DeleteFunc(row, func(column, _ string) bool { return slices.Contains(startColumns, column) })
	}
	first := of.rows["segments"][0]
	bases := map[string]int{"byte_offset": offset, "segment": segment, "seq": number(first["seq"])}
	if x := of.rows["exceptions"]; len(x) > 0 {
		bases["ordinal"] = number(x[0]["ordinal"])
	}
	for _, row := range all(of) {
		shift(row, bases)
	}
	start := first["byte_offset"]
	for _, row := range of.rows["cycle_counts"] {
		if row["byte_offset"] == start { // lies before the epoch that the start of a stream opens
			row["epoch"], row["cycle"] = "NULL", "NULL"
		}
	}
	epoch := lowest(all(of), "epoch", nil)
	inFirst := func(row map[string]string) bool { return row["epoch"] == fmt.Sprint(epoch) }
	cycle := lowest(all(of), "cycle", inFirst)
	for _, row := range all(of) {
		if inFirst(row) {
			shift(row, map[string]int{"cycle": cycle})
		}
		shift(row, map[string]int{"epoch": epoch})
	}
	if first["reason"] == "periodic" { // its events depend on what came before
		of.rows["events"] = slices.DeleteFunc(of.rows["events"], func(row map[string]string) bool {
			return row["byte_offset"] == start && (row["event"] == "trace_on" || row["event"] == "inconsistent")
		})
	}
	return of
}

func all(set *rowSet) []map[string]string {
	var rows []map[string]string
	for _, table := range schema.Tables() {
		rows = append(rows, set.rows[table.Name]...)
	}
	return rows
}

// shift subtracts bases from the columns of a row, where they are not NULL.
func shift(row map[string]string, bases map[string]int) {
	for column, base := range bases {
		if n, err := strconv.Atoi(row[column]); err == nil {
			row[column] = fmt.Sprint(n - base)
		}
	}
}

// lowest returns the least number in a column.
func lowest(rows []map[string]string, column string, of func(map[string]string) bool) int {
	least := -1
	for _, row := range rows {
		if n, err := strconv.Atoi(row[column]); err == nil && (of == nil || of(row)) && (least < 0 || n < least) {
			least = n
		}
	}
	return max(least, 0)
}

// blind removes, from the whole and from its tail, the timestamps and VMIDs before
// the first whole timestamp and the first VMID in the tail.
func blind(whole, tail *rowSet) {
	first := func(table string, of func(map[string]string) bool) int {
		for _, row := range tail.rows[table] {
			if of(row) {
				return number(row["byte_offset"])
			}
		}
		return 1 << 30
	}
	from := map[string]int{
		"timestamp":  first("timestamps", func(row map[string]string) bool { return row["timestamp"] != "NULL" }),
		"known_bits": first("timestamps", func(row map[string]string) bool { return row["timestamp"] != "NULL" }),
		"vmid":       first("packets", func(row map[string]string) bool { return row["type"] == "vmid" }),
	}
	// A timestamp of which the whole knows that it is 0 is an event there, no row.
	whole.rows["events"] = slices.DeleteFunc(whole.rows["events"], func(row map[string]string) bool {
		zero := row["event"] == "timestamp_unknown" && number(row["byte_offset"]) < from["timestamp"]
		if zero {
			tail.rows["timestamps"] = slices.DeleteFunc(tail.rows["timestamps"], func(x map[string]string) bool {
				return x["byte_offset"] == row["byte_offset"]
			})
		}
		return zero
	})
	for _, set := range []*rowSet{whole, tail} {
		set.rows["events"] = slices.DeleteFunc(set.rows["events"], func(row map[string]string) bool {
			return row["event"] == "timestamp_out_of_range" && number(row["byte_offset"]) < from["timestamp"]
		})
		for _, row := range all(set) {
			for column, at := range from {
				if _, ok := row[column]; ok && number(row["byte_offset"]) < at {
					row[column] = "?"
				}
			}
		}
	}
}

// blindData removes, from the whole and from its tail, the data that a tail does
// not know: the instruction of a transfer if it is before the tail, high bits of
// addresses, and values for placeholders before the tail.
func blindData(whole, tail *rowSet) {
	unmatched := func(set *rowSet) map[string]bool {
		at := map[string]bool{}
		for _, row := range set.rows["events"] {
			if row["event"] == "data_unmatched" {
				at[row["byte_offset"]] = true
			}
		}
		return at
	}
	known, more := unmatched(whole), unmatched(tail)
	maps.DeleteFunc(more, func(at string, _ bool) bool { return known[at] })
	ofBefore := func(row map[string]string) bool { return more[row["byte_offset"]] }
	whole.rows["data_accesses"] = slices.DeleteFunc(whole.rows["data_accesses"], ofBefore)
	tail.rows["events"] = slices.DeleteFunc(tail.rows["events"], ofBefore)
	for i, row := range tail.rows["data_accesses"][:min(len(tail.rows["data_accesses"]),
		len(whole.rows["data_accesses"]))] {
		other := whole.rows["data_accesses"][i]
		if row["address"] == "NULL" {
			row["address"], other["address"] = "?", "?"
		}
		if n, err := strconv.Atoi(other["seq"]); row["seq"] != "NULL" || err == nil && n >= 0 && other["access"] != "push" {
			continue
		}
		for _, column := range []string{"seq", "position", "size", "access"} {
			row[column], other[column] = "?", "?"
		}
		if slices.Contains([]string{"suppressed", "aborted", "cancelled"}, other["state"]) {
			row["state"], other["state"] = "?", "?"
		}
	}
}

// contextsIn checks that the tail has each change of context of the whole. It may
// have more, since less is known there.
func (r *trial) contextsIn(way string, tail, whole *rowSet) {
	for _, row := range whole.rows["contexts"] {
		if !slices.ContainsFunc(tail.rows["contexts"], func(x map[string]string) bool { return maps.Equal(x, row) }) {
			r.Errorf("%s: %s: contexts has no row %v", r.s.Name, way, row)
		}
	}
	delete(tail.rows, "contexts")
	delete(whole.rows, "contexts")
}
