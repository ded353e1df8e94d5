package report

import (
	"cmp"
	"slices"
)

// A DurationChange is how long things of one kind take now and took before, in the best unit
// that all of both have.
type DurationChange struct {
	Unit                   Unit
	EndedNow, EndedBefore  int64
	FiguresNow, FiguresWas Figures
	// Slower is by how much those of now took longer in all than as many took before, at the
	// mean of then; negative: they are faster.
	Slower float64
}

// changeOf compares durations, if both have any.
func changeOf(now, before *Durations) (DurationChange, bool) {
	c := DurationChange{Unit: max(now.Unit, before.Unit), EndedNow: now.Ended, EndedBefore: before.Ended}
	if now.Ended == 0 || before.Ended == 0 || now.lost[c.Unit] || before.lost[c.Unit] {
		return c, false
	}
	c.FiguresNow, c.FiguresWas = now.by[c.Unit], before.by[c.Unit]
	c.Slower = float64(c.FiguresNow.Sum) - float64(c.FiguresWas.Sum)/float64(before.Ended)*float64(now.Ended)
	return c, true
}

// same says whether nothing changed.
func (c *DurationChange) same() bool {
	now, was := c.FiguresNow, c.FiguresWas
	return c.EndedNow == c.EndedBefore && now.Sum == was.Sum && now.Median == was.Median && now.P99 == was.P99 &&
		now.Longest == was.Longest
}

// compare orders changes: those that lost most time first.
func (c *DurationChange) compare(o *DurationChange) int {
	return cmp.Or(cmp.Compare(c.Unit, o.Unit), cmp.Compare(o.Slower, c.Slower))
}

// CallsChange is how long calls of functions take now and took before.
type CallsChange struct {
	SameProgram bool // else functions are compared by name and file: of several the one that took longest in all
	New, Lost   int64
	Rows        []CallChangeRow // those that changed, what got slowest first
}

// A CallChangeRow is the calls of a function, now and before.
type CallChangeRow struct {
	Name
	DurationChange
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
	c.New, c.Lost = pair(now.Rows, before.Rows, key, func(x, y *CallRow) {
		if d, ok := changeOf(&x.Durations, &y.Durations); ok && !d.same() {
			c.Rows = append(c.Rows, CallChangeRow{x.Name, d})
		}
	})
	slices.SortStableFunc(c.Rows, func(x, y CallChangeRow) int {
		return cmp.Or(x.DurationChange.compare(&y.DurationChange), x.Name.compare(&y.Name))
	})
	return c
}

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
	key := func(r *ExceptionRow) exceptionKey { return exceptionKey{r.Core, r.Type, r.Number} }
	c.New, c.Lost = pair(x.Rows, before.Rows, key, func(now, was *ExceptionRow) {
		if d, ok := changeOf(&now.Durations, &was.Durations); ok && !d.same() {
			c.Rows = append(c.Rows, ExceptionChangeRow{now, d})
		}
	})
	slices.SortStableFunc(c.Rows, func(x, y ExceptionChangeRow) int { return x.compare(&y.DurationChange) })
	return c
}

// pair calls a function with the rows of each key that there are now and before, the first
// ones of it, and counts keys that there are only now, and only before.
func pair[R any, K comparable](now, before []R, key func(*R) K, do func(now, before *R)) (added, lost int64) {
	was, seen := map[K]*R{}, map[K]bool{}
	for i := range before {
		if k := key(&before[i]); was[k] == nil {
			was[k] = &before[i]
		}
	}
	for i := range now {
		k := key(&now[i])
		if seen[k] {
			continue
		}
		seen[k] = true
		if was[k] == nil {
			added++
			continue
		}
		do(&now[i], was[k])
		delete(was, k)
	}
	return added, int64(len(was))
}
