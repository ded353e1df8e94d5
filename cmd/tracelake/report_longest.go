package main

import (
	"fmt"
	"strings"

	"github.com/tracelake/tracelake/pipeline/probe/identify"
	"github.com/tracelake/tracelake/pipeline/report/answer"
	"github.com/tracelake/tracelake/pipeline/report/durations"
	"github.com/tracelake/tracelake/schema"
)

// lastOf is the command that shows what led to a point of a dataset that was answered from.
func (a *reportArgs) lastOf(dir string, source uint8, point string) string {
	words := []string{programName, "report last", identify.Quote(dir)}
	if input, ok := a.captures.inputs[dir]; ok {
		words = append([]string{programName, "report last", identify.Quote(input)}, a.captures.flags...)
	}
	return strings.Join(append(words, fmt.Sprintf("--source %s --before %s", schema.SourceText(source), point)), " ")
}

// durationsOf returns the durations of rows.
func durationsOf[Row any](rows []Row, of func(*Row) durations.Summary) []durations.Summary {
	all := make([]durations.Summary, len(rows))
	for i := range rows {
		all[i] = of(&rows[i])
	}
	return all
}

// longest says how to see what led to the longest of rows, which are of calls or of exceptions, as kind says.
func (s *screen) longest(a *reportArgs, kind string, rows []durations.Summary) {
	var worst *durations.Summary
	for i := range rows {
		if x := &rows[i]; x.Unit == rows[0].Unit && x.Longest > 0 && (worst == nil || x.Longest > worst.Longest) {
			worst = x
		}
	}
	if worst != nil {
		s.line("what led to the longest:")
		s.whole("  " + a.lastOf(worst.Worst.Dir, worst.Worst.Source, answer.PointOf(kind, &worst.Worst)))
	}
}
