package durations

import "cmp"

// A Change is how long things of one kind take now and took before, in the best unit
// that all of both have.
type Change struct {
	Unit     Unit
	Now, Was Figures
	// Slower is by how much those of now took longer in all than as many took before, at the
	// mean of then; negative: they are faster.
	Slower float64
}

// changeOf compares durations, if both have any.
func changeOf(now, before *Summary) (Change, bool) {
	c := Change{Unit: max(now.Unit, before.Unit)}
	if now.Ended == 0 || before.Ended == 0 || now.lost[c.Unit] || before.lost[c.Unit] {
		return c, false
	}
	c.Now, c.Was = now.by[c.Unit], before.by[c.Unit]
	c.Slower = float64(c.Now.Sum) - float64(c.Was.Sum)/float64(before.Ended)*float64(now.Ended)
	return c, true
}

// same says whether nothing changed.
func (c *Change) same() bool {
	now, was := &c.Now, &c.Was
	return now.Ended == was.Ended && now.Sum == was.Sum && now.Median == was.Median && now.P99 == was.P99 &&
		now.Longest == was.Longest
}

// Compare orders changes: those that lost most time first.
func (c *Change) Compare(o *Change) int {
	return cmp.Or(cmp.Compare(c.Unit, o.Unit), cmp.Compare(o.Slower, c.Slower))
}

// Changes calls a function with the change of each row whose durations differ from those of the row of
// its key before; of several of a key the first counts. It returns how many keys there are only now,
// and only before.
func Changes[R any, K comparable](now, before []R, key func(*R) K, of func(*R) *Summary,
	do func(now *R, c Change),
) (added, lost int64) {
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
		if c, ok := changeOf(of(&now[i]), of(was[k])); ok && !c.same() {
			do(&now[i], c)
		}
		delete(was, k)
	}
	return added, int64(len(was))
}
