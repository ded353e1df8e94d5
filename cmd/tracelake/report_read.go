package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/trust"
)

// reportArgs are the command line of what reports on datasets.
type reportArgs struct {
	dirs     []string
	options  report.Options
	force    bool // go on if another program ran
	json     bool
	csv      bool // the rows alone
	by       report.By
	each     bool // --by is not given: of branches, a row for each
	top      int  // rows; 0: all
	limit    *limit
	baseline string // "": none
	screen   screenArgs
	captures captureArgs
}

// readReport reads the command line of a report. A limit is of that if it does not
// say.
func readReport(ctx *cli.Context, limitOf string) (a *reportArgs, err error) {
	if a, err = readDatasets(ctx); err != nil {
		return nil, err
	}
	a.json, a.csv, a.each = ctx.Bool("json"), ctx.Bool("csv"), !ctx.IsSet("by")
	if a.json && a.csv {
		return nil, usage("--csv", "does not go with --json", "give one of them")
	}
	if a.options.Exclude, err = exclusions(ctx); err != nil {
		return nil, err
	}
	if a.by, err = rowsBy(ctx); err != nil {
		return nil, err
	}
	if a.top, err = top(ctx); err != nil {
		return nil, err
	}
	if a.limit, err = readLimit(ctx, limitOf); err != nil {
		return nil, err
	}
	a.baseline, err = readBaseline(ctx)
	return a, err
}

// readBaseline returns the directory that --baseline names; "": there is none.
func readBaseline(ctx *cli.Context) (string, error) {
	dir := ctx.String("baseline")
	if ctx.IsSet("baseline") && dir == "" {
		return "", usage("--baseline", "names no directory", "write --baseline DIR, an earlier dataset or capture")
	}
	return dir, nil
}

// against returns what reads the baseline.
func (a *reportArgs) against() *reportArgs {
	base := *a
	base.dirs, base.options.Test = []string{a.baseline}, ""
	return &base
}

// readDatasets reads which datasets to report on.
func readDatasets(ctx *cli.Context) (*reportArgs, error) {
	a := &reportArgs{dirs: ctx.Args().Slice(), force: ctx.Bool("force"), options: report.Options{
		Test: ctx.String("test"), Only: report.Selection{Functions: ctx.StringSlice("function"), Files: ctx.StringSlice("file")},
	}}
	if len(a.dirs) == 0 {
		return nil, usage(fullName(ctx.Command), "needs a DIR, a dataset that export wrote, or a capture", seeHelp(ctx.Command))
	}
	if ctx.IsSet("test") && a.options.Test == "" {
		return nil, usage("--test", "names no label", "write --test LABEL, or leave it out for all datasets")
	}
	var err error
	if a.captures, err = readCaptureArgs(ctx); err != nil {
		return nil, err
	}
	a.screen, err = readScreen(ctx)
	return a, err
}

// merge reads the datasets. It refuses those that another program ran in, unless the
// user insists.
func (a *reportArgs) merge() (*report.Merged, error) {
	m, err := report.Read(a.dirs, a.options)
	if none, ok := errors.AsType[*report.NoMatchError](err); ok {
		return nil, fmt.Errorf("%s: %w; %s", strings.Join(a.dirs, ", "), err, nearestTo(none))
	}
	if err != nil {
		return nil, err
	}
	return m, a.refuse(m.Trust())
}

// nearestTo says what is written most like a glob that matches nothing.
func nearestTo(e *report.NoMatchError) string {
	if len(e.Names) == 0 {
		return "the program has no names; export with a program file: -e FILE"
	}
	letters := strings.NewReplacer("*", "", "?", "").Replace(e.Glob)
	wrong := func(name string) int { return distance(letters, name[:min(len(name), len(letters))]) } // a glob may go on
	slices.SortStableFunc(e.Names, func(x, y string) int { return cmp.Compare(wrong(x), wrong(y)) })
	return "the nearest are " + strings.Join(e.Names[:min(len(e.Names), 3)], ", ")
}

// refuse is the error for datasets whose figures say nothing of what ran; with --force there is none.
func (a *reportArgs) refuse(t *trust.Summary) error {
	if !t.Word.Refused() || a.force {
		return nil
	}
	dir := strings.Join(a.dirs, ", ")
	if len(t.Doubts) > 0 {
		dir = t.Doubts[0].Dir
	}
	return &refusedError{a.inputOf(dir), t.Unit(), &t.Verdict, "; --force shows the figures all the same"}
}

// A question is what a report is asked, with the datasets that answer it.
type question struct {
	*reportArgs
	m        *report.Merged
	baseline *report.Merged // nil: none
}

// asking is a report on the datasets that its command line names.
func asking(limitOf string, report func(*cli.Context, *question) error) cli.ActionFunc {
	read := func(ctx *cli.Context) (*question, error) {
		a, err := readReport(ctx, limitOf)
		if err != nil {
			return nil, err
		}
		return a.ask(ctx)
	}
	return acting(read, report)
}

// ask decodes captures, and reads the datasets and the baseline.
func (a *reportArgs) ask(ctx *cli.Context) (q *question, err error) {
	if err := a.decodeCaptures(ctx); err != nil {
		return nil, err
	}
	q = &question{reportArgs: a}
	if q.m, err = a.merge(); err != nil {
		return nil, err
	}
	if a.baseline == "" {
		return q, nil
	}
	q.baseline, err = a.against().merge()
	return q, err
}

// change compares with the baseline; nil: there is none.
func (q *question) change(ofOutcomes bool) *report.Change {
	if q.baseline == nil {
		return nil
	}
	return q.m.Against(q.baseline, q.by, ofOutcomes)
}

// show writes a screen that begins with how far figures can be trusted.
func (q *question) show(ctx *cli.Context, fill func(*screen)) error {
	s := newScreen(ctx.App.Writer, &q.screen)
	s.trust(q.m.Trust(), q.force, q.m.Excluded())
	fill(s)
	return s.writeTo(ctx.App.Writer)
}
