package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/pipeline/report/lost"
	"github.com/tracelake/tracelake/pipeline/report/trust"
)

func trustCommand() *cli.Command {
	return &cli.Command{
		Name:      "trust",
		Usage:     "says how far figures from a dataset can be trusted",
		UsageText: "tracelake report trust DIR... [flags]",
		Description: `DIR is a dataset that export wrote; several of one program are added up. Trust
is ok if all of the trace between its first and last synchronisation was decoded
without gaps, and the program files are of what ran; incomplete if some of what
ran may be missing; else the figures are of another program. Then all reports
exit with 1, this one after it shows why, unless there is --force. The judgement
is that of the report page: it is stricter, and says where to look first.

Examples:
   tracelake report trust run
   tracelake report trust run1 run2 --json`,
		Flags:  slices.Concat(datasetFlags(), []cli.Flag{jsonFlag()}, screenFlags()),
		Action: reportTrust,
	}
}

func reportTrust(ctx *cli.Context) error {
	a, err := readDatasets(ctx)
	if err != nil {
		return err
	}
	a.json = ctx.Bool("json")
	m, err := report.Read(a.dirs, a.options)
	if err != nil {
		return err
	}
	lost, err := lost.Read(a.dirs, a.options.Test)
	if err != nil {
		return err
	}
	q := &question{reportArgs: a, m: m}
	err = q.write(ctx, answer.Trust(q.head("trust"), lost), func(s *screen) {
		s.blank()
		s.judgement(m.Trust(), lost)
		s.trustTables(m.Trust())
	})
	if err != nil {
		return err
	}
	return a.refuse(m.Trust())
}

// trustTables writes a row for each source and each program file, and what was executed outside of those.
func (s *screen) trustTables(t *trust.Summary) {
	outside := answer.OutsideProgramRows(t, defaultTop)
	s.blank()
	s.section(answer.TrustSources(t, t.Datasets))
	for _, x := range []*answer.Section{answer.ProgramFiles(t, t.Datasets), outside} {
		if x.Rows > 0 {
			s.blank()
			s.section(x)
		}
	}
	if more := outside.Rows - outside.Shown(); more > 0 {
		s.line("%s; --json has all", count(int64(more), "more address"))
	}
}

// exact is a percentage as in the trust line; there is none of nothing.
func (s *screen) exact(n, of int64) string {
	if of == 0 {
		return s.None()
	}
	return percentTo(n, of, 2) + "%"
}
