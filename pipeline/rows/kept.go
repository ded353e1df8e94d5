package rows

// A dropper is a group whose rows can be counted without making them. Blocks cannot:
// where a row group is filled is where new runs of theirs get their numbers.
type dropper interface {
	// drop lets go of what the group holds, and returns how many rows it has; !ok: it
	// has to be filled.
	drop() (rows int64, ok bool)
}

// Drop counts the rows of a row group that is not to be encoded, instead of filling
// batches with them; !ok: they are to be counted as batches are filled.
func (j *Job) Drop() (rows int64, ok bool) {
	s, ok := j.group.(dropper)
	if !ok {
		return 0, false
	}
	return s.drop()
}

// drop implements dropper.
func (g *rowGroup[T]) drop() (rows int64, ok bool) {
	for i := range g.pieces {
		rows += int64(len(g.pieces[i].rows))
	}
	return rows, true
}

// drop implements dropper.
func (g *runGroup) drop() (rows int64, ok bool) {
	if g.turn != nil {
		return 0, false
	}
	for i := range g.pieces {
		g.pieces[i].Unit.Release()
	}
	return g.rows, true
}

// drop implements dropper.
func (g countGroup) drop() (rows int64, ok bool) {
	for i := range g {
		for _, counts := range g[i].counts.Each {
			rows += int64(len(counts))
		}
		g[i].counts.Release()
	}
	return rows, true
}
