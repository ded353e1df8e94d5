package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/pipeline/report/answer"
)

func branchesCommand() *cli.Command {
	return &cli.Command{
		Name:      "branches",
		Usage:     "say which way conditional branches went",
		UsageText: "tracelake report branches DIR... [flags]",
		Description: `DIR is a dataset, or a capture, which is decoded first; several of one program
are added up. Needs a program file: export with -e FILE.

Branches seen to go only one way come first. Conditional instructions that are
no branches follow: taken means that they passed. Where the trace does not have
an outcome it is unknown (PFT: of all but branches). These are branches of the
compiled program, not decisions in its source.

Examples:
   tracelake report branches run
   tracelake report branches run --by file --fail-under 50`,
		Flags: slices.Concat(datasetFlags(true), selectionFlags(), excludeFlags(), limitFlags(limitBranches), []cli.Flag{
			groupOutput.stringOr("by", "a row for each `WHAT`: function, file or line", "branch"),
			topFlag(),
			jsonFlag(),
			csvFlag(),
		}, screenFlags()),
		Action: asking(limitBranches, branches),
	}
}

func branches(ctx *cli.Context, q *question) error {
	b, c, change := q.m.Branches(), q.m.Coverage(q.by), q.change(true)
	head, limit, baseline := q.head("branches"), q.limit.value(c), q.baselineOf(change)
	var a *answer.Answer
	var legend []string
	if q.each {
		a, legend = answer.Branches(head, b, q.top, limit, baseline), []string{"taken", "not taken", "unknown"}
	} else {
		a = answer.BranchesBy(head, b, c, q.by, q.top, limit, baseline)
	}
	err := q.write(ctx, a, func(s *screen) {
		s.blank()
		s.lines(answer.ConditionNotes(&b.Branches, &b.Predicated))
		if len(b.Rows) == 0 {
			s.line("no conditional instructions are known")
		} else {
			s.blank()
			s.section(a.Section(), legend...)
			s.leftOut(a.Section())
		}
		s.change(q, change, baseline)
	})
	if err != nil {
		return err
	}
	return q.limit.check(c)
}
