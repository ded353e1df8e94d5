package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/cmd/tracelake/internal/table"
	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/pipeline/report/lost"
	"github.com/tracelake/tracelake/pipeline/report/trust"
	"github.com/tracelake/tracelake/schema"
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
	err = q.answer(ctx, func() any { return trustReportObject(q, lost) }, func(s *screen) {
		s.blank()
		s.judgement(m.Trust(), lost)
		s.trustTables(m.Trust())
	})
	if err != nil {
		return err
	}
	return a.refuse(m.Trust())
}

// trustTables writes a row for each source and each program file.
func (s *screen) trustTables(t *trust.Summary) {
	s.blank()
	s.table(s.sourcesTable(t))
	if files := s.filesTable(t); files.Rows() > 0 {
		s.blank()
		s.table(files)
	}
	if len(t.Outside) > 0 {
		s.blank()
		s.table(s.outsideTable(t))
		if more := len(t.Outside) - defaultTop; more > 0 {
			s.line("%s; --json has all", count(int64(more), "more address"))
		}
	}
}

func (s *screen) sourcesTable(t *trust.Summary) *table.Table {
	sources := &table.Table{Columns: []table.Column{
		{Title: "SOURCE", Kind: table.Path},
		{Title: "DECODED", Kind: table.Main},
		{Title: "AGREES", Kind: table.Main},
		{Title: strings.ToUpper(t.Unit() + "s"), Kind: table.Number},
		{Title: "LOST", Kind: table.Number},
		{Title: "AT ENDS", Kind: table.Number},
		{Title: "UNPLACED", Kind: table.Number},
		{Title: "GAPS", Kind: table.Number},
		{Title: "INSTRUCTIONS", Kind: table.Number},
		{Title: "STATUS", Kind: table.Remark},
	}}
	for i := range t.Datasets {
		d := &t.Datasets[i]
		for j := range d.Sources {
			r := &d.Sources[j]
			agrees, checks := r.Checks()
			sources.Add(table.Bar{}, nameIn(t, d, schema.SourceText(r.Source)+answer.OfCore(r.Core)),
				s.exact(r.BytesDecoded, r.Bytes), s.exact(agrees, checks), thousands(r.Bytes), thousands(r.BytesLost),
				thousands(r.Ends),
				thousands(r.BytesUnplaced), thousands(r.Gaps), thousands(r.Instructions), r.Status)
		}
	}
	return sources
}

// exact is a percentage as in the trust line; there is none of nothing.
func (s *screen) exact(n, of int64) string {
	if of == 0 {
		return s.None()
	}
	return percentTo(n, of, 2) + "%"
}

// nameIn is a name in a dataset, which is named too if there are several.
func nameIn(t *trust.Summary, d *trust.Dataset, name string) string {
	if len(t.Datasets) == 1 {
		return name
	}
	if d.Test != "" {
		return fmt.Sprintf("%s (test %s): %s", d.Dir, d.Test, name)
	}
	return d.Dir + ": " + name
}

func (s *screen) filesTable(t *trust.Summary) *table.Table {
	files := &table.Table{Columns: []table.Column{
		{Title: "PROGRAM FILE", Kind: table.Path},
		{Title: "MATCHES", Kind: table.Main},
		{Title: "ADDRESSES", Kind: table.Number},
		{Title: "CODE", Kind: table.Remark},
	}}
	for i := range t.Datasets {
		d := &t.Datasets[i]
		for _, f := range d.Files {
			matches := report.Figure{Covered: f.Matching, Of: f.Executed}
			addresses := figure(matches)
			if f.Executed == 0 {
				addresses = "nothing executed"
			}
			files.Add(table.Bar{}, nameIn(t, d, f.File+answer.OfCore(f.Core)), s.exact(f.Matching, f.Executed), addresses,
				fmt.Sprintf("%.16s", f.CodeSHA256))
		}
	}
	return files
}

// outsideTable has what was executed where no program file has code.
func (s *screen) outsideTable(t *trust.Summary) *table.Table {
	outside := &table.Table{Columns: []table.Column{
		{Title: "OUTSIDE OF THE PROGRAM", Kind: table.Name},
		{Title: "EXECUTIONS", Kind: table.Main},
	}}
	for _, o := range atMost(t.Outside, defaultTop) {
		outside.Add(table.Bar{}, answer.Hex(o.Address)+answer.OfCore(o.Core), thousands(o.Times))
	}
	return outside
}
