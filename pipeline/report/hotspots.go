package report

import (
	"cmp"
	"maps"
	"slices"

	"github.com/tracelake/tracelake/pipeline/report/clock"
	"github.com/tracelake/tracelake/pipeline/report/stacks"
)

// Hotspots are where the instructions, or the cycles, went.
type Hotspots struct {
	Named        bool // else rows are instructions
	Inclusive    bool // rows of functions say what they took with what they called
	Instructions int64
	Cycles       float64      // traced, each cost spread evenly over what it was for
	ByCycles     bool         // all that ran has cycles: rows are in their order
	Clocked      bool         // the frequency of the core clock is known for all cycles
	Seconds      float64      // if so
	Clocks       []clock.Rate // of the sources that ran, with Options.Clocks
	Rows         []HotspotRow
}

// A HotspotRow is what a function, a file or a line took by itself; without a program
// file an instruction.
type HotspotRow struct {
	Name
	Outside      bool        // code that no program file has, all of it
	Exception    string      // no code, but the entries of it: their cycles are of no instruction
	Instructions int64       // executions, those that failed their condition too
	Entries      int64       // executions of the first instruction of a function
	All          stacks.Work // of a function, with what it called; see Hotspots.Inclusive
	Timed        int64       // executions that Cycles are for
	Cycles       float64
	Seconds      float64
}

// Hotspots returns what was executed, the most expensive first.
func (m *Merged) Hotspots(by By) *Hotspots {
	h := &Hotspots{Named: m.named, Clocks: m.clocks, Inclusive: m.named && by == ByFunction && m.stacked}
	g := newGroups(m, by)
	var total counts
	for p, x := range m.code() {
		if x.exclusion >= 0 || x.reached() == 0 {
			continue
		}
		total.add(x.counts)
		if x.exclusion == unselected {
			continue // shares are of all that ran
		}
		n := g.of(p, x)
		if n == len(h.Rows) {
			h.Rows = append(h.Rows, HotspotRow{Name: g.names[n]})
		}
		h.Rows[n].add(&x.counts, x.function != none && p.functions[x.function].address == x.address)
		if h.Inclusive && x.function != none {
			h.Rows[n].All = p.functions[x.function].all
		}
	}
	outside := HotspotRow{Outside: true}
	for _, at := range slices.SortedFunc(maps.Keys(m.outside), compareLocations) {
		total.add(*m.outside[at])
		outside.add(m.outside[at], false)
	}
	if outside.Instructions > 0 && m.selected == nil {
		h.Rows = append(h.Rows, outside)
	}
	for name, x := range m.entries {
		if total.add(*x); m.selected != nil {
			continue
		}
		h.Rows = append(h.Rows, HotspotRow{Exception: name, Cycles: x.cycles, Seconds: x.seconds})
	}
	h.conclude(&total)
	return h
}

func (r *HotspotRow) add(c *counts, first bool) {
	r.Instructions += c.reached()
	r.Timed += c.timed
	r.Cycles += c.cycles
	r.Seconds += c.seconds
	if first {
		r.Entries += c.passed()
	}
}

// IPC is the instructions of epochs that have cycles, per cycle of those; 0 without cycles.
func (r *HotspotRow) IPC() float64 {
	if r.Cycles == 0 {
		return 0
	}
	return float64(r.Timed) / r.Cycles
}

// conclude adds totals and sorts the rows.
func (h *Hotspots) conclude(total *counts) {
	h.Instructions, h.Cycles, h.Seconds = total.reached(), total.cycles, total.seconds
	h.ByCycles = total.cycles > 0 && total.timed == total.reached()
	h.Clocked = total.cycles > 0 && total.clocked == total.cycles
	slices.SortFunc(h.Rows, func(x, y HotspotRow) int {
		byCycles := 0
		if h.ByCycles {
			byCycles = cmp.Compare(y.Cycles, x.Cycles)
		}
		return cmp.Or(byCycles, cmp.Compare(y.Instructions, x.Instructions), x.Compare(&y.Name),
			cmp.Compare(x.Exception, y.Exception))
	})
}
