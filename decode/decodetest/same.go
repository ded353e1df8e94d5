package decodetest

import (
	"fmt"
	"reflect"

	"github.com/tracelake/tracelake/decode"
	"github.com/tracelake/tracelake/schema"
)

// Difference says how two results differ in what becomes of them, "" if they do not. That
// is all but the cycles up to a segment's end where cycles are not traced.
func Difference(a, b *decode.Result) string {
	for _, x := range []struct {
		what string
		a, b any
	}{
		{"blocks", a.Blocks, b.Blocks},
		{"runs", a.Runs, b.Runs},
		{"costs", a.Costs, b.Costs},
		{"offsets", a.Offsets, b.Offsets},
		{"spans", a.Spans, b.Spans},
		{"exceptions", a.Exceptions, b.Exceptions},
		{"counts", countRows(&a.Counts), countRows(&b.Counts)},
		{"timestamps", a.Timestamps, b.Timestamps},
		{"contexts", a.Contexts, b.Contexts},
		{"data", a.Data, b.Data},
		{"events", a.Events, b.Events},
		{"losses", a.Losses, b.Losses},
		{"packets", a.Packets, b.Packets},
		{"segments", a.Segments, b.Segments},
	} {
		if v, w := reflect.ValueOf(x.a), reflect.ValueOf(x.b); v.Kind() == reflect.Slice && v.Len() == 0 && w.Len() == 0 {
			continue
		}
		if !reflect.DeepEqual(x.a, x.b) {
			return x.what + first(reflect.ValueOf(x.a), reflect.ValueOf(x.b))
		}
	}
	return ""
}

// countRows returns the rows of `cycle_counts`. A span without rows does not matter.
func countRows(c *decode.CountRows) []schema.CycleCount {
	rows := make([]schema.CycleCount, len(c.Rows))
	for i := range rows {
		rows[i] = c.At(c.Base + i)
	}
	return rows
}

// first describes the first rows that differ.
func first(a, b reflect.Value) string {
	if a.Kind() != reflect.Slice {
		return fmt.Sprintf(": %+v\nand %+v", a.Interface(), b.Interface())
	}
	for i := range min(a.Len(), b.Len()) {
		if x, y := a.Index(i).Interface(), b.Index(i).Interface(); !reflect.DeepEqual(x, y) {
			return fmt.Sprintf("[%d]: %+v\nand %+v", i, x, y)
		}
	}
	return fmt.Sprintf(": %d and %d", a.Len(), b.Len())
}

// Expanded returns r with runs in place of all that its log names.
func Expanded(r *decode.Result) *decode.Result {
	x := &decode.Result{
		Blocks: r.Blocks, Costs: r.Costs, Offsets: r.Offsets, Exceptions: r.Exceptions, Counts: r.Counts,
		Timestamps: r.Timestamps, Contexts: r.Contexts, Data: r.Data, Events: r.Events, Losses: r.Losses, Packets: r.Packets,
	}
	var from decode.Ends
	for _, s := range r.Segments {
		log := r.Log(from, s.Ends)
		own, spans := r.Runs[from[decode.Runs]:s.Ends[decode.Runs]], r.Spans[from[decode.Spans]:s.Ends[decode.Spans]]
		x.Runs, spans = log.Expand(x.Runs, own, from[decode.Runs], spans)
		x.Spans = append(x.Spans, spans...)
		from = s.Ends
		s.Ends[decode.Runs] = len(x.Runs)
		for _, kind := range []decode.RowKind{decode.Entries, decode.Shapes, decode.Paths, decode.PathShapes} {
			s.Ends[kind] = 0
		}
		x.Segments = append(x.Segments, s)
	}
	return x
}
