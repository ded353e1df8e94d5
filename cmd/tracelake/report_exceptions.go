package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/pipeline/report/durations"
	"github.com/tracelake/tracelake/pipeline/report/exceptions"
)

func exceptionsCommand() *cli.Command {
	return &cli.Command{
		Name:      "exceptions",
		Usage:     "count exceptions and say how long they took",
		UsageText: "tracelake report exceptions DIR... [flags]",
		Description: `A row is a type and number of exception. Durations are from entry to return or
task switch, nested exceptions included: in cycles if all of them have cycles,
else in ticks of the timestamps, else in instructions. P99 needs 100 samples.
WORST AT is the longest, as --before of report last takes it. UNFINISHED could
not be followed to their end, and have no duration. SHARE is of all that was
executed; asynchronous exceptions nested in others are in their own. NESTED is
how many exceptions the deepest one was in. HANDLER is the function that most of
SHARE ran in, TO its exception level (ETMv4, ETE). --json has the five longest.

Examples:
   tracelake report exceptions run
   tracelake report exceptions run --baseline yesterday`,
		Flags: slices.Concat(datasetFlags(true),
			[]cli.Flag{
				baselineFlag("say which got slower, and which faster, than in the earlier run in `DIR`"), topFlag(),
				jsonFlag(), csvFlag(),
			}, screenFlags()),
		Action: asking("", reportExceptions),
	}
}

func reportExceptions(ctx *cli.Context, q *question) error {
	x, err := exceptions.Read(q.m, q.dirs, q.options.Test)
	if err != nil {
		return err
	}
	var change *exceptions.Change
	baseline := answer.Absent
	if q.baseline != nil {
		before, err := exceptions.Read(q.baseline, []string{q.reportArgs.baseline}, "")
		if err != nil {
			return err
		}
		change = x.Against(before)
		baseline = answer.ExceptionsChange(change, q.top, q.baselineDir())
	}
	a := answer.Exceptions(q.head("exceptions"), x, q.top, baseline)
	return q.write(ctx, a, func(s *screen) {
		s.blank()
		if rows := a.Section(); rows.Rows == 0 {
			s.line("no exceptions")
		} else {
			s.section(rows)
			s.leftOut(rows)
			s.longest(q.reportArgs, "exception", durationsOf(x.Rows, func(r *exceptions.Row) durations.Summary { return r.Summary }))
		}
		if change != nil {
			s.durationChanges(q.baselineDir(), baseline.Section(), change.New, change.Lost)
		}
	})
}
