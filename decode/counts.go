package decode

import (
	"slices"
	"sort"

	"github.com/tracelake/tracelake/schema"
)

// CountRows are rows of `cycle_counts`: each is relative to the last span that begins at
// it or before it. No span has counts of two parts.
type CountRows struct {
	Rows  []schema.Count
	Spans []schema.CountSpan
	// Base is the index of Rows[0], where Rows are some of all.
	Base int

	part   int          // index of the first count of the current part
	memory *countMemory // of Rows, nil if it is not recycled: see [Pool]
}

// Begin begins a part.
func (c *CountRows) Begin() { c.part = len(c.Rows) }

// Append adds a row.
func (c *CountRows) Append(x schema.CycleCount) {
	s := c.open(&x)
	c.Rows = append(c.Rows, s.Count(&x))
}

// Open returns the span for counts of 32 bits to be appended to Rows, from a point on
// in an epoch. It fails if ordinals or cycles that are up to ahead higher may need
// another span.
func (c *CountRows) Open(seq int64, at schema.Point, ahead int64) (*schema.CountSpan, bool) {
	s := c.open(&schema.CycleCount{Key: schema.Key{Seq: seq}, Point: at, Cycles: schema.Of[int64](0)})
	return s, seq+ahead-s.Seq < schema.CountReach && at.Cycle.V+ahead-s.Cycle.V < schema.CountReach
}

// open returns the span for x as the next row.
func (c *CountRows) open(x *schema.CycleCount) *schema.CountSpan {
	n := len(c.Spans)
	if n > 0 && c.Spans[n-1].First >= c.part && c.Spans[n-1].Takes(x) {
		return &c.Spans[n-1]
	}
	if n > 0 && c.Spans[n-1].First == len(c.Rows) { // no row came after Open
		n--
	}
	c.Spans = append(c.Spans[:n], schema.NewCountSpan(len(c.Rows), x))
	return &c.Spans[n]
}

// At returns row i, of those from Base on.
func (c *CountRows) At(i int) schema.CycleCount { return c.Spans[c.span(i)].Row(&c.Rows[i-c.Base]) }

// span returns the index of the span that count i is in.
func (c *CountRows) span(i int) int {
	return sort.Search(len(c.Spans), func(k int) bool { return c.Spans[k].First > i }) - 1
}

// Set replaces row i.
func (c *CountRows) Set(i int, x schema.CycleCount) {
	k := c.span(i)
	if s := &c.Spans[k]; s.Takes(&x) {
		c.Rows[i] = s.Count(&x)
		return
	}
	own, rest := schema.NewCountSpan(i, &x), c.Spans[k]
	rest.First = i + 1
	c.Rows[i] = own.Count(&x)
	shared := rest.First < len(c.Rows) && (k+1 == len(c.Spans) || c.Spans[k+1].First > rest.First)
	if c.Spans[k].First == i {
		c.Spans[k] = own
	} else {
		k++
		c.Spans = slices.Insert(c.Spans, k, own)
	}
	if shared {
		c.Spans = slices.Insert(c.Spans, k+1, rest)
	}
}

// Slice returns the counts from an index up to another, with their spans. It copies
// none.
func (c *CountRows) Slice(from, to int) CountRows {
	if from == to {
		return CountRows{}
	}
	return CountRows{
		Rows: c.Rows[from-c.Base : to-c.Base : to-c.Base], Spans: c.Spans[c.span(from) : c.span(to-1)+1], Base: from,
		memory: c.memory,
	}
}

// Each goes over the spans with the counts of each, in order.
func (c *CountRows) Each(yield func(s *schema.CountSpan, rows []schema.Count) bool) {
	for k := range c.Spans {
		from, to := max(c.Spans[k].First-c.Base, 0), len(c.Rows)
		if k+1 < len(c.Spans) {
			to = c.Spans[k+1].First - c.Base
		}
		if !yield(&c.Spans[k], c.Rows[from:to]) {
			return
		}
	}
}

// Truncate drops all rows from n on.
func (c *CountRows) Truncate(n int) {
	c.Rows = c.Rows[:n]
	for k := len(c.Spans); k > 0 && c.Spans[k-1].First >= n; k-- {
		c.Spans = c.Spans[:k-1]
	}
}

func (c *CountRows) len() int       { return len(c.Rows) }
func (c *CountRows) grow(n int)     { c.Rows = slices.Grow(c.Rows, n) }
func (c *CountRows) clip()          { c.Rows, c.Spans = clipped(c.Rows), clipped(c.Spans) }
func (c *CountRows) bytes() int64   { return sizeOf(c.Rows) + sizeOf(c.Spans) }
func (c *CountRows) truncate(n int) { c.Truncate(n) }

func (c *CountRows) lower(from, to int, seq, n int64) {
	for i := to - 1; i >= from; i-- {
		switch s, row := &c.Spans[c.span(i)], &c.Rows[i]; {
		case s.Seq+int64(row.Seq) > seq:
			row.Seq -= int32(min(n, s.Seq+int64(row.Seq)-seq))
		case !s.Late: // a late one names an earlier restart
			return
		}
	}
}
