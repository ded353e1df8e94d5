package main

import (
	"cmp"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/cmd/tracelake/internal/table"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
)

func branchesCommand() *cli.Command {
	return &cli.Command{
		Name:      "branches",
		Usage:     "says which way conditional branches went",
		UsageText: "tracelake report branches DIR... [flags]",
		Description: `DIR is a dataset that export wrote; several of one program are added up. Needs a
program file: export with -e FILE.

Branches seen to go only one way come first. Conditional instructions that are
no branches follow: taken means that they passed. Where the trace does not have
an outcome it is untold (PFT: of all but branches). These are branches of the
compiled program, not decisions in its source.

Examples:
   tracelake report branches run
   tracelake report branches run --by file --fail-under 50`,
		Flags: slices.Concat(datasetFlags(), excludeFlags(), limitFlags(limitBranches), []cli.Flag{
			&cli.StringFlag{Name: "by", Category: groupOutput, Usage: "a row for each `WHAT`: function, file or line", DefaultText: "branch"},
			topFlag(),
			jsonFlag(),
		}, screenFlags()),
		Action: branches,
	}
}

func branches(ctx *cli.Context) error {
	q, err := ask(ctx, limitBranches)
	if err != nil {
		return err
	}
	b, c, change := q.m.Branches(), q.m.Coverage(q.by), q.change(true)
	err = q.answer(ctx, func() any { return branchesObject(q, b, c, change) }, func(s *screen) {
		s.blank()
		s.conditions(&b.Branches, &b.Predicated)
		switch {
		case len(b.Rows) == 0:
			s.line("no conditional instructions are known")
		case q.each:
			s.branches(b, q.top)
		default:
			s.branchRows(c, q)
		}
		s.change(q, change)
	})
	if err != nil {
		return err
	}
	return q.limit.check(c)
}

// branches writes a row for each conditional instruction.
func (s *screen) branches(b *report.Branches, limit int) {
	names := make([]report.Name, len(b.Rows))
	for i := range b.Rows {
		names[i] = b.Rows[i].In
	}
	n, rows := newNamer(names), atMost(b.Rows, limit)
	t := &table.Table{Columns: []table.Column{
		{Title: "BRANCH", Kind: table.Path},
		{Title: "VERDICT", Kind: table.Name},
		{Kind: table.Extent},
		{Title: "TAKEN", Kind: table.Main},
		{Title: "NOT TAKEN", Kind: table.Main},
		{Title: "UNTOLD", Kind: table.Number},
		{Title: "ADDRESS", Kind: table.Spare},
		{Title: "FUNCTION", Kind: table.Remark},
	}}
	for i := range rows {
		r := &rows[i]
		where := answer.NoLine
		if r.In.File != "" {
			where = n.Place(&r.In)
		}
		t.Add(table.Bar{Full: float64(r.Taken), Part: float64(r.NotTaken), Whole: float64(r.Reached())}, where, verdictWords(r),
			thousands(r.Taken), thousands(r.NotTaken), thousands(r.Untold), answer.Hex(r.Address), r.In.Function)
	}
	s.blank()
	s.table(t, "taken", "not taken", "untold")
	s.left(len(b.Rows)-len(rows), "branch", 0, 0, "")
}

// verdictWords are those for a branch, or for an instruction that passes or fails.
func verdictWords(b *report.Branch) string {
	words := map[report.BranchVerdict][2]string{
		report.Both: {"both", "both"}, report.AlwaysTaken: {"always taken", "always passed"}, report.NeverTaken: {"never taken", "never passed"},
		report.Untold: {"untold", "untold"}, report.NeverReached: {"not seen", "not seen"},
	}
	kind := 0
	if b.Predicated {
		kind = 1
	}
	return words[b.Verdict][kind]
}

// branchRows writes a row for each function, file or line that has a conditional
// branch.
func (s *screen) branchRows(c *report.Coverage, q *question) {
	all := withBranches(c.Rows)
	names := make([]report.Name, len(all))
	for i := range all {
		names[i] = all[i].Name
	}
	n, rows := newNamer(names), atMost(all, q.top)
	t := &table.Table{Columns: append(nameColumn(c.Named, q.by), table.Column{Title: "OUTCOMES", Kind: table.Main},
		table.Column{Kind: table.Extent}, table.Column{Title: "SEEN", Kind: table.Number})}
	for i := range rows {
		f := rows[i].Outcomes
		t.Add(extent(f, 0), n.Row(&rows[i].Name, q.by), s.share(f), figure(f))
	}
	s.blank()
	s.table(t)
	s.left(len(all)-len(rows), q.by.String(), 0, 0, "")
}

// withBranches returns the rows that have conditional branches, those first of which
// most outcomes were seen.
func withBranches(rows []report.CoverageRow) []report.CoverageRow {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r report.CoverageRow) bool { return r.Outcomes.Of == 0 })
	slices.SortStableFunc(rows, func(x, y report.CoverageRow) int { return cmp.Compare(y.Outcomes.Covered, x.Outcomes.Covered) })
	return rows
}
