package page

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/tracelake/tracelake/pipeline/report"
)

// What stands for code that has no name.
const (
	outsideProgram = "(outside of the program)"
	inNoFunction   = "(in no function)"
)

// A function is a row of the functions.
type function struct {
	report.Name
	shown    string // name on the page
	coverage report.CoverageRow
	spent    report.HotspotRow
	all      int64
	own      int64
}

// newFunctions returns the functions of the program, with what each took.
func newFunctions(m *report.Merged, h *report.Hotspots, files *files) Functions {
	rows := functionRows(m, h)
	f := Functions{}
	cores := map[string]bool{}
	for i := range rows {
		cores[rows[i].Core] = true
	}
	spent := own(h.Instructions, h.Cycles, h.ByCycles)
	for i := range rows {
		r := &rows[i]
		f.Name = append(f.Name, name(r.shown))
		if len(cores) > 1 {
			f.Core = append(f.Core, name(r.Core))
		}
		f.Address = append(f.Address, r.Address)
		f.File, f.Line = append(f.File, files.find(r.File)), append(f.Line, r.Line)
		f.Extent.add(&r.coverage.Instructions)
		f.Branches, f.Both = append(f.Branches, r.coverage.Outcomes.Of/2), append(f.Both, r.coverage.Both)
		f.Entries = append(f.Entries, r.spent.Entries)
		f.Work.add(r.own, spent)
		if h.Inclusive {
			f.All = append(f.All, r.all)
		}
		if h.Cycles > 0 {
			f.IPC = append(f.IPC, ipc(&r.spent))
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
func functionRows(m *report.Merged, h *report.Hotspots) []function {
	var rows []function
	index := map[report.Name]int{}
	for _, c := range m.Coverage(report.ByFunction).Rows {
		index[c.Name] = len(rows)
		rows = append(rows, function{Name: c.Name, shown: c.Function, coverage: c})
	}
	for i := range h.Rows {
		s := &h.Rows[i]
		n, ok := index[s.Name]
		if !ok || s.Outside {
			n = len(rows)
			rows = append(rows, function{Name: s.Name, shown: inNoFunction})
			if s.Outside {
				rows[n].shown = outsideProgram
			}
		}
		r := &rows[n]
		r.spent, r.own, r.all = *s, own(s.Instructions, s.Cycles, h.ByCycles), s.All.Instructions
		if h.ByCycles {
			r.all = s.All.Cycles.V
		}
	}
	slices.SortFunc(rows, func(x, y function) int {
		return cmp.Or(cmp.Compare(y.own, x.own), cmp.Compare(y.all, x.all), cmp.Compare(y.coverage.Instructions.Covered, x.coverage.Instructions.Covered),
			strings.Compare(x.shown, y.shown), strings.Compare(x.Core, y.Core), cmp.Compare(x.Address, y.Address))
	})
	return rows
}
