package page

import "github.com/tracelake/tracelake/pipeline/report/answer"

// A hotText says where the time went.
type hotText struct {
	Heading string
	Notes   []string
	Table   *table
}

func (p *Page) hotText() *hotText {
	d, f := &p.Data, &p.Data.Functions
	x := &hotText{Heading: "Where did the time go?"}
	switch {
	case !d.Cycles:
		x.Heading = "Where did the time go? No cycle counts were traced"
		x.Notes = []string{"Figures are instructions that were executed."}
	case d.Unit != cycles:
		x.Notes = []string{"Cycles are not traced for all that ran: figures are instructions that were executed."}
	default:
		x.Notes = []string{"Figures are cycles: each cost is spread evenly over what it was for."}
	}
	rows := 0
	for rows < min(shown, len(f.Name)) && f.Own[rows] > 0 {
		rows++
	}
	x.Table = tableOf(p.hotRows(rows))
	x.Table.Caption = captionOf(rows, len(f.Name), "functions", d.Unit)
	return x
}

// hotRows are the functions that took most, with the figures that there are.
func (p *Page) hotRows(rows int) *answer.Section {
	d, f := &p.Data, &p.Data.Functions
	count := func(there bool, title string, of []int64) answer.Column {
		return answer.When(there, answer.Column{Title: title, Unit: answer.Count, Weight: answer.Number, At: ints(of)})
	}
	return &answer.Section{Rows: rows, Whole: d.Spent, Columns: []answer.Column{
		nameColumn("function", f.Name),
		count(true, "own "+d.Unit, f.Own),
		{Title: "share", Unit: answer.OfWhole, Weight: answer.Number, At: ints(f.Own)},
		count(f.All != nil, d.Unit+" with callees", f.All),
		count(d.Unit == cycles, "own instructions", p.executed),
		count(true, "entries", f.Entries),
		answer.When(f.IPC != nil, answer.Column{Title: "IPC", Unit: answer.Ratio, Weight: answer.Number, At: words(f.IPC)}),
	}}
}
