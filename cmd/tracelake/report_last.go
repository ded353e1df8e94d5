package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/pipeline/convert"
	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/pipeline/report/last"
	"github.com/tracelake/tracelake/schema"
)

func lastCommand() *cli.Command {
	return &cli.Command{
		Name:      "last",
		Usage:     "show the last instructions before a point",
		UsageText: "tracelake report last DIR [flags]",
		Description: `The point is the end of the trace, or what --before says: an instruction, a
byte of the capture, an exception, by its ordinal in the table exceptions, or
the start of a call, by its number in the table calls. The reports exceptions
and calls print K of the longest.
A dataset without rows of what was executed, as an archive, needs its capture:
the part before the point is decoded again.

Lines of source are shown if their files are found. CYCLES are those since the
count before. Below is the stack of the last instruction, the innermost function
first; a tail call takes the place of the function that it left.

Examples:
   tracelake report last run
   tracelake report last run --before exception=12 -n 20
   tracelake report last run --before offset=0x8000 --source-root src`,
		Flags: slices.Concat(datasetFlags(false), []cli.Flag{
			storeFlag(),
			sourceIDFlag(),
			&cli.StringFlag{
				Name: "before", Category: string(groupInput), Usage: "the `POINT`: seq=N, offset=N, exception=K or call=K",
				DefaultText: "the end of the trace",
			},
			&cli.Int64Flag{
				Name: "instructions", Aliases: []string{"n"}, Category: string(groupOutput), Value: defaultLast,
				Usage: "show at most `N` instructions",
			},
		}, pathFlags(), []cli.Flag{jsonFlag()}, screenFlags()),
		Action: reportLast,
	}
}

// How many instructions are shown: by default, and at most.
const (
	defaultLast = 50
	maxLast     = 1_000_000
)

// sourceIDFlag picks a source.
func sourceIDFlag() cli.Flag {
	return &cli.StringFlag{
		Name: "source", Category: string(groupInput),
		Usage: "the source with trace `ID`: 0x13 is hexadecimal, 19 decimal", DefaultText: "the one that ran",
	}
}

// lastArgs are the command line of report last.
type lastArgs struct {
	*reportArgs
	point  last.Point
	source schema.Null[uint8] // NULL: the one that ran
	n      int64              // instructions
	paths  convert.Paths
}

func readLast(ctx *cli.Context) (*lastArgs, error) {
	a := &lastArgs{n: ctx.Int64("instructions")}
	var err error
	if a.reportArgs, err = readReport(ctx, ""); err != nil {
		return nil, err
	}
	if len(a.dirs) > 1 {
		return nil, usage(fullName(ctx.Command), fmt.Sprintf("takes one DIR, but is given %d: %s", len(a.dirs),
			strings.Join(a.dirs, ", ")), seeHelp(ctx.Command))
	}
	if a.point, err = pointBefore(ctx.String("before")); err != nil {
		return nil, err
	}
	if a.source, err = oneSource(ctx); err != nil {
		return nil, err
	}
	if a.n < 1 || a.n > maxLast {
		return nil, usage(fmt.Sprintf("--instructions %d", a.n), "is not a number of instructions to show",
			"give one from 1 to 1000000")
	}
	a.paths, err = readPaths(ctx)
	return a, err
}

func reportLast(ctx *cli.Context) error {
	a, err := readLast(ctx)
	if err != nil {
		return err
	}
	q, err := a.ask(ctx)
	if err != nil {
		return err
	}
	parts := &again{ctx: ctx, images: a.captures.options.Capture.ImageStore}
	l, err := last.Read(q.m, q.dirs[0], a.source, a.point, a.n, parts.rows(q.dirs[0]))
	if e, ok := errors.AsType[*last.NoSourceError](err); ok {
		return noSource(e)
	}
	if err != nil {
		return err
	}
	text := newSourceText(a.paths)
	return q.write(ctx, answer.Last(q.head("last"), l, text.line), func(s *screen) { s.last(l, text) })
}

// pointBefore reads --before.
func pointBefore(text string) (last.Point, error) {
	if text == "" {
		return last.Point{}, nil
	}
	what, number, _ := strings.Cut(text, "=")
	kind, ok := map[string]last.PointKind{
		"seq": last.AtSeq, "offset": last.AtOffset,
		"exception": last.AtException, "call": last.AtCall,
	}[what]
	n, err := strconv.ParseInt(number, 0, 64)
	if !ok || err != nil || n < 0 {
		return last.Point{}, usage("--before "+text, "is not a point", "points are seq=N, offset=N, exception=K and call=K")
	}
	return last.Point{Kind: kind, N: n}, nil
}

// oneSource reads --source.
func oneSource(ctx *cli.Context) (schema.Null[uint8], error) {
	if !ctx.IsSet("source") {
		return schema.Null[uint8]{}, nil
	}
	id, ok := traceID(ctx.String("source"))
	if !ok {
		return schema.Null[uint8]{}, usage("--source "+ctx.String("source"), "is not a trace ID",
			"write it as 0x13 or, decimal, as 19; the highest is 0x7f")
	}
	return schema.Of(id), nil
}

// noSource is the error for a source that has to be picked, or is not there.
func noSource(e *last.NoSourceError) error {
	var known []string
	for _, id := range e.Known {
		known = append(known, schema.SourceText(id))
	}
	if len(known) == 0 {
		return fmt.Errorf("%s: nothing was executed in it", e.Dir)
	}
	return usage("report last", e.Error(), "give one with --source: "+strings.Join(known, ", "))
}
