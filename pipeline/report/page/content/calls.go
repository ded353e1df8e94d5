package content

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/calls"
	"github.com/tracelake/tracelake/pipeline/report/durations"
	"github.com/tracelake/tracelake/pipeline/report/internal/read"
	"github.com/tracelake/tracelake/schema"
)

// shownCalls is of how many functions, those with the longest calls, the page says where that is.
const shownCalls = 200

// readCalls reads the longest call of each function, as far as it is in the unit of the page.
func (p *Content) readCalls(m *report.Merged, dirs []string, test string) error {
	if !p.has(&schema.Stacks, &schema.CallTimes) {
		return nil
	}
	table, err := calls.Read(m, dirs, test)
	if err != nil {
		return err
	}
	unit := durations.InInstructions
	if p.Data.Unit == Cycles {
		unit = durations.InCycles
	}
	p.worst = map[report.Name]worstCall{}
	for i := range table.Rows {
		if r := &table.Rows[i]; r.Unit == unit && r.Ended > 0 {
			p.worst[r.Name] = worstCall{r.Longest, r.Worst}
		}
	}
	return nil
}

// worstCallPlaces returns where the longest calls began.
func (p *Content) worstCallPlaces() []read.Place {
	all := make([]worstCall, 0, len(p.worst))
	for _, w := range p.worst {
		all = append(all, w)
	}
	slices.SortFunc(all, func(a, b worstCall) int {
		return cmp.Or(cmp.Compare(b.took, a.took), strings.Compare(a.at.Dir, b.at.Dir), cmp.Compare(a.at.Source, b.at.Source),
			cmp.Compare(a.at.Seq, b.at.Seq))
	})
	places := make([]read.Place, min(len(all), shownCalls))
	for i := range places {
		places[i] = all[i].at
	}
	return places
}

// placeCalls fills in how long the longest calls took, and where they are on the axes.
func (p *Content) placeCalls() {
	if p.worst == nil {
		return
	}
	f := &p.Data.Functions
	f.Worst, f.WorstAt = slices.Repeat([]int64{None}, len(f.Name)), make([][2]int64, len(f.Name))
	for i := range f.WorstAt {
		f.WorstAt[i] = [2]int64{None, 0}
	}
	for name, w := range p.worst {
		i, ok := p.functions[name]
		if !ok {
			continue
		}
		f.Worst[i] = w.took
		for t, c := range p.times {
			if c.place.Dir != w.at.Dir || c.place.Source != w.at.Source {
				continue
			}
			if at, ok := c.spans.passed[w.at.Seq]; ok {
				f.WorstAt[i] = [2]int64{int64(t), at}
			}
		}
	}
}
