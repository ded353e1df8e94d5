package answer

import (
	"math"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/clock"
	"github.com/tracelake/tracelake/schema"
)

// Hotspots is where instructions and cycles went: top rows, 0 being all. head is what answers begin
// with; baseline, if not None, is [HotspotChange] as an object.
func Hotspots(head []Fact, h *report.Hotspots, by report.By, top int, baseline Value) *Answer {
	return &Answer{Name: "hotspots", Facts: append(head,
		Fact{"ordered_by", Text(UnitOf(h.ByCycles) + "s")},
		Fact{"instructions", Int(h.Instructions)},
		Fact{"cycles", If(h.Cycles > 0, Tenths(h.Cycles))},
		Fact{"seconds", If(h.Clocked, Float(h.Seconds))},
		Fact{"clocks", clocks(h.Clocks)},
		Fact{"by", Text(RowNoun(h.Named, by))},
		Fact{"rows", Rows(hotspotRows(h, by, top))},
		Fact{"baseline", baseline},
	)}
}

// UnitOf is what the rows of hotspots and tasks are in the order of.
func UnitOf(byCycles bool) string {
	if byCycles {
		return "cycle"
	}
	return "instruction"
}

// Own is what something took by itself: whole cycles, or executions.
func Own(instructions int64, cycles float64, byCycles bool) int64 {
	if byCycles {
		return int64(math.Round(cycles))
	}
	return instructions
}

// Total is what all took.
func Total(h *report.Hotspots, byCycles bool) int64 {
	return Own(h.Instructions, h.Cycles, byCycles)
}

func hotspotRows(h *report.Hotspots, by report.By, top int) *Section {
	row := func(i int) *report.HotspotRow { return &h.Rows[i] }
	took := func(i int) int64 { return Own(row(i).Instructions, row(i).Cycles, h.ByCycles) }
	s := &Section{
		Noun: RowNoun(h.Named, by), Rows: len(h.Rows), Top: top, Whole: Total(h, h.ByCycles), Part: took,
		Unit: UnitOf(h.ByCycles),
	}
	s.Bar = func(i int) (full, part, whole float64) { return float64(took(i)), 0, float64(took(0)) }
	s.Columns = hotspotNames(h.Named, len(h.Rows), by, row)
	for _, f := range hotspotFigures(h, by, row) {
		s.Columns = append(s.Columns, f.Column)
	}
	s.Columns = append(s.Columns, Column{Weight: Share})
	return s
}

// HotspotsOnPage are the figures of functions that the report page shows, with their titles there.
func HotspotsOnPage(h *report.Hotspots) *Section {
	s := &Section{Rows: len(h.Rows), Whole: Total(h, h.ByCycles)}
	for _, f := range hotspotFigures(h, report.ByFunction, func(i int) *report.HotspotRow { return &h.Rows[i] }) {
		if f.OnScreen() && f.page != "" {
			f.Title = f.page
			s.Columns = append(s.Columns, f.Column)
		}
	}
	slices.SortStableFunc(s.Columns, func(a, b Column) int { return a.Place - b.Place })
	s.Columns[0], s.Columns[1] = s.Columns[1], s.Columns[0] // a share is after what it is of
	return s
}

// hotspotNames are the columns of names of rows, some of which no program has.
func hotspotNames(named bool, rows int, by report.By, row func(int) *report.HotspotRow) []Column {
	columns := rowNames(named, rows, func(i int) *report.Name { return &row(i).Name }, by)
	name := columns[0].At
	columns[0].At = func(i int) Value {
		switch {
		case row(i).Outside:
			return Text(OutsideProgram)
		case row(i).Exception != "":
			return Text(Exception(row(i).Exception))
		}
		return name(i)
	}
	return append(columns,
		Column{Key: "outside", At: func(i int) Value { return IfAny(row(i).Outside, JSONOf(true)) }},
		Column{Key: "exception", At: func(i int) Value { return Text(row(i).Exception) }})
}

// A hotspotFigure is a column of figures, and its title on the page; "": it is on no page.
type hotspotFigure struct {
	Column
	page string
}

// hotspotFigures are the columns of figures. On screens that is first in which order rows are.
func hotspotFigures(h *report.Hotspots, by report.By, row func(int) *report.HotspotRow) []hotspotFigure {
	functions, timed := by == report.ByFunction && h.Named, h.Cycles > 0
	place, weight := [...]int{1, 3, 4, 5, 6, 2}, Number
	ownCycles := ""
	if h.ByCycles {
		place, weight = [...]int{4, 5, 1, 3, 6, 2}, Spare
		ownCycles = "own cycles"
	}
	ofFunction := func(i int) bool { return functions && row(i).Function != "" }
	known := func(v func(*report.HotspotRow) Value) func(int) Value {
		return func(i int) Value { return If(row(i).Cycles > 0, v(row(i))) }
	}
	return append([]hotspotFigure{
		{Column{Title: "SHARE", Unit: OfWhole, Weight: Main, At: func(i int) Value {
			return Int(Own(row(i).Instructions, row(i).Cycles, h.ByCycles))
		}}, "share"},
		{Column{
			"instructions", "INSTRUCTIONS", Count, weight, place[0],
			func(i int) Value { return Int(row(i).Instructions) },
		}, "own instructions"},
		{When(functions, Column{"entries", "ENTRIES", Count, Number, place[1], func(i int) Value {
			return Int(row(i).Entries).unless(ofFunction(i))
		}}), "entries"},
		{When(timed, Column{
			"cycles", "CYCLES", Cycles, Number, place[2],
			known(func(r *report.HotspotRow) Value { return Tenths(r.Cycles) }),
		}), ownCycles},
		{When(h.Clocked, Column{
			"seconds", "TIME", Seconds, Spare, place[3],
			known(func(r *report.HotspotRow) Value { return Float(r.Seconds) }),
		}), ""},
		{When(timed, Column{
			"ipc", "IPC", Ratio, Spare, place[4],
			known(func(r *report.HotspotRow) Value { return Float(r.IPC()) }),
		}), "IPC"},
	}, calleeColumns(h, place[5], row, ofFunction)...)
}

// calleeColumns are what functions took with what they called.
func calleeColumns(h *report.Hotspots, place int, row func(int) *report.HotspotRow,
	ofFunction func(int) bool,
) []hotspotFigure {
	instructions := Column{"total_instructions", "", Count, Number, place, func(i int) Value {
		return Int(row(i).All.Instructions).unless(ofFunction(i))
	}}
	cycles := Column{"total_cycles", "", Cycles, Number, place, func(i int) Value {
		return Nullable(row(i).All.Cycles).unless(ofFunction(i))
	}}
	if h.ByCycles {
		cycles.Title = "WITH CALLEES"
	} else {
		instructions.Title = "WITH CALLEES"
	}
	return []hotspotFigure{
		{When(h.Inclusive, instructions), "instructions with callees"}, {When(h.Inclusive, cycles), "cycles with callees"},
	}
}

// HotspotChange is what takes more, and what less, than in the baseline in dir.
func HotspotChange(c *report.HotspotChange, by report.By, top int, dir string) Value {
	return Object(
		Fact{"directory", Text(dir)},
		Fact{"same_program", JSONOf(c.SameProgram)},
		Fact{"shares_of", Text(UnitOf(c.ByCycles) + "s")},
		Fact{"instructions", Int(c.Before.Instructions)},
		Fact{"cycles", If(c.Before.Cycles > 0, Tenths(c.Before.Cycles))},
		Fact{"new", Int(c.New)},
		Fact{"lost", Int(c.Lost)},
		Fact{"rows", Rows(HotspotChanges(c, by, top))},
	)
}

// HotspotChanges are the rows of it.
func HotspotChanges(c *report.HotspotChange, by report.By, top int) *Section {
	labels := by
	if !c.SameProgram {
		labels = report.ByFunction
	}
	now, before := side{c, c.Now, "now", by}, side{c, c.Before, "before", by}
	ofNow := func(i int) *report.HotspotRow { return c.Rows[i].Now }
	ofBefore := func(i int) *report.HotspotRow { return c.Rows[i].Before }
	s := &Section{Noun: RowNoun(c.Now.Named, labels), Rows: len(c.Rows), Top: top}
	s.Columns = append(hotspotNames(c.Now.Named, len(c.Rows), labels,
		func(i int) *report.HotspotRow { return c.Rows[i].Row() }),
		Column{"change_points", "CHANGE", Points, Main, 0, func(i int) Value { return PercentOf(c.Change(&c.Rows[i])) }},
		When(c.Inclusive, Column{"total_change_points", "WITH CALLEES", Points, Number, 0, func(i int) Value {
			return PercentOf(c.TotalChange(&c.Rows[i]))
		}}))
	s.Columns = append(s.Columns, now.figures(ofNow, "SHARE", "")...)
	s.Columns = append(s.Columns, before.figures(ofBefore, "BEFORE", " BEFORE")...)
	return s
}

// A side is what ran now, or before.
type side struct {
	c   *report.HotspotChange
	h   *report.Hotspots
	key string
	by  report.By
}

// figures are the columns of a side: its share, and what that is of.
func (x *side) figures(row func(int) *report.HotspotRow, share, suffix string) []Column {
	took := func(i int) Value {
		r := row(i)
		if r == nil {
			return None
		}
		return Of(Own(r.Instructions, r.Cycles, x.c.ByCycles), Total(x.h, x.c.ByCycles))
	}
	unit := strings.ToUpper(UnitOf(x.c.ByCycles) + "s")
	columns := []Column{
		{Title: share, Unit: Percent, Weight: Main, Place: 1, At: took},
		{Title: unit + suffix, Unit: Count, Weight: Number, Place: 2, At: took},
		{Key: x.key, At: func(i int) Value { return If(row(i) != nil, Object()) }},
		{Key: x.key + ".share_percent", Unit: Ratio, At: func(i int) Value { return Float(x.c.Share(x.h, row(i)) * 100) }},
	}
	for _, f := range hotspotFigures(x.h, x.by, row) {
		if f.Key != "" && f.Key != "ipc" {
			f.Key, f.Title = x.key+"."+f.Key, ""
			columns = append(columns, f.Column)
		}
	}
	return columns
}

// clocks are those of sources that ran.
func clocks(list []clock.Rate) Value {
	return each(len(list),
		Column{Key: "directory", At: func(i int) Value { return Word(list[i].Dir) }},
		Column{Key: "source", At: func(i int) Value { return Text(schema.SourceText(list[i].Source)) }},
		Column{Key: "hz", At: func(i int) Value { return positive(list[i].Hz) }},
		Column{Key: "measured", At: func(i int) Value { return JSONOf(list[i].Measured) }},
		Column{Key: "least_hz", At: func(i int) Value { return positive(list[i].Least) }},
		Column{Key: "most_hz", At: func(i int) Value { return positive(list[i].Most) }},
		Column{Key: "elapsed_seconds", At: func(i int) Value { return positive(list[i].Elapsed) }})
}
