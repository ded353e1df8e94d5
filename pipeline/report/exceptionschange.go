package report

import (
	"slices"
)

// ExceptionsChange is how long exceptions take now and took before.
type ExceptionsChange struct {
	New, Lost int64
	Rows      []ExceptionChangeRow // those that changed, what got slowest first
}

// An ExceptionChangeRow is the exceptions of a type and number on a core, now and before.
type ExceptionChangeRow struct {
	Now *ExceptionRow
	DurationChange
}

// Against compares exceptions with those of a baseline.
func (x *Exceptions) Against(before *Exceptions) *ExceptionsChange {
	c := &ExceptionsChange{}
	key := func(r *ExceptionRow) exceptionKey { return exceptionKey{r.Core, r.Exception} }
	of := func(r *ExceptionRow) *Durations { return &r.Durations }
	c.New, c.Lost = Changes(x.Rows, before.Rows, key, of, func(r *ExceptionRow, d DurationChange) {
		c.Rows = append(c.Rows, ExceptionChangeRow{r, d})
	})
	slices.SortStableFunc(c.Rows, func(x, y ExceptionChangeRow) int { return x.Compare(&y.DurationChange) })
	return c
}
