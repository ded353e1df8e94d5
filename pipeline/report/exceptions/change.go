package exceptions

import (
	"slices"

	"github.com/tracelake/tracelake/pipeline/report/durations"
)

// A Change is how long exceptions take now and took before.
type Change struct {
	New, Lost int64
	Rows      []ChangeRow // those that changed, what got slowest first
}

// A ChangeRow is the exceptions of a type and number on a core, now and before.
type ChangeRow struct {
	Row *Row // now
	durations.Change
}

// Against compares exceptions with those of a baseline.
func (x *Table) Against(before *Table) *Change {
	c := &Change{}
	key := func(r *Row) kind { return kind{r.Core, r.Exception} }
	of := func(r *Row) *durations.Summary { return &r.Summary }
	c.New, c.Lost = durations.Changes(x.Rows, before.Rows, key, of, func(r *Row, d durations.Change) {
		c.Rows = append(c.Rows, ChangeRow{r, d})
	})
	slices.SortStableFunc(c.Rows, func(x, y ChangeRow) int { return x.Compare(&y.Change) })
	return c
}
