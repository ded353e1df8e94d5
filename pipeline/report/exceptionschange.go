package report

import (
	"slices"

	"github.com/tracelake/tracelake/pipeline/report/durations"
)

// ExceptionsChange is how long exceptions take now and took before.
type ExceptionsChange struct {
	New, Lost int64
	Rows      []ExceptionChangeRow // those that changed, what got slowest first
}

// An ExceptionChangeRow is the exceptions of a type and number on a core, now and before.
type ExceptionChangeRow struct {
	Now *ExceptionRow
	durations.Change
}

// Against compares exceptions with those of a baseline.
func (x *Exceptions) Against(before *Exceptions) *ExceptionsChange {
	c := &ExceptionsChange{}
	key := func(r *ExceptionRow) exceptionKey { return exceptionKey{r.Core, r.Exception} }
	of := func(r *ExceptionRow) *durations.Summary { return &r.Summary }
	c.New, c.Lost = durations.Changes(x.Rows, before.Rows, key, of, func(r *ExceptionRow, d durations.Change) {
		c.Rows = append(c.Rows, ExceptionChangeRow{r, d})
	})
	slices.SortStableFunc(c.Rows, func(x, y ExceptionChangeRow) int { return x.Compare(&y.Change) })
	return c
}
