package report

import (
	"cmp"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report/durations"
)

// CallsChange is how long calls of functions take now and took before.
type CallsChange struct {
	SameProgram bool // else functions are compared by name and file: of several the one that took longest in all
	New, Lost   int64
	Rows        []CallChangeRow // those that changed, what got slowest first
}

// A CallChangeRow is the calls of a function, now and before.
type CallChangeRow struct {
	Name
	durations.Change
}

// CallsAgainst compares calls of m with those of a baseline.
func (m *Merged) CallsAgainst(base *Merged, now, before *Calls) *CallsChange {
	c := &CallsChange{SameProgram: slices.Equal(m.keys, base.keys)}
	key := func(r *CallRow) Name {
		if c.SameProgram {
			return r.Name
		}
		return Name{Core: r.Core, Function: r.Function, File: r.File}
	}
	of := func(r *CallRow) *durations.Summary { return &r.Summary }
	c.New, c.Lost = durations.Changes(now.Rows, before.Rows, key, of, func(r *CallRow, d durations.Change) {
		c.Rows = append(c.Rows, CallChangeRow{r.Name, d})
	})
	slices.SortStableFunc(c.Rows, func(x, y CallChangeRow) int {
		return cmp.Or(x.Change.Compare(&y.Change), x.Name.compare(&y.Name))
	})
	return c
}
