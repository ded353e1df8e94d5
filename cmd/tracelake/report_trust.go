package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/pipeline/report/lost"
	"github.com/tracelake/tracelake/pipeline/report/trust"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/verdict"
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

// trust writes how far the figures can be trusted, and what else a reader has to know of them.
func (s *screen) trust(t *trust.Summary, force bool, excluded []report.Excluded) {
	j := judgedOfDatasets(t)
	j.forced = force && t.Word.Refused()
	s.verdict(j)
	note := func(is bool, text string) {
		if is {
			s.paragraph(noLabel, text)
		}
	}
	note(t.InOther > 0, percent(t.InOther, t.Instructions)+" of the instructions in (other): there are more call "+
		"paths than are kept")
	for i := range t.Datasets {
		d := &t.Datasets[i]
		if d.Window != nil {
			note(true, windowText(d))
		}
		for _, f := range d.Files {
			note(f.Executed == 0, fmt.Sprintf("nothing of %s was executed in %s", f.File, d.Dir))
		}
	}
	note(float64(t.Undecoded) > verdict.Least*float64(t.Bytes), count(t.Undecoded, "byte")+
		" of other sources not decoded (report trust names them)")
	note(!t.HasProgram, "no ELF: showing addresses; add -e FILE for names and percentages")
	note(t.HasProgram && !t.Named, "the ELF file names no functions: showing addresses; export with one that is not stripped")
	for i := range excluded {
		s.paragraph("excluded  ", excludedText(&excluded[i]))
	}
}

// judgedOfDatasets returns the verdict on datasets with its figures.
func judgedOfDatasets(t *trust.Summary) *judged {
	return &judged{
		Verdict: &t.Verdict, unit: t.Unit(), datasets: len(t.Datasets), bytes: t.Bytes, decoded: t.Decoded,
		gaps: schema.Of(t.Gaps), gapsAtEnds: t.GapsAtEnds, agrees: t.Agrees, checks: t.Checks,
	}
}

// trustFigures writes all that the verdict rests on.
func (s *screen) trustFigures(t *trust.Summary) {
	const label = "figures    "
	s.paragraph(label, trustText(t))
	s.paragraph(strings.Repeat(" ", len(label)), trustDetails(t))
	if t.Cycles.Traced {
		s.paragraph(strings.Repeat(" ", len(label)), cyclesText(&t.Cycles))
	}
	for i := range t.Doubts {
		s.paragraph(strings.Repeat(" ", len(label)), doubtText(&t.Doubts[i]))
	}
}

// windowText says which part of a capture a dataset is of.
func windowText(d *trust.Dataset) string {
	w := d.Window
	var spans []string
	for _, end := range []struct{ word, at string }{{"from", w.From}, {"to", w.To}} {
		if end.at != "" {
			spans = append(spans, end.word+" "+end.at)
		}
	}
	text := fmt.Sprintf("%s is a window of its capture, %s: ", d.Dir, strings.Join(spans, " "))
	if w.Index == "" {
		return text + "decoded without an index"
	}
	var parts []string
	for _, x := range w.Sources {
		parts = append(parts, fmt.Sprintf("segments %s to %s of source %s", thousands(int64(x.First)),
			thousands(int64(x.Last)), schema.SourceText(x.Source)))
	}
	return text + strings.Join(parts, ", ")
}

// trustText is the first line: what was decoded, and with which program.
func trustText(t *trust.Summary) string {
	parts := []string{decodedText(t), count(t.Gaps, "gap"), agreesText(t)}
	if t.Conditions > 0 {
		parts = append(parts, conditionsText(t.Unknown, t.Conditions))
	}
	return strings.Join(parts, ", ")
}

// conditionsText says of how many conditional instructions the outcome is known.
func conditionsText(unknown, all int64) string {
	if unknown == all {
		return count(all, "conditional instruction") + ": this trace does not record whether they passed"
	}
	return fmt.Sprintf("%s of %s unknown", thousands(unknown), count(all, "outcome")+" of conditional instructions")
}

func decodedText(t *trust.Summary) string {
	of := ""
	if n := len(t.Datasets); n > 1 {
		of = " of " + count(int64(n), "dataset")
	}
	return fmt.Sprintf("%s of %s%s decoded", percent(t.Decoded, t.Bytes), count(t.Bytes, t.Unit()), of)
}

func agreesText(t *trust.Summary) string {
	if t.Checks == 0 {
		return "image not checked"
	}
	return fmt.Sprintf("image agrees %s of %s", thousands(t.Agrees), thousands(t.Checks))
}

// trustDetails is what the first line leaves out.
func trustDetails(t *trust.Summary) string {
	parts := []string{lostText(t.Lost, t.Ends, t.Unit())}
	if t.Unplaced > 0 {
		parts = append(parts, count(t.Unplaced, t.Unit())+" not matched to code")
	}
	if t.HasProgram {
		if t.Distinct > 0 {
			parts = append(parts, fmt.Sprintf("the ELF file matches %s of %s", thousands(t.Matching), count(t.Distinct,
				"address")))
		}
		parts = append(parts, outsideText(t))
	}
	return strings.Join(parts, ", ")
}

// cyclesText says what of the cycles that were traced figures are of.
func cyclesText(c *trust.Cycles) string {
	text := count(c.Executed, "cycle") + " executed"
	if c.Unplaced != 0 {
		text += ", " + thousands(c.Unplaced) + " more at no known address"
	}
	return text + ", " + thousands(c.Gaps) + " in gaps"
}

// lostText says how much was lost. At the ends of a trace that is normal: before the
// first synchronisation, and where the last packet is cut off.
func lostText(lost, ends int64, unit string) string {
	text := count(lost, unit) + " lost"
	switch ends {
	case 0:
		return text
	case lost:
		return text + " (all at the ends of the trace)"
	}
	return fmt.Sprintf("%s (%s at the ends of the trace)", text, thousands(ends))
}

// outsideShown is how many addresses outside of the program a report names.
const outsideShown = 3

func outsideText(t *trust.Summary) string {
	if len(t.Outside) == 0 {
		return "all executed addresses are in the ELF file"
	}
	var names []string
	times := int64(0)
	for i, o := range t.Outside {
		if i < outsideShown {
			names = append(names, o.Address.Hex())
		}
		times += o.Times
	}
	if more := len(t.Outside) - outsideShown; more > 0 {
		names = append(names, fmt.Sprintf("%s more", thousands(int64(more))))
	}
	return fmt.Sprintf("%s not in the ELF file executed %s (%s)", count(int64(len(t.Outside)), "address"), count(times, "time"),
		strings.Join(names, ", "))
}

func doubtText(d *trust.Doubt) string {
	what := "branch addresses and periodic synchronisations agree with the program"
	if d.OfProgramFile {
		what = "executed addresses have the opcode that is in it"
	}
	return fmt.Sprintf("%s: %s: only %s of %s %s (%s)", d.Dir, d.What, thousands(d.Agrees), thousands(d.Of), what,
		percent(d.Agrees, d.Of))
}

func excludedText(e *report.Excluded) string {
	switch {
	case e.Instructions == 0:
		return fmt.Sprintf("%s (%s): there is nothing of that name, or an earlier exclusion has it", e.Name, e.Reason)
	case e.Covered > 0:
		return fmt.Sprintf("%s (%s): %s, of which %s ran", e.Name, e.Reason, count(e.Instructions, "instruction"),
			thousands(e.Covered))
	}
	return fmt.Sprintf("%s (%s): %s", e.Name, e.Reason, count(e.Instructions, "instruction"))
}

// lost writes why bytes were lost, and where trace started again.
func (s *screen) lost(t *trust.Summary, lost *lost.Summary) {
	var reasons, gaps []string
	for _, r := range lost.Reasons {
		reasons = append(reasons, count(r.Bytes, t.Unit())+" "+r.Words())
	}
	for _, g := range atMost(lost.Gaps, defaultTop) {
		gaps = append(gaps, thousands(g.Seq))
	}
	if len(reasons) > 0 {
		s.paragraph("lost       ", strings.Join(reasons, ", "))
	}
	if len(gaps) > 0 {
		s.paragraph("gaps       ", "trace started again at seq "+strings.Join(gaps, ", "))
	}
}
