package content

import (
	"cmp"
	"math"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/pipeline/report/timeline"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/dataset"
)

// Of how many lines and switches a page offers to show the instructions, at most.
const (
	shownLines    = 20
	shownSwitches = 100
)

// lineSeqs are the first instructions of a source that are of its hottest lines, the hottest first.
func (p *Content) lineSeqs(m *report.Merged, t *timeline.Timeline) ([]int64, error) {
	d, err := dataset.Open(t.Dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	h := heat{m: m, core: t.Core, byCycles: p.Data.Unit == Cycles, lines: map[line]*heated{}}
	if err := read.EachBatch(d, &schema.Counts, t.Source, h.add); err != nil {
		return nil, err
	}
	return h.seqs(), nil
}

// A line is one of a source file.
type line struct {
	file   string
	number uint32
}

// A heated is what a line took, and its first instruction.
type heated struct {
	line
	own   float64
	first int64
}

// A heat is what the lines of a source took.
type heat struct {
	m        *report.Merged
	core     string
	byCycles bool
	lines    map[line]*heated
}

func (h *heat) add(b *schema.Batch) error {
	for row := range b.Rows() {
		name, _ := h.m.Describe(h.core, schema.CountsAddress.At(b, row), schema.ISA(schema.CountsISA.At(b, row)))
		if name.File == "" {
			continue
		}
		own := float64(schema.CountsExecuted.At(b, row) + schema.CountsFailed.At(b, row) + schema.CountsUnknown.At(b, row))
		if h.byCycles {
			own = math.Float64frombits(b.Columns[schema.CountsCyclesSpread].U64[row]) // 0 of NULL
		}
		key, first := line{name.File, name.Line}, int64(schema.CountsFirstSeq.At(b, row))
		l := h.lines[key]
		if l == nil {
			l = &heated{line: key, first: first}
			h.lines[key] = l
		}
		l.own, l.first = l.own+own, min(l.first, first)
	}
	return nil
}

// seqs returns where the hottest lines begin.
func (h *heat) seqs() []int64 {
	all := make([]*heated, 0, len(h.lines))
	for _, l := range h.lines {
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b *heated) int {
		return cmp.Or(cmp.Compare(b.own, a.own), cmp.Compare(a.file, b.file), cmp.Compare(a.number, b.number))
	})
	seqs := make([]int64, min(len(all), shownLines))
	for i := range seqs {
		seqs[i] = all[i].first
	}
	return seqs
}

// switchSeqs are the instructions at which another task has its turn, evenly chosen if there are many.
func switchSeqs(t *timeline.Timeline) ([]int64, error) {
	var all []int64
	running := int32(None)
	err := t.Walk(func(e *timeline.Event) error {
		if e.Kind == timeline.Turn && e.Task != running {
			if running != None {
				all = append(all, e.Seq)
			}
			running = e.Task
		}
		return nil
	})
	n := min(len(all), shownSwitches)
	seqs := make([]int64, n)
	for i := range seqs {
		seqs[i] = all[i*len(all)/n]
	}
	return seqs, err
}

// shownSeqs are the instructions of a source that the page offers to show, the most important first: the worst ones,
// then the hottest lines, then switches of tasks. None are chosen where there is nothing to show them from.
func (p *Content) shownSeqs(m *report.Merged, t *timeline.Timeline, worst []int64, opt *Options) ([]int64, error) {
	if opt.Detail == 0 || p.mostGroups(t.Dir, opt) == 0 {
		return nil, nil
	}
	lines, err := p.lineSeqs(m, t)
	if err != nil {
		return nil, err
	}
	switches, err := switchSeqs(t)
	return slices.Concat(worst, lines, switches), err
}

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
