package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/tracelake/tracelake/pipeline/report"
	"github.com/tracelake/tracelake/pipeline/report/answer"
)

// limitFlags compare coverage with what it has to be, and with what it was.
func limitFlags(of string) []cli.Flag {
	return []cli.Flag{
		groupRun.stringOr("fail-under",
			"exit with 3 if less is covered: `PCT[:OF]`, OF being instructions, functions, lines or "+
				"branches", "of "+of),
		baselineFlag("say what is new, and what is lost, against the earlier run in `DIR`"),
	}
}

func baselineFlag(usage string) cli.Flag {
	return groupInput.string("baseline", usage)
}

// errBelow is why a report exits with 3.
var errBelow = errors.New("below --fail-under")

// A limit is what --fail-under demands.
type limit struct {
	percent float64
	of      string
	text    string // as the user wrote it
}

// The figures that a limit may be of.
const (
	limitInstructions = "instructions"
	limitFunctions    = "functions"
	limitLines        = "lines"
	limitBranches     = "branches"
)

// readLimit reads --fail-under, nil if it is not given.
func readLimit(ctx *cli.Context, of string) (*limit, error) {
	if !ctx.IsSet("fail-under") {
		return nil, nil
	}
	l := &limit{text: ctx.String("fail-under"), of: of}
	number, what, named := strings.Cut(l.text, ":")
	if named {
		l.of = what
	}
	var err error
	if l.percent, err = strconv.ParseFloat(strings.TrimSuffix(number, "%"), 64); err != nil || !(l.percent >= 0 &&
		l.percent <= 100) {
		return nil, usage("--fail-under "+l.text, "is not a percentage", "give a number from 0 to 100, as 80 or 80:lines")
	}
	if !slices.Contains([]string{limitInstructions, limitFunctions, limitLines, limitBranches}, l.of) {
		return nil, usage("--fail-under "+l.text, "is of nothing that is counted",
			"it may be of instructions, functions, lines or branches")
	}
	return l, nil
}

// figure returns the figure that the limit is of.
func (l *limit) figure(c *report.Coverage) report.Figure {
	switch l.of {
	case limitFunctions:
		return c.Functions
	case limitLines:
		return c.Lines
	case limitBranches:
		return c.Branches.Outcomes()
	}
	return c.Instructions.Figure
}

// value is what programs get of it.
func (l *limit) value(c *report.Coverage) answer.Value {
	if l == nil {
		return answer.Absent
	}
	return answer.Object(answer.Fact{Key: "percent", Value: answer.Float(l.percent)},
		answer.Fact{Key: "of", Value: answer.Text(l.of)},
		answer.Fact{Key: "met", Value: answer.JSONOf(l.check(c) == nil)})
}

// check returns [errBelow] if less is covered, and another error if nobody knows.
func (l *limit) check(c *report.Coverage) error {
	if l == nil {
		return nil
	}
	f := l.figure(c)
	if f.Of == 0 {
		return fmt.Errorf("--fail-under %s: the program has no %s to count; export with a program file: -e FILE", l.text,
			l.of)
	}
	if float64(f.Covered)*100 < l.percent*float64(f.Of) {
		return fmt.Errorf("%s of %s are covered (%s of %s), which is %w %s", percent(f.Covered, f.Of), l.of,
			thousands(f.Covered), thousands(f.Of), errBelow, l.text)
	}
	return nil
}
