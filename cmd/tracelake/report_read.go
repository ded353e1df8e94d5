package main

import (
	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/schema"
)

// A question is what a report is asked, with the datasets that answer it.
type question struct {
	by       report.By
	top      int // rows; 0: all
	limit    *limit
	m        *report.Merged
	baseline *report.Merged // nil: none
	forced   bool           // --force, and another program ran
}

// ask reads the command line of a report. A limit is of that if it does not say.
func ask(ctx *cli.Context, limitOf string) (q *question, err error) {
	q = &question{}
	if q.by, err = rowsBy(ctx); err != nil {
		return nil, err
	}
	if q.top, err = top(ctx); err != nil {
		return nil, err
	}
	if q.limit, err = readLimit(ctx, limitOf); err != nil {
		return nil, err
	}
	if q.m, err = readDatasets(ctx); err != nil {
		return nil, err
	}
	if q.baseline, err = readBaseline(ctx); err != nil {
		return nil, err
	}
	q.forced = len(q.m.Trust().Doubts) > 0
	return q, nil
}

// change compares with the baseline; nil: there is none.
func (q *question) change(ofOutcomes bool) *report.Change {
	if q.baseline == nil {
		return nil
	}
	return q.m.Against(q.baseline, q.by, ofOutcomes)
}

// answer writes a report: as an object that it makes, or as a screen that it fills.
func (q *question) answer(ctx *cli.Context, object func() any, fill func(*screen)) error {
	if ctx.Bool("json") {
		return writeJSON(ctx.App.Writer, object())
	}
	s := newScreen(ctx.App.Writer)
	s.trust(q.m.Trust(), q.forced, q.m.Excluded())
	fill(s)
	return s.writeTo(ctx.App.Writer)
}

// head is what every report for programs begins with.
func (q *question) head(name string) reportHead {
	return reportHead{SchemaVersion: schema.Version, Report: name, Forced: q.forced, Trust: trustObject(q.m.Trust()), Excluded: excludedObjects(q.m.Excluded())}
}
