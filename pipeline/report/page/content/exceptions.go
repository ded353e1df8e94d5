package content

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/durations"
	"github.com/tracelake/tracelake/pipeline/report/exceptions"
)

// readExceptions fills in how long exceptions took, and where the longest are.
func (p *Content) readExceptions() {
	x := p.Exceptions
	if len(x.Rows) == 0 {
		return
	}
	e := &Exceptions{}
	p.Data.Exceptions = e
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
		e.Worst = append(e.Worst, p.place(r))
		e.Each = append(e.Each, append([]int64{}, r.Each...))
		h := Histogram{Edges: []float64{}, Counts: []int64{}}
		if r.Histogram != nil {
			h = Histogram(*r.Histogram)
		}
		e.Histogram = append(e.Histogram, h)
		p.addHandling(e, r)
	}
}

// addHandling adds what was executed in the exceptions of a row, and by what.
func (p *Content) addHandling(e *Exceptions, r *exceptions.Row) {
	nested, function, handler := int64(None), int32(None), ""
	if r.Nested.OK {
		nested = r.Nested.V
	}
	if h := &r.Handler; *h != (report.Name{}) {
		if i, ok := p.functions[*h]; ok {
			function = i
		}
		if handler = Name(h.Function); handler == "" {
			handler = h.Address.Hex()
		}
	}
	e.Nested, e.Share = append(e.Nested, nested), append(e.Share, Percent(r.Took()))
	e.Handler, e.HandledBy = append(e.Handler, handler), append(e.HandledBy, function)
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

// place returns where the longest of a row are, as [Exceptions] has it. On an axis one may be shorter than the table says:
// that never goes back, so that an exception ends at the latest where what comes next is known to begin.
func (p *Content) place(r *exceptions.Row) [][4]int64 {
	worst := [][4]int64{}
	for i := range r.Ranked {
		l, length := &r.Ranked[i], int64(0)
		index, start := p.placeOf(&l.At)
		if index != None {
			length = max(1, p.times[index].spans.exceptionAt(start))
		}
		worst = append(worst, [4]int64{l.Took, index, start, length})
	}
	return worst
}

// exceptionAt returns how long the outermost exception takes that is entered at a time.
func (r *spanReader) exceptionAt(at int64) int64 {
	first, _ := slices.BinarySearchFunc(r.spans, at, func(s span, at int64) int { return cmp.Compare(s.start, at) })
	for i := first; i < len(r.spans) && r.spans[i].start == at; i++ {
		if s := &r.spans[i]; r.frames.frames.Kind[s.frame] == frameException {
			return s.length()
		}
	}
	return 0
}
