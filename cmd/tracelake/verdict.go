package main

import (
	"fmt"

	"github.com/tracelake/tracelake/pipeline/probe"

	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/probe/verdict"
	"github.com/tracelake/tracelake/schema"
)

// statusWords are the words for a status; that of a bad decode is not to be missed.
var statusWords = map[verdict.Status]string{
	verdict.Good: "ok", verdict.Partial: "in part", verdict.Bad: "BAD", verdict.Nothing: "NOTHING",
}

// overall returns the status of all sources that were decoded: the worst. Of one with
// nothing in it, it matters how much of all bytes it has, unless all are like that.
func overall(sources []pipeline.SourceSummary) verdict.Status {
	rank := map[verdict.Status]int{verdict.Good: 0, verdict.Partial: 1, verdict.Bad: 2}
	worst, some := verdict.Good, false
	var nothing, all int64
	for i := range sources {
		s := &sources[i]
		if s.Verdict == nil {
			some = some || s.Kept // what it was before is not judged again
			continue
		}
		all += s.Bytes
		if s.Verdict.Status == verdict.Nothing {
			nothing += s.Bytes
			continue
		}
		some = true
		if rank[s.Verdict.Status] > rank[worst] {
			worst = s.Verdict.Status
		}
	}
	if !some {
		return verdict.Nothing
	}
	if lost := verdict.Judge(&verdict.Facts{Bytes: all, Decoded: all - nothing,
		Lost: nothing}); rank[lost.Status] > rank[worst] {
		return lost.Status
	}
	return worst
}

// whatIsWrong says in a line what is wrong with a source, "" if nothing is.
func whatIsWrong(v *verdict.Verdict, a *probe.Agreements) string {
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

// verdicts names the sources that are not good, with cause and remedy.
func (s *screen) verdicts(sources []pipeline.SourceSummary) {
	for i := range sources {
		x := &sources[i]
		text := whatIsWrong(x.Verdict, &x.Agreements)
		switch {
		case text == "":
			continue
		case contradicted(x.Verdict):
			text += " (tracelake report quality shows where)"
			fallthrough
		case x.Verdict.Status != verdict.Nothing: // else the source is named
			text = fmt.Sprintf("source %s: %s", schema.SourceText(x.Source), text)
		}
		s.indented("%s", text)
	}
}

// lostWords says what was lost of a source of so many units: what is normal is not
// called a loss.
func lostWords(lost, bytes int64, unit string, v *verdict.Verdict) string {
	const start = "before the first synchronisation"
	normal := ""
	if v != nil && v.Normal && v.Start > 0 {
		normal = " (normal)"
	}
	switch {
	case lost == 0 || lost == bytes || v == nil || v.Start == 0:
		return fmt.Sprintf("%s lost (%s)", thousands(lost), percent(lost, bytes))
	case v.Start == lost && v.Normal:
		return fmt.Sprintf("%s %s%s", count(lost, unit), start, normal)
	}
	some := thousands(v.Start) + " of them"
	if v.Start == lost {
		some = "all"
	}
	return fmt.Sprintf("%s lost (%s), %s %s%s", thousands(lost), percent(lost, bytes), some, start, normal)
}
