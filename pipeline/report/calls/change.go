package calls

import (
	"cmp"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/durations"
)

// A Change is how long calls of functions take now and took before.
type Change struct {
	SameProgram bool // else functions are compared by name and file: of several the one that took longest in all
	New, Lost   int64
	Rows        []ChangeRow // those that changed, what got slowest first
}

// A ChangeRow is the calls of a function, now and before.
type ChangeRow struct {
	report.Name
	durations.Change
}

// Against compares calls with those of a baseline, which are of the same program or not.
func (now *Table) Against(before *Table, sameProgram bool) *Change {
	c := &Change{SameProgram: sameProgram}
	key := func(r *Row) report.Name {
		if c.SameProgram {
			return r.Name
		}
		return report.Name{Core: r.Core, Function: r.Function, File: r.File}
	}
	of := func(r *Row) *durations.Summary { return &r.Summary }
	c.New, c.Lost = durations.Changes(now.Rows, before.Rows, key, of, func(r *Row, d durations.Change) {
		c.Rows = append(c.Rows, ChangeRow{r.Name, d})
	})
	slices.SortStableFunc(c.Rows, func(x, y ChangeRow) int {
		return cmp.Or(x.Change.Compare(&y.Change), x.Name.Compare(&y.Name))
	})
	return c
}
