package page

import (
	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/pipeline/report/page/content"
)

// A coverageText says how much of the program ran.
type coverageText struct {
	Totals  *table
	Notes   []string
	Changed *table // against the earlier run; nil: nothing did, or there is none
	Table   *table // of files or, without lines, of functions
}

func (p *Page) coverageText() *coverageText {
	x := &coverageText{Totals: p.totals(), Notes: p.changeNotes(), Changed: p.changedTable()}
	for _, note := range answer.CoverageNotes(p.Coverage) {
		x.Notes = append(x.Notes, note+".")
	}
	switch {
	case !p.Trust.HasProgram:
		x.Notes = append(x.Notes,
			"No ELF: functions are stretches of executed addresses. Add -e FILE for names and percentages.")
	case !p.Data.Named:
		x.Notes = append(x.Notes,
			"The ELF file names no functions: they are stretches of executed addresses, and there are no percentages. "+
				"Export with one that is not stripped.")
	case p.Data.Files == nil:
		x.Notes = append(x.Notes,
			"The ELF file has no line table: there are no files and no source lines. Export with one that has debugging "+
				"information (-g).")
	}
	if p.Data.Files != nil {
		x.Table = p.filesTable()
	} else {
		x.Table = p.functionsTable()
	}
	return x
}

// totals are what is covered in all.
func (p *Page) totals() *table {
	t, c := &table{}, p.Coverage
	add := func(what string, f report.Figure, reached int64, remark string) {
		n := number(of(f.Covered, f.Of))
		if f.Of == 0 {
			n.Text = figures.Thousands(f.Covered)
		}
		t.Rows = append(t.Rows, []cell{{Text: what}, {Bar: newBar(f.Of, f.Covered, reached)}, number(percentCell(f.Covered,
			f.Of)), n, {Text: remark}})
	}
	instructions := c.Instructions
	if !c.Named {
		instructions.Of = 0
	}
	add("instructions", instructions.Figure, instructions.Reached,
		figures.Thousands(instructions.Reached)+" reached, never passed")
	if !c.Named {
		return t
	}
	add("lines", c.Lines, 0, "")
	add("functions", c.Functions, 0, figures.Thousands(c.Full)+" wholly")
	add("files", c.Files, 0, "")
	add("branch outcomes", c.Branches.Outcomes(), 0, count(c.Branches.Both, "branch")+" both ways")
	return t
}

// filesTable has the files of which most ran.
func (p *Page) filesTable() *table {
	f := p.Data.Files
	x := extentRows(&f.Extent, min(shown, len(f.Path)), true)
	x.Columns = append([]answer.Column{{Title: "file", Weight: answer.Path, At: words(f.Path)}}, append(x.Columns,
		figureColumn("lines", f.LinesCovered, f.Lines), figureColumn("branch outcomes", f.OutcomesSeen, f.Outcomes))...)
	t := tableOf(x)
	t.Caption = captionOf(x.Rows, len(f.Path), "files", p.Data.Unit)
	return t
}

// functionsTable has the functions that took most.
func (p *Page) functionsTable() *table {
	f := &p.Data.Functions
	x := extentRows(&f.Extent, min(shown, len(f.Name)), p.Data.Named)
	x.Columns = append([]answer.Column{nameColumn(p.function(), f.Name)}, append(x.Columns,
		answer.Column{Title: "entries", Unit: answer.Count, Weight: answer.Number, At: ints(f.Entries)})...)
	t := tableOf(x)
	t.Caption = captionOf(x.Rows, len(f.Name), p.functions(), p.Data.Unit)
	return t
}

// extentRows have the columns of how much is covered: without names nobody knows of how much.
func extentRows(e *content.Extent, rows int, named bool) *answer.Section {
	x := &answer.Section{Rows: rows}
	x.Bar = func(i int) (full, part, whole float64) {
		return float64(e.Covered[i]), float64(e.Reached[i]), float64(e.Of[i])
	}
	covered := figureColumn("instructions", e.Covered, e.Of)
	percent := answer.Column{Title: "%", Unit: answer.Percent, Weight: answer.Number, At: func(i int) answer.Value {
		return answer.If(named, covered.At(i))
	}}
	if !named {
		covered.Unit = answer.Count
	}
	x.Columns = []answer.Column{{Title: "covered", Weight: answer.Extent, At: covered.At}, percent, covered}
	return x
}

// captionOf says which rows a table has.
func captionOf(rows, all int, what, unit string) string {
	if rows == 0 {
		return "None of " + figures.Thousands(int64(all)) + " " + what + " ran"
	}
	if rows == all {
		return "All " + figures.Thousands(int64(all)) + " " + what + ", those that took most " + unit + " first"
	}
	return figures.Thousands(int64(rows)) + " of " + figures.Thousands(int64(all)) + " " + what +
		": those that took most " + unit
}
