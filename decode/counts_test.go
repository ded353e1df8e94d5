package decode

import (
	"math"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/schema"
)

// countRows returns c as rows.
func countRows(c *CountRows) []schema.CycleCount {
	var rows []schema.CycleCount
	for s, counts := range c.Each {
		for i := range counts {
			rows = append(rows, s.Row(&counts[i]))
		}
	}
	return rows
}

// someCounts are rows of two parts: most of them alike, some that are relative to no
// other row.
func someCounts() []schema.CycleCount {
	at := func(seq, cycle int64) schema.CycleCount {
		return schema.CycleCount{
			Key: schema.Key{Seq: seq, Offset: 100 + seq}, Point: schema.Point{Epoch: 1, Cycle: schema.Of(cycle)}, Cycles: schema.Of[int64](7), Kind: schema.CountAtom,
		}
	}
	far, unknown, late, wide := at(1<<40, 12), at(6, 13), at(2, 14), at(7, 1<<33)
	unknown.Cycles = schema.Null[int64]{}
	late.Late, late.OutOfEpoch, late.Kind, late.Cycle = true, true, schema.CountGap, schema.Null[int64]{}
	wide.Cycles.V = math.MaxUint32 + 1
	return []schema.CycleCount{at(4, 10), at(5, 11), far, at(6, 12), unknown, late, at(6, 14), wide, at(8, math.MaxUint32<<1), at(9, math.MaxUint32<<1+8)}
}

// Rows come back as they were added, whatever they are relative to, also where they are
// replaced, lowered or dropped.
func TestCountRows(t *testing.T) {
	want := someCounts()
	var c CountRows
	for i, x := range want {
		if i == 4 {
			c.Begin()
		}
		c.Append(x)
	}
	check := func(what string, got *CountRows) {
		t.Helper()
		if rows := countRows(got); !slices.Equal(rows, want) {
			t.Fatalf("%s:\ngot  %+v\nwant %+v", what, rows, want)
		}
		for i, row := range want {
			if got.At(i) != row {
				t.Fatalf("%s: row %d is %+v, want %+v", what, i, got.At(i), row)
			}
		}
	}
	check("added", &c)
	if n := len(c.Spans); n != 9 { // 0, far, 3, unknown, late, 6, wide, 8, 9
		t.Errorf("%d spans, want 9", n)
	}
	for _, i := range []int{0, 1, 5, 9} {
		for _, cycles := range []schema.Null[int64]{schema.Of[int64](3), schema.Of[int64](1 << 35), {}} {
			want[i].Cycles = cycles
			c.Set(i, want[i])
			check("set", &c)
		}
	}
	for from := range want {
		for to := from + 1; to <= len(want); to++ {
			part := c.Slice(from, to)
			if rows := countRows(&part); !slices.Equal(rows, want[from:to]) {
				t.Fatalf("rows %d to %d are %+v, want %+v", from, to, rows, want[from:to])
			}
		}
	}
	c.lower(4, 10, 6, 1)
	for _, i := range []int{7, 8, 9} {
		want[i].Seq--
	}
	check("lowered", &c)
	for len(want) > 0 {
		want = want[:len(want)-1]
		c.Truncate(len(want))
		check("truncated", &c)
	}
	if len(c.Spans) != 0 {
		t.Errorf("%d spans of no rows", len(c.Spans))
	}
}

// A span that was opened is that of the rows after it, up to the end of its reach and of
// its part. Without rows there is none.
func TestCountRowsOpen(t *testing.T) {
	var c CountRows
	at := func(cycle int64) schema.Point { return schema.Point{Cycle: schema.Of(cycle)} }
	for _, tt := range []struct {
		seq, ahead int64
		at         schema.Point
		ok         bool
	}{
		{5, 10, at(5), true},
		{5, schema.CountReach - 6, at(5), true},
		{5, schema.CountReach - 5, at(5), false},
		{5, 10, at(schema.CountReach - 10), false},
		{5, 10, at(schema.CountReach), true},
	} {
		s, ok := c.Open(tt.seq, tt.at, tt.ahead)
		if ok != tt.ok || s != &c.Spans[0] || len(c.Spans) != 1 {
			t.Errorf("from %d, %+v for %d: %v, %d spans", tt.seq, tt.at, tt.ahead, ok, len(c.Spans))
		}
	}
	c.Append(schema.CycleCount{Point: at(3), Cycles: schema.Of[int64](3)})
	c.Begin()
	c.Open(0, at(4), 10)
	if part := c.Slice(0, 1); len(part.Spans) != 1 || len(c.Spans) != 2 || c.Spans[1].First != 1 {
		t.Errorf("spans %+v", c.Spans)
	}
}
