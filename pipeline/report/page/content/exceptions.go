package content

import (
	"strings"

	"github.com/tracelake/tracelake/pipeline/report/durations"
	"github.com/tracelake/tracelake/pipeline/report/exceptions"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
)

// newExceptions returns how long exceptions took; nil: there were none. Worst says where the
// longest of a row is.
func newExceptions(x *exceptions.Table, worst func(*exceptions.Row) [3]int64) *Exceptions {
	if len(x.Rows) == 0 {
		return nil
	}
	e := &Exceptions{}
	cores := map[string]bool{}
	for i := range x.Rows {
		cores[x.Rows[i].Core] = true
	}
	for i := range x.Rows {
		r := &x.Rows[i]
		text := r.String()
		if len(cores) > 1 && r.Core != "" {
			text = r.Core + ": " + text
		}
		median, p99, longest := int64(None), int64(None), int64(None)
		if r.Ended > 0 {
			median, longest = r.Median, r.Longest
		}
		if r.Ended >= durations.LeastOfRank {
			p99 = r.P99
		}
		e.Name, e.Unit = append(e.Name, Name(text)), append(e.Unit, r.Unit.String())
		e.Entries, e.Unended = append(e.Entries, r.Entries), append(e.Unended, r.Unended)
		e.Median, e.P99, e.Longest = append(e.Median, median), append(e.P99, p99), append(e.Longest, longest)
		e.Worst = append(e.Worst, worst(r))
		e.Each = append(e.Each, append([]int64{}, r.Each...))
		h := Histogram{Edges: []float64{}, Counts: []int64{}}
		if r.Histogram != nil {
			h = Histogram(*r.Histogram)
		}
		e.Histogram = append(e.Histogram, h)
	}
	return e
}

// compareExceptions fills in how long exceptions took before, as far as it is in the same unit.
func (p *Content) compareExceptions() {
	e := p.Data.Exceptions
	if p.Before == nil || p.Before.Exceptions == nil || !p.Spanned || e == nil {
		return
	}
	for i := range p.Exceptions.Rows {
		median, longest := int64(None), int64(None)
		if r := p.Before.Exception(&p.Exceptions.Rows[i]); r != nil && r.Ended > 0 && r.Unit == p.Exceptions.Rows[i].Unit {
			median, longest = r.Median, r.Longest
		}
		e.MedianBefore, e.LongestBefore = append(e.MedianBefore, median), append(e.LongestBefore, longest)
	}
}

// Exception returns the row before of an exception; nil: it was not taken.
func (b *Baseline) Exception(now *exceptions.Row) *exceptions.Row {
	if b.Exceptions == nil {
		return nil
	}
	for i := range b.Exceptions.Rows {
		if r := &b.Exceptions.Rows[i]; r.Core == now.Core && r.Exception == now.Exception {
			return r
		}
	}
	return nil
}

// WorstException is the index of the exceptions of which one took longest; -1: none was followed to its end.
func (p *Content) WorstException() int {
	x, worst := p.Exceptions, None
	for i := range x.Rows {
		if r := &x.Rows[i]; r.Ended > 0 && (worst == None || r.Unit < x.Rows[worst].Unit ||
			r.Unit == x.Rows[worst].Unit && r.Longest > x.Rows[worst].Longest) {
			worst = i
		}
	}
	return worst
}

// UnitOf is the unit of how long exceptions took, of one.
func UnitOf(r *exceptions.Row) string { return strings.TrimSuffix(r.Unit.String(), "s") }

// nowhere is where the longest exception is that is on no axis.
var nowhere = [3]int64{None, 0, 0}

// worstPlaces returns where the longest exceptions began.
func worstPlaces(x *exceptions.Table) []read.Place {
	var places []read.Place
	for i := range x.Rows {
		if x.Rows[i].Ended > 0 {
			places = append(places, x.Rows[i].Worst)
		}
	}
	return places
}

// find returns where the longest of a row is: the index of the time, start and length on its axis.
// There it may be shorter than the table says: an axis never goes back, so that an exception ends
// at the latest where what comes next is known to begin.
func find(times []*clockwork, r *exceptions.Row) [3]int64 {
	for i, c := range times {
		if r.Ended == 0 || c.place.Dir != r.Worst.Dir || c.place.Source != r.Worst.Source {
			continue
		}
		at, ok := c.spans.passed[r.Worst.Seq]
		if !ok {
			return nowhere
		}
		return [3]int64{int64(i), at, max(1, c.spans.exceptionAt(at))}
	}
	return nowhere
}

// exceptionAt returns how long the outermost exception takes that is entered at a time.
func (r *spanReader) exceptionAt(at int64) int64 {
	for i := range r.spans {
		if s := &r.spans[i]; s.start == at && r.frames.frames.Kind[s.frame] == frameException {
			return s.length()
		}
	}
	return 0
}
