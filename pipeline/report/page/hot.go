package page

import (
	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/pipeline/report/page/content"
)

// A hotText says where the time went.
type hotText struct {
	Notes []string
	Table *table
}

func (p *Page) hotText() *hotText {
	d, f := &p.Data, &p.Data.Functions
	x := &hotText{}
	switch {
	case !d.Cycles:
		x.Notes = []string{"No cycle counts were traced: what was hot is counted in instructions that were executed."}
	case d.Unit != content.Cycles:
		x.Notes = []string{"Cycles are not traced for all that ran: figures are instructions that were executed."}
	default:
		x.Notes = []string{"Figures are cycles: cycles between two counts are shared equally among the instructions."}
	}
	if p.Inlined && d.Named {
		x.Notes = append(x.Notes, "Functions are without inlining: inlined code counts in the function that it was inlined into.")
	}
	s := answer.HotspotsOnPage(p.Hottest)
	s.Columns = append([]answer.Column{nameColumn(p.function(), f.Name)}, s.Columns...)
	x.Table = tableOf(s)
	x.Table.Caption = captionOf(s.Rows, len(f.Name), p.functions(), d.Unit)
	return x
}
