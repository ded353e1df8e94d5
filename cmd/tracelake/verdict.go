package main

import (
	"fmt"
	"strings"

	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/verdict"
	"github.com/tracelake/tracelake/schema"
)

// statusWords are the words for a status; that of a bad decode is not to be missed.
var statusWords = map[verdict.Status]string{
	verdict.Good: "ok", verdict.Partial: "in part", verdict.Bad: "BAD", verdict.Nothing: "NOTHING",
}

// statusOrder are the statuses, the worst first.
var statusOrder = []verdict.Status{verdict.Nothing, verdict.Bad, verdict.Partial, verdict.Good}

// worstStatus returns the worst status of the sources that were decoded.
func worstStatus(sources []pipeline.SourceSummary) verdict.Status {
	for _, status := range statusOrder {
		for i := range sources {
			if v := sources[i].Verdict; v != nil && v.Status == status {
				return status
			}
		}
	}
	return verdict.Nothing
}

// whatIsWrong says in a line what is wrong with a source, "" if nothing is.
func whatIsWrong(v *verdict.Verdict, a *pipeline.Agreements) string {
	if v == nil || v.Status == verdict.Good {
		return ""
	}
	if contradicted(v) {
		return fmt.Sprintf("%s: %s", v, disagreement(a))
	}
	return v.String()
}

// contradicted reports whether the verdict is that trace and program do not agree.
func contradicted(v *verdict.Verdict) bool { return v != nil && v.Problem == verdict.Contradicted }

// writeVerdicts names the sources that are not good, with cause and remedy.
func writeVerdicts(b *strings.Builder, sources []pipeline.SourceSummary) {
	for i := range sources {
		s := &sources[i]
		if text := whatIsWrong(s.Verdict, &s.Agreements); text != "" {
			if contradicted(s.Verdict) {
				text += " (tracelake report quality shows where)"
			}
			fmt.Fprintf(b, "  source %s: %s\n", schema.SourceText(s.Source), text)
		}
	}
}

// lostWords says what was lost of a source of so many bytes: what is normal is not
// called a loss.
func lostWords(lost, bytes int64, v *verdict.Verdict) string {
	const start = "before the first synchronisation"
	normal := ""
	if v != nil && v.Normal && v.Start > 0 {
		normal = " (normal)"
	}
	switch {
	case lost == 0 || v == nil || v.Start == 0:
		return fmt.Sprintf("%s lost (%s)", thousands(lost), percent(lost, bytes))
	case v.Start == lost && v.Normal:
		return fmt.Sprintf("%s %s%s", count(lost, "byte"), start, normal)
	}
	return fmt.Sprintf("%s lost (%s), %s of them %s%s", thousands(lost), percent(lost, bytes), thousands(v.Start), start, normal)
}
