package content

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
)

// What stands for code that has no name.
const (
	outsideProgram = "(outside of the program)"
	inNoFunction   = "(in no function)"
)

// A function is a row of the functions.
type function struct {
	report.HotspotRow
	shown          string // name on the page
	code           report.Tally
	branches, both int64
	why            string // instructions of it were missed
	own, all       int64
}

// newFunctions returns the functions of the program, with what each took.
func newFunctions(rows []function, h *report.Hotspots, files map[string]int32) Functions {
	f := Functions{}
	cores := map[string]bool{}
	for i := range rows {
		if core := rows[i].Core; core != "" { // exceptions have none
			cores[core] = true
		}
	}
	spent := answer.Total(h, h.ByCycles)
	for i := range rows {
		r := &rows[i]
		f.Name = append(f.Name, Name(r.shown))
		if len(cores) > 1 {
			f.Core = append(f.Core, Name(r.Core))
		}
		f.Address = append(f.Address, r.Address)
		file, ok := files[r.File]
		if !ok {
			file = None
		}
		f.File, f.Line = append(f.File, file), append(f.Line, r.Line)
		f.Extent.add(&r.code)
		if !h.Named {
			f.Percent[i] = ""
			f.Group = append(f.Group, r.Address/report.StretchPage*report.StretchPage)
		}
		f.Branches, f.Both, f.Why = append(f.Branches, r.branches), append(f.Both, r.both), append(f.Why, Name(r.why))
		f.Entries = append(f.Entries, r.Entries)
		f.Work.add(r.own, spent)
		if h.Inclusive {
			f.All = append(f.All, r.all)
		}
		if h.Cycles > 0 {
			f.IPC = append(f.IPC, ipc(&r.HotspotRow))
		}
	}
	return f
}

// ipc is the instructions for each cycle; "" without cycles.
func ipc(r *report.HotspotRow) string {
	if r.Cycles == 0 {
		return ""
	}
	return strconv.FormatFloat(r.IPC(), 'f', 2, 64)
}

// functionRows puts together what is known of each function: the one that took most is first.
// Where nothing has names they are stretches.
func functionRows(m *report.Merged, h *report.Hotspots) []function {
	rows := stretchRows(m, h)
	if h.Named {
		rows = coveredRows(m)
	}
	index := map[report.Name]int{}
	for i := range rows {
		index[rows[i].Name] = i
	}
	for i := range h.Rows {
		s := &h.Rows[i]
		noCode := s.Outside || s.Exception != ""
		if !h.Named && !noCode {
			continue
		}
		n, ok := index[s.Name]
		if !ok || noCode {
			n = len(rows)
			rows = append(rows, function{shown: inNoFunction})
			switch {
			case s.Outside:
				rows[n].shown = outsideProgram
			case s.Exception != "":
				rows[n].shown = answer.Exception(s.Exception)
			}
		}
		r := &rows[n]
		r.HotspotRow = *s
		r.All.Cycles.OK = true // where it calls nothing, too
		r.own, r.all = answer.Own(s.Instructions, s.Cycles, h.ByCycles), s.All.In(h.ByCycles)
	}
	slices.SortFunc(rows, func(x, y function) int {
		return cmp.Or(cmp.Compare(y.own, x.own), cmp.Compare(y.all, x.all), cmp.Compare(y.code.Covered, x.code.Covered),
			strings.Compare(x.shown, y.shown), strings.Compare(x.Core, y.Core), cmp.Compare(x.Address, y.Address))
	})
	return rows
}

// coveredRows are the functions of the program, with what is covered.
func coveredRows(m *report.Merged) []function {
	all := m.Coverage(report.ByFunction).Rows
	rows := make([]function, len(all))
	for i := range all {
		c := &all[i]
		rows[i] = function{shown: c.Function, code: c.Instructions, branches: c.Outcomes.Of / 2, both: c.Both, why: answer.WhyMissed(c)}
		rows[i].Name = c.Name
	}
	return rows
}

// stretchRows are the stretches of a program without names.
func stretchRows(m *report.Merged, h *report.Hotspots) []function {
	var rows []function
	for _, s := range m.Stretches() {
		x := report.HotspotRow{
			Name: report.Name{Core: s.Core, Address: s.Address}, Instructions: s.Instructions, Entries: s.Entries,
			Timed: s.Timed, Cycles: s.Cycles,
		}
		rows = append(rows, function{
			HotspotRow: x, shown: s.Address.Hex(), code: s.Code, branches: s.Branches, both: s.Both,
			own: answer.Own(s.Instructions, s.Cycles, h.ByCycles),
		})
	}
	return rows
}

// mostHottest is how many functions are the hottest ones.
const mostHottest = 10

// hottestOf are the functions that took most, of which a table is made. Stretches have addresses for names.
func hottestOf(h *report.Hotspots, rows []function) *report.Hotspots {
	hottest := *h
	hottest.Rows, hottest.Named = nil, true
	for _, r := range rows[:min(mostHottest, len(rows))] {
		if r.own > 0 {
			hottest.Rows = append(hottest.Rows, r.HotspotRow)
		}
	}
	return &hottest
}
