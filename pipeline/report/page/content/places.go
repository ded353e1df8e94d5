package content

import "github.com/tracelake/tracelake/pipeline/report/internal/read"

// placeOf returns where an instruction is on the axes that are drawn: the index of the time, and when there; the index
// is none if it is on no axis.
func (p *Content) placeOf(at *read.Place) (index, time int64) {
	for i, c := range p.times {
		if c.place.Dir != at.Dir || c.place.Source != at.Source {
			continue
		}
		if time, ok := c.spans.passed[at.Seq]; ok {
			return int64(i), time
		}
	}
	return None, 0
}

// worstSeqs are the instructions of a source where the longest exceptions and the longest calls begin, then where those do
// that are next.
func (p *Content) worstSeqs(of read.Place) []int64 {
	var first, next []int64
	add := func(at read.Place, rank int) {
		switch {
		case at.Dir != of.Dir || at.Source != of.Source:
		case rank == 0:
			first = append(first, at.Seq)
		default:
			next = append(next, at.Seq)
		}
	}
	for i := range p.Exceptions.Rows {
		for rank, l := range p.Exceptions.Rows[i].Ranked {
			add(l.At, rank)
		}
	}
	for _, name := range p.slowest {
		for rank, l := range p.ranked[name] {
			add(l.At, rank)
		}
	}
	return append(first, next...)
}
