package page

import (
	"cmp"

	"github.com/tracelake/tracelake/decode/figures"
)

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
	columns := p.hotColumns()
	x.Table = &table{Head: []cell{{Text: "function"}}}
	for _, c := range columns {
		x.Table.Head = append(x.Table.Head, number(c.title))
	}
	rows := 0
	for rows < min(shown, len(f.Name)) && f.Own[rows] > 0 {
		row := []cell{named(f.Name[rows])}
		for _, c := range columns {
			row = append(row, number(c.cell(rows)))
		}
		x.Table.Rows = append(x.Table.Rows, row)
		rows++
	}
	x.Table.Caption = captionOf(rows, len(f.Name), "functions", d.Unit)
	return x
}

// A hotColumn is a column of figures.
type hotColumn struct {
	title string
	cell  func(row int) string
}

// hotColumns are those that there are figures for.
func (p *Page) hotColumns() []hotColumn {
	d, f := &p.Data, &p.Data.Functions
	columns := []hotColumn{
		{"own " + d.Unit, func(i int) string { return figures.Thousands(f.Own[i]) }},
		{"share", func(i int) string { return percentCell(f.Own[i], d.Spent) }},
	}
	if f.All != nil {
		columns = append(columns, hotColumn{d.Unit + " with callees", func(i int) string { return figures.Thousands(f.All[i]) }})
	}
	if d.Unit == cycles {
		columns = append(columns, hotColumn{"own instructions", func(i int) string { return figures.Thousands(p.executed[i]) }})
	}
	columns = append(columns, hotColumn{"entries", func(i int) string { return figures.Thousands(f.Entries[i]) }})
	if f.IPC != nil {
		columns = append(columns, hotColumn{"IPC", func(i int) string { return cmp.Or(f.IPC[i], unknown) }})
	}
	return columns
}
