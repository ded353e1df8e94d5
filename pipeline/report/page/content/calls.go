package content

import (
	"cmp"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/calls"
	"github.com/tracelake/tracelake/pipeline/report/durations"
	"github.com/tracelake/tracelake/schema"
)

// shownCalls is of how many functions, those with the longest calls, the page says where these are.
const shownCalls = 200

// readCalls reads how long the calls of each function took, as far as they are in the unit of the page.
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
	p.ranked, p.callTimes = map[report.Name]durations.Ranking{}, map[report.Name]callTimes{}
	for i := range table.Rows {
		if r := &table.Rows[i]; r.Unit == unit && r.Ended > 0 {
			p.ranked[r.Name], p.callTimes[r.Name] = r.Ranked, callTimes{r.Shortest, r.Median}
			p.slowest = append(p.slowest, r.Name)
		}
	}
	slices.SortFunc(p.slowest, func(a, b report.Name) int {
		return cmp.Or(cmp.Compare(p.ranked[b][0].Took, p.ranked[a][0].Took), a.Compare(&b))
	})
	for _, name := range p.slowest[min(len(p.slowest), shownCalls):] {
		p.ranked[name] = p.ranked[name][:1]
	}
	p.slowest = p.slowest[:min(len(p.slowest), shownCalls)]
	return nil
}

// placeCalls fills in how long the longest calls took, and where they are on the axes.
func (p *Content) placeCalls() {
	if p.ranked == nil {
		return
	}
	f := &p.Data.Functions
	f.Worst = make([][][3]int64, len(f.Name))
	f.Shortest, f.Median = slices.Repeat([]int64{None}, len(f.Name)), slices.Repeat([]int64{None}, len(f.Name))
	for i := range f.Worst {
		f.Worst[i] = [][3]int64{}
	}
	for name, ranked := range p.ranked {
		i, ok := p.functions[name]
		if !ok {
			continue
		}
		f.Shortest[i], f.Median[i] = p.callTimes[name].shortest, p.callTimes[name].median
		for k := range ranked {
			index, start := p.placeOf(&ranked[k].At)
			f.Worst[i] = append(f.Worst[i], [3]int64{ranked[k].Took, index, start})
		}
	}
}
