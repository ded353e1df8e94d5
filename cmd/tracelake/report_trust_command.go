package main

import (
	"errors"
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
		Usage:     "say how far figures from a dataset can be trusted",
		UsageText: "tracelake report trust DIR... [flags]",
		Description: `DIR is a dataset, or a capture, which is decoded first; several of one program
are added up. Good: all of the trace between its first and last synchronisation
was decoded, with the program that ran. Good with gaps: some of what ran may be
missing, the rest is right. Wrong program: fewer than 90 % of at least 20 checks
agree with the program, or none does, or fewer than 99 % of the executed
addresses have the opcode of the ELF file. Of a wrong program, and where nothing
was decoded, all reports exit with 4 unless there is --force; this one shows why
before.

Examples:
   tracelake report trust run
   tracelake report trust run1 run2 --json`,
		Flags:  slices.Concat(datasetFlags(true), []cli.Flag{jsonFlag()}, screenFlags()),
		Action: acting(readDatasets, reportTrust),
	}
}

func reportTrust(ctx *cli.Context, a *reportArgs) error {
	a.json = ctx.Bool("json")
	if err := a.decodeCaptures(ctx); err != nil {
		return err
	}
	t, head, err := readTrust(a)
	if err != nil {
		return err
	}
	lost, err := lost.Read(a.dirs, a.options.Test)
	if err != nil {
		return err
	}
	if a.json {
		err = answer.JSON(ctx.App.Writer, answer.Trust(head, lost))
	} else {
		s := newScreen(ctx.App.Writer, &a.screen)
		s.trust(t, a.force, nil)
		s.blank()
		s.trustFigures(t)
		s.lost(t, lost)
		s.trustTables(t)
		err = s.writeTo(ctx.App.Writer)
	}
	return errors.Join(err, a.refuse(t))
}

// readTrust returns how far datasets can be trusted, of packets alone too, and with what the answer begins.
func readTrust(a *reportArgs) (*trust.Summary, []answer.Fact, error) {
	t, err := trust.ReadUncounted(a.dirs, a.options.Test)
	var excluded []report.Excluded
	if t == nil && err == nil {
		var m *report.Merged
		if m, err = report.Read(a.dirs, a.options); err == nil {
			t, excluded = m.Trust(), m.Excluded()
		}
	}
	if err != nil {
		return nil, nil, err
	}
	return t, answer.Head("trust", a.force && t.Word.Refused(), t, excluded), nil
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
