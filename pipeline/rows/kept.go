package rows

// This file counts the rows of row groups that are not to be encoded.

// drop implements group.
func (g *rowGroup[T]) drop() (rows int64, ok bool) {
	for i := range g.pieces {
		rows += int64(len(g.pieces[i].rows))
	}
	return rows, true
}

// drop implements group.
func (g *runGroup) drop() (rows int64, ok bool) {
	if g.turn != nil {
		return 0, false
	}
	for i := range g.pieces {
		g.pieces[i].Unit.Release()
	}
	return g.rows, true
}

// drop implements group.
func (g countGroup) drop() (rows int64, ok bool) {
	for i := range g {
		for _, counts := range g[i].counts.Each {
			rows += int64(len(counts))
		}
		g[i].counts.Release()
	}
	return rows, true
}

// drop implements group.
func (*blockRunGroup) drop() (rows int64, ok bool) { return 0, false }
