package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/pipeline/report/calls"
	"github.com/tracelake/tracelake/pipeline/report/durations"
)

func callsCommand() *cli.Command {
	return &cli.Command{
		Name:      "calls",
		Usage:     "say how long the calls of each function took",
		UsageText: "tracelake report calls DIR... [flags]",
		Description: `A row is a function that was called, by a tail call or another one. Durations
are with all that it called, without exceptions and other tasks: in cycles if
the source counts them, else in instructions. MEDIAN and P99 after ~ are within
1.6 %; all else is exact. WORST AT is the longest, as --before of report last
takes it: call=K, a row of the table calls, or seq=N if it has none. The
functions that took most with all that they called are first; recursion counts
once, at the outermost call.

Examples:
   tracelake report calls run
   tracelake report calls run --top 50
   tracelake report calls run --baseline yesterday`,
		Flags: slices.Concat(datasetFlags(true), selectionFlags(),
			[]cli.Flag{
				baselineFlag("say which calls got slower, and which faster, than in the earlier run in `DIR`"), topFlag(),
				jsonFlag(), csvFlag(),
			}, screenFlags()),
		Action: asking("", reportCalls),
	}
}

func reportCalls(ctx *cli.Context, q *question) error {
	c, err := calls.Read(q.m, q.dirs, q.options.Test)
	if err != nil {
		return err
	}
	var change *calls.Change
	baseline := answer.Absent
	if q.baseline != nil {
		before, err := calls.Read(q.baseline, []string{q.reportArgs.baseline}, "")
		if err != nil {
			return err
		}
		change = c.Against(before, q.m.SameProgram(q.baseline))
		baseline = answer.CallsChange(change, q.top, q.baselineDir())
	}
	a := answer.Calls(q.head("calls"), c, q.top, baseline)
	return q.write(ctx, a, func(s *screen) {
		s.calls(a.Section())
		s.longest(q.reportArgs, "call", durationsOf(c.Rows, func(r *calls.Row) durations.Summary { return r.Summary }))
		if change == nil {
			return
		}
		dir := q.baselineDir()
		if !change.SameProgram {
			dir += ", which is of another program, so that functions are compared by name"
		}
		s.durationChanges(dir, baseline.Section(), change.New, change.Lost)
	})
}

// calls writes a row for each function that was called.
func (s *screen) calls(x *answer.Section) {
	s.blank()
	if x.Rows == 0 {
		s.line("no calls")
		return
	}
	s.section(x)
	s.leftOut(x)
}

// durationChanges writes what got slower, and what faster, than in the baseline.
func (s *screen) durationChanges(dir string, x *answer.Section, added, lost int64) {
	s.blank()
	s.line("against %s: %s new, %s lost", dir, count(added, x.Noun), thousands(lost))
	if x.Rows == 0 {
		s.line("none got slower or faster")
		return
	}
	s.section(x)
	s.line("slower by: what all of now took more than as many took before, on average")
	s.leftOut(x)
}
