package answer

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/growth"
	"github.com/tracelake/tracelake/schema"
)

// Coverage is how much of the program ran. limit is what --fail-under demands, [Absent] if nothing
// does; stretches are those of a program without names.
func Coverage(head []Fact, c *report.Coverage, by report.By, top int, limit, baseline Value, growth []growth.Curve,
	stretches []report.Stretch,
) *Answer {
	return &Answer{Name: "coverage", Facts: append(head,
		Fact{"instructions", tally(&c.Instructions)},
		Fact{"functions", figureAnd(c.Functions, Fact{"full", Int(c.Full)})},
		Fact{"lines", figureOf(c.Lines)},
		Fact{"files", figureOf(c.Files)},
		Fact{"branches", branchFigures(&c.Branches)},
		Fact{"predicated", predicated(&c.Predicated)},
		Fact{"instructions_in_no_function", Int(c.Padding)},
		Fact{"executed_in_no_function", Int(c.PaddingRun)},
		Fact{"fail_under", limit},
		Fact{"baseline", baseline},
		Fact{"by", Text(RowNoun(c.Named, by))},
		Fact{"rows", Rows(coverageRows(c, by, top))},
		Fact{"growth", growths(growth)},
		Fact{"stretches", IfAny(len(stretches) > 0, stretchList(stretches))},
	)}
}

// CoverageNotes say what was seen of conditional instructions, and of those in no function.
func CoverageNotes(c *report.Coverage) []string {
	notes := ConditionNotes(&c.Branches, &c.Predicated)
	if c.PaddingRun > 0 {
		notes = append(notes, figures.Count(c.PaddingRun, "instruction")+" in no function executed")
	}
	return notes
}

// ConditionNotes say what was seen of conditional instructions.
func ConditionNotes(b *report.BranchFigures, p *report.Predicated) (notes []string) {
	n := figures.Thousands
	if b.All > 0 {
		notes = append(notes, fmt.Sprintf("%s of %s reached: %s taken, %s not taken, %s both, %s unknown", n(b.Reached),
			figures.Count(b.All, "conditional branch"), n(b.Taken), n(b.NotTaken), n(b.Both), n(b.Unknown)))
	}
	if p.All > 0 {
		notes = append(notes, fmt.Sprintf("%s of %s reached: %s passed, %s failed, %s unknown", n(p.Reached),
			figures.Count(p.All, "conditional instruction"), n(p.Passed), n(p.Failed), n(p.Unknown)))
	}
	return notes
}

// coverageRows are a row for each function, file or line. Without names there are only executions.
func coverageRows(c *report.Coverage, by report.By, top int) *Section {
	row := func(i int) *report.CoverageRow { return &c.Rows[i] }
	name := func(i int) *report.Name { return &row(i).Name }
	code := func(i int) Value { return figureOf(row(i).Instructions.Figure) }
	if !c.Named {
		s := &Section{Noun: RowNoun(false, by), Rows: len(c.Rows), Top: top, Unit: "execution"}
		s.addUp(func(i int) int64 { return row(i).Executions })
		address := func(i int) Value { return Text(row(i).Address.Hex() + OfCore(row(i).Core)) }
		s.Columns = append([]Column{{Title: "ADDRESS", Weight: Name, At: address}}, nameKeys(name)...)
		s.Columns = append(s.Columns, coverageFigures(row, false)...)
		return s
	}
	s := &Section{Noun: by.String(), Rows: len(c.Rows), Top: top, Unit: "instruction"}
	s.addUp(func(i int) int64 { return row(i).Instructions.Of })
	s.Bar = func(i int) (full, part, whole float64) {
		x := &row(i).Instructions
		return float64(x.Covered), float64(x.Reached), float64(x.Of)
	}
	s.Columns = append(rowNames(true, s.Rows, name, by),
		Column{Title: "COVERED", Unit: Percent, Weight: Main, At: code},
		Column{Weight: Extent})
	s.Columns = append(s.Columns, coverageFigures(row, true)...)
	return s
}

// coverageFigures are the columns of figures; without names screens have only executions.
func coverageFigures(row func(int) *report.CoverageRow, named bool) []Column {
	title := func(text string) string {
		if !named {
			return ""
		}
		return text
	}
	executions := Main
	if named {
		executions = Spare
	}
	figure := func(of func(*report.CoverageRow) report.Figure) func(int) Value {
		return func(i int) Value { return figureOf(of(row(i))) }
	}
	return []Column{
		{"instructions", title("INSTRUCTIONS"), Figure, Number, 0, figure(func(r *report.CoverageRow) report.Figure {
			return r.Instructions.Figure
		})},
		{Key: "instructions.reached_only", Unit: Count, At: func(i int) Value { return Int(row(i).Instructions.Reached) }},
		{"lines", title("LINES"), Figure, Number, 0, figure(func(r *report.CoverageRow) report.Figure { return r.Lines })},
		{"outcomes", title("OUTCOMES"), Figure, Number, 0, figure(func(r *report.CoverageRow) report.Figure {
			return r.Outcomes
		})},
		{Key: "branches_both_ways", Unit: Count, At: func(i int) Value { return Int(row(i).Both) }},
		{"executions", "EXECUTIONS", Count, executions, 0, func(i int) Value { return Int(row(i).Executions) }},
		{Key: "functions_never_called", Unit: Count, At: func(i int) Value { return Int(row(i).NeverCalled) }},
		{Key: "branches_one_way", Unit: Count, At: func(i int) Value { return Int(row(i).OneWay) }},
		{Title: title("WHY"), Weight: Reason, At: func(i int) Value { return Text(WhyMissed(row(i))) }},
	}
}

// WhyMissed says why instructions of a row did not run; "" if all did, or nothing says why.
func WhyMissed(r *report.CoverageRow) string {
	oneWay := r.OneWay
	if r.Missed() == 0 {
		oneWay = 0
	}
	switch {
	case r.NeverCalled > 0 && r.Function != "":
		return "never called"
	case r.NeverCalled > 0 && oneWay > 0:
		return figures.Count(r.NeverCalled, "function") + " never called, " + figures.Count(oneWay, "branch") + " one way"
	case r.NeverCalled > 0:
		return figures.Count(r.NeverCalled, "function") + " never called"
	case oneWay == 0:
		return ""
	}
	text := "branch never taken"
	if r.First.Taken {
		text = "branch always taken"
	}
	if r.First.Line > 0 {
		text += fmt.Sprintf(" (line %d)", r.First.Line)
	}
	if oneWay > 1 {
		text += fmt.Sprintf(", %d more", oneWay-1)
	}
	return text
}

// OfCore follows what is of a core.
func OfCore(core string) string {
	if core == "" {
		return ""
	}
	return " " + core
}

// Branches is which way conditional branches went, a row for each.
func Branches(head []Fact, b *report.Branches, top int, limit, baseline Value) *Answer {
	return branches(head, b, limit, baseline, "branch", branchRows(b, top))
}

// BranchesBy is likewise with a row for each function, file or line that has a conditional branch.
func BranchesBy(head []Fact, b *report.Branches, c *report.Coverage, by report.By, top int, limit,
	baseline Value,
) *Answer {
	return branches(head, b, limit, baseline, by.String(), branchRowsBy(c, by, top))
}

func branches(head []Fact, b *report.Branches, limit, baseline Value, by string, s *Section) *Answer {
	return &Answer{Name: "branches", Facts: append(head,
		Fact{"branches", branchFigures(&b.Branches)},
		Fact{"predicated", predicated(&b.Predicated)},
		Fact{"fail_under", limit},
		Fact{"baseline", baseline},
		Fact{"by", Text(by)},
		Fact{"rows", Rows(s)},
	)}
}

func branchRows(b *report.Branches, top int) *Section {
	row := func(i int) *report.Branch { return &b.Rows[i] }
	n := NewNamer(len(b.Rows), func(i int) *report.Name { return &row(i).In })
	s := &Section{Noun: "branch", Rows: len(b.Rows), Top: top}
	s.Bar = func(i int) (full, part, whole float64) {
		return float64(row(i).Taken), float64(row(i).NotTaken), float64(row(i).Reached())
	}
	s.Columns = []Column{
		{Title: "BRANCH", Weight: Path, At: func(i int) Value {
			if row(i).In.File == "" {
				return Text(NoLine)
			}
			return Text(n.Place(&row(i).In))
		}},
		{Title: "WENT", Weight: Name, At: func(i int) Value { return Text(verdictWords(row(i))) }},
		{Weight: Extent},
		{"address", "ADDRESS", Words, Spare, 2, func(i int) Value { return Text(row(i).Address.Hex()) }},
		{Key: "kind", At: func(i int) Value { return Text(row(i).Kind.String()) }},
		{Key: "predicated", At: func(i int) Value { return JSONOf(row(i).Predicated) }},
		{Key: "target", At: func(i int) Value { return IfAny(row(i).Target.OK, Text(row(i).Target.V.Hex())) }},
		{Key: "core", At: func(i int) Value { return Text(row(i).In.Core) }},
		{Title: "FUNCTION", Weight: Remark, Place: 3, At: func(i int) Value { return Text(row(i).In.Function) }},
		{Key: "function", At: func(i int) Value { return Word(row(i).In.Function) }},
		{Key: "function_address", At: func(i int) Value { return Text(row(i).In.Address.Hex()) }},
		{Key: "file", At: func(i int) Value { return Text(row(i).In.File) }},
		{Key: "line", At: func(i int) Value { return IfAny(row(i).In.Line != 0, Int(row(i).In.Line)) }},
		{"taken", "TAKEN", Count, Main, 1, func(i int) Value { return Int(row(i).Taken) }},
		{"not_taken", "NOT TAKEN", Count, Main, 1, func(i int) Value { return Int(row(i).NotTaken) }},
		{"unknown", "UNKNOWN", Count, Number, 1, func(i int) Value { return Int(row(i).Unknown) }},
		{Key: "verdict", At: func(i int) Value { return Text(row(i).Verdict.String()) }},
	}
	return s
}

// verdictWords are those for a branch, or for an instruction that passes or fails.
func verdictWords(b *report.Branch) string {
	words := map[report.BranchVerdict][2]string{
		report.Both: {"both ways", "both ways"}, report.AlwaysTaken: {"always taken", "always passed"},
		report.NeverTaken: {"never taken", "never passed"},
		report.Unknown:    {"unknown", "unknown"}, report.NeverReached: {"not seen", "not seen"},
	}
	kind := 0
	if b.Predicated {
		kind = 1
	}
	return words[b.Verdict][kind]
}

// branchRowsBy are the rows that have conditional branches, those first of which most outcomes were
// seen.
func branchRowsBy(c *report.Coverage, by report.By, top int) *Section {
	all := slices.DeleteFunc(slices.Clone(c.Rows), func(r report.CoverageRow) bool { return r.Outcomes.Of == 0 })
	slices.SortStableFunc(all, func(x,
		y report.CoverageRow,
	) int {
		return cmp.Compare(y.Outcomes.Covered, x.Outcomes.Covered)
	})
	outcomes := func(i int) Value { return figureOf(all[i].Outcomes) }
	s := &Section{Noun: by.String(), Rows: len(all), Top: top}
	s.Bar = func(i int) (full, part, whole float64) {
		return float64(all[i].Outcomes.Covered), 0, float64(all[i].Outcomes.Of)
	}
	s.Columns = append(rowNames(c.Named, s.Rows, func(i int) *report.Name { return &all[i].Name }, by),
		Column{Title: "OUTCOMES", Unit: Percent, Weight: Main, At: outcomes},
		Column{Weight: Extent},
		Column{"outcomes", "SEEN", Figure, Number, 0, outcomes})
	return s
}

// CoverageChange is what is new, and what is lost, against the baseline in dir.
func CoverageChange(c *report.Change, by report.By, top int, dir string) Value {
	same := func(d report.Delta) Value { return IfAny(c.SameProgram, delta(d)) }
	return Object(
		Fact{"directory", Text(dir)},
		Fact{"same_program", JSONOf(c.SameProgram)},
		Fact{"instructions", same(c.Instructions)},
		Fact{"lines", same(c.Lines)},
		Fact{"outcomes", same(c.Outcomes)},
		Fact{"functions", delta(c.Functions)},
		Fact{"rows", Rows(coverageChanges(c, by, top))},
	)
}

func delta(d report.Delta) Value { return Object(Fact{"new", Int(d.New)}, Fact{"lost", Int(d.Lost)}) }

func coverageChanges(c *report.Change, by report.By, top int) *Section {
	unit := "INSTRUCTIONS"
	switch {
	case !c.SameProgram:
		by, unit = report.ByFunction, "FUNCTIONS"
	case c.OfOutcomes:
		unit = "OUTCOMES"
	}
	named := len(c.Rows) > 0 && (c.Rows[0].Function != "" || c.Rows[0].File != "")
	s := &Section{Noun: RowNoun(named, by), Rows: len(c.Rows), Top: top}
	s.Columns = append(rowNames(named, s.Rows, func(i int) *report.Name { return &c.Rows[i].Name }, by),
		Column{"new", "NEW " + unit, Count, Main, 2, func(i int) Value { return Int(c.Rows[i].New) }},
		Column{"lost", "LOST " + unit, Count, Main, 1, func(i int) Value { return Int(c.Rows[i].Lost) }})
	return s
}

func figureOf(f report.Figure) Value { return Of(f.Covered, f.Of) }

// figureAnd is a figure with facts of its own.
func figureAnd(f report.Figure, facts ...Fact) Value {
	v := figureOf(f)
	v.facts = facts
	return v
}

func tally(t *report.Tally) Value { return figureAnd(t.Figure, Fact{"reached_only", Int(t.Reached)}) }

func branchFigures(b *report.BranchFigures) Value {
	return Object(Fact{"all", Int(b.All)}, Fact{"reached", Int(b.Reached)}, Fact{"taken", Int(b.Taken)},
		Fact{"not_taken", Int(b.NotTaken)}, Fact{"both", Int(b.Both)}, Fact{"unknown", Int(b.Unknown)},
		Fact{"outcomes", figureOf(b.Outcomes())})
}

func predicated(p *report.Predicated) Value {
	return Object(Fact{"all", Int(p.All)}, Fact{"reached", Int(p.Reached)}, Fact{"passed", Int(p.Passed)},
		Fact{"failed", Int(p.Failed)}, Fact{"unknown", Int(p.Unknown)})
}

// growths say when trace showed anything new: at instructions of a source, from 0 on.
func growths(list []growth.Curve) Value {
	return each(len(list),
		Column{Key: "directory", At: func(i int) Value { return Word(list[i].Dir) }},
		Column{Key: "source", At: func(i int) Value { return Text(schema.SourceText(list[i].Source)) }},
		Column{Key: "instructions", At: func(i int) Value { return Int(list[i].Instructions) }},
		Column{Key: "executed_addresses", At: func(i int) Value { return Int(len(list[i].Seqs)) }},
		Column{Key: "half_at", At: func(i int) Value { return Int(list[i].At(0.5)) }},
		Column{Key: "last_new_at", At: func(i int) Value { return Int(list[i].At(1)) }})
}

// stretchList is what ran in one go where nothing has names.
func stretchList(list []report.Stretch) Value {
	return each(len(list),
		Column{Key: "core", At: func(i int) Value { return Text(list[i].Core) }},
		Column{Key: "address", At: func(i int) Value { return Text(list[i].Address.Hex()) }},
		Column{Key: "bytes", At: func(i int) Value { return Int(list[i].Bytes) }},
		Column{Key: "instructions", At: func(i int) Value { return Int(list[i].Code.Of) }},
		Column{Key: "covered", At: func(i int) Value { return Int(list[i].Code.Covered) }},
		Column{Key: "executions", At: func(i int) Value { return Int(list[i].Instructions) }},
		Column{Key: "entries", At: func(i int) Value { return Int(list[i].Entries) }})
}
