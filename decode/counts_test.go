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
	if n := len(c.Spans); n != 8 { // 0, far, 3, unknown, late, 6, wide, 8
		t.Errorf("%d spans, want 8", n)
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
	c.lower(4, 10, 6)
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

// Counts of cycle-accurate packets share a span, but not with those of another part.
func TestCountRowsReach(t *testing.T) {
	var c CountRows
	at := schema.Point{Cycle: schema.Of[int64](5)}
	if _, ok := c.Reach(0, at); ok {
		t.Error("a span before the first count")
	}
	c.Append(schema.CycleCount{Point: at, Cycles: schema.Of[int64](5)})
	for _, tt := range []struct {
		seq int64
		at  schema.Point
		ok  bool
	}{
		{9, at, true},
		{schema.CountReach, at, false},
		{9, schema.Point{Cycle: schema.Of[int64](5 + schema.CountReach)}, false},
		{9, schema.Point{Cycle: schema.Of[int64](5), Epoch: 1}, false},
		{9, schema.Point{}, false},
	} {
		if _, ok := c.Reach(tt.seq, tt.at); ok != tt.ok {
			t.Errorf("reaches ordinal %d at %+v: %v", tt.seq, tt.at, ok)
		}
	}
	c.Begin()
	if _, ok := c.Reach(9, at); ok {
		t.Error("a span goes on in the next part")
	}
}
