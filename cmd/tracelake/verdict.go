package main

import (
	"fmt"
	"strings"

	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/pipeline/probe"
	"github.com/tracelake/tracelake/pipeline/probe/reading"
	"github.com/tracelake/tracelake/pipeline/report/trust"
	"github.com/tracelake/tracelake/schema"
	"github.com/tracelake/tracelake/schema/verdict"
)

// A judged is what a verdict is on, with the figures to say beside it.
type judged struct {
	*verdict.Verdict
	unit           string // in which bytes are counted, in the singular
	datasets       int
	bytes, decoded int64
	gaps           schema.Null[int64] // NULL: only a sample was decoded
	gapsAtEnds     int64              // of those
	agrees, checks int64
	forced         bool
}

// The labels before the lines that every answer begins with.
const (
	trustLabel = "trust  "
	noLabel    = "       "
)

// verdict writes the verdict, in one line if it is Good; else the worst cause first, and what to do.
func (s *screen) verdict(j *judged) {
	paint := map[verdict.Word]func(string) string{verdict.Good: s.Good, verdict.GoodWithGaps: s.Fair, verdict.PacketsOnly: s.Fair}[j.Word]
	if paint == nil {
		paint = s.Bad
	}
	word := string(j.Word)
	if j.forced {
		word += " (forced)"
	}
	reasons := trust.Reasons(j.Verdict, j.unit)
	if len(reasons) == 0 {
		s.judged(trustLabel, word+":", j.figures(), paint)
		return
	}
	s.judged(trustLabel, word+":", reasons[0], paint)
	for _, r := range reasons[1:] {
		s.paragraph(noLabel, r)
	}
	s.paragraph(noLabel, j.figures())
	for _, r := range trust.Remedies(j.Verdict) {
		s.paragraph(noLabel, r)
	}
}

// gapsText counts gaps; those at the ends of the trace say nothing of what is between.
func gapsText(gaps, atEnds int64) string {
	switch text := count(gaps, "gap"); atEnds {
	case 0:
		return text
	case gaps:
		return text + " (at an end)"
	default:
		return fmt.Sprintf("%s (%s at an end)", text, thousands(atEnds))
	}
}

// A refusedError says that figures of what was decoded say nothing of what ran.
type refusedError struct {
	dir, unit string
	verdict   *verdict.Verdict
	more      string // what else to do
}

func (e *refusedError) Error() string {
	text := fmt.Sprintf("%s: %s: %s", e.dir, e.verdict.Word, trust.Reasons(e.verdict, e.unit)[0])
	if all := trust.Remedies(e.verdict); len(all) > 0 {
		text += "; " + strings.ToLower(all[0][:1]) + strings.TrimSuffix(all[0][1:], ".")
	}
	return text + e.more
}

// refused is the error for an export whose figures say nothing of what ran.
func refused(dir string, x *pipeline.Summary) error {
	if !x.Verdict.Word.Refused() {
		return nil
	}
	return &refusedError{dir, judgedOf(&x.Verdict, x.Sources).unit, &x.Verdict, ""}
}

// figures says how much was decoded, and agrees with the program.
func (j *judged) figures() string {
	text := percent(j.decoded, j.bytes) + " decoded"
	if j.datasets > 1 {
		text = percent(j.decoded, j.bytes) + " of " + count(int64(j.datasets), "dataset") + " decoded"
	}
	parts := []string{text}
	if j.gaps.OK {
		parts = append(parts, gapsText(j.gaps.V, j.gapsAtEnds))
	}
	switch {
	case j.checks == 0, j.Word == verdict.PacketsOnly:
	case j.agrees == j.checks && j.checks > 1:
		parts = append(parts, fmt.Sprintf("all %s checks agree", thousands(j.checks)))
	default:
		parts = append(parts, fmt.Sprintf("%s of %s agree", thousands(j.agrees), count(j.checks, "check")))
	}
	return strings.Join(parts, ", ")
}

// whatIsWrong says in a line what is wrong with a source, "" if nothing is.
func whatIsWrong(r *reading.Reading, a *probe.Agreements) string {
	if r == nil || r.Fine() {
		return ""
	}
	if contradicted(r) {
		return fmt.Sprintf("%s: %s", r, disagreement(a))
	}
	return r.String()
}

// contradicted reports whether trace and program do not agree.
func contradicted(r *reading.Reading) bool { return r != nil && r.Problem == reading.Contradicted }

// readings names the sources that were not read well, with cause and remedy.
func (s *screen) readings(sources []pipeline.SourceSummary) {
	for i := range sources {
		x := &sources[i]
		text := whatIsWrong(x.Reading, &x.Agreements)
		switch {
		case text == "":
			continue
		case contradicted(x.Reading):
			text += " (tracelake report quality shows where)"
			fallthrough
		case !x.Reading.Nothing: // else the source is named
			text = fmt.Sprintf("source %s: %s", schema.SourceText(x.Source), text)
		}
		s.indented("%s", text)
	}
}

// lostWords says what was lost of a source of so many units: what is normal is not
// called a loss.
func lostWords(lost, bytes int64, unit string, r *reading.Reading) string {
	const start = "before the first synchronisation"
	normal := ""
	if r != nil && r.Normal && r.Start > 0 {
		normal = " (normal)"
	}
	switch {
	case lost == 0 || lost == bytes || r == nil || r.Start == 0:
		return fmt.Sprintf("%s lost (%s)", thousands(lost), percent(lost, bytes))
	case r.Start == lost && r.Normal:
		return fmt.Sprintf("%s %s%s", count(lost, unit), start, normal)
	}
	some := thousands(r.Start) + " of them"
	if r.Start == lost {
		some = "all"
	}
	return fmt.Sprintf("%s lost (%s), %s %s%s", thousands(lost), percent(lost, bytes), some, start, normal)
}
