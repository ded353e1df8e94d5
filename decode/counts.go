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

	part int // index of the first count of the current part
}

// Begin begins a part.
func (c *CountRows) Begin() { c.part = len(c.Rows) }

// Append adds a row.
func (c *CountRows) Append(x schema.CycleCount) {
	n := len(c.Spans)
	if n == 0 || c.Spans[n-1].First < c.part || !c.Spans[n-1].Takes(&x) {
		c.Spans = append(c.Spans, schema.NewCountSpan(len(c.Rows), &x))
		n++
	}
	c.Rows = append(c.Rows, c.Spans[n-1].Count(&x))
}

// Reach returns the last span, for a count at a point to be appended to Rows. It
// fails if the count needs a span of its own: see Append.
func (c *CountRows) Reach(seq int64, at schema.Point) (*schema.CountSpan, bool) {
	n := len(c.Spans)
	if n == 0 || c.Spans[n-1].First < c.part || !c.Spans[n-1].Reaches(seq, at) {
		return nil, false
	}
	return &c.Spans[n-1], true
}

// At returns row i.
func (c *CountRows) At(i int) schema.CycleCount { return c.Spans[c.span(i)].Row(&c.Rows[i]) }

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
	return CountRows{Rows: c.Rows[from-c.Base : to-c.Base : to-c.Base], Spans: c.Spans[c.span(from) : c.span(to-1)+1], Base: from}
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

func (c *CountRows) lower(from, to int, seq int64) {
	for i := to - 1; i >= from; i-- {
		switch s := &c.Spans[c.span(i)]; {
		case s.Seq+int64(c.Rows[i].Seq) > seq:
			c.Rows[i].Seq--
		case !s.Late: // a late one names an earlier restart
			return
		}
	}
}
