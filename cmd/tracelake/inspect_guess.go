package main

import (
	"strings"

	"github.com/tracelake/tracelake/pipeline/probe"
	"github.com/tracelake/tracelake/pipeline/report/answer"

	"github.com/tracelake/tracelake/cmd/tracelake/internal/table"
	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/schema"
)

// found says what an input is that is no capture.
func (s *screen) found(in *probe.Inspection) {
	s.line("%s", in.Found.Sentence(in.Input))
	s.commands(in.Lines)
}

// framingWords says how streams are in a file.
func framingWords(framed bool) string {
	if framed {
		return "in formatter frames"
	}
	return "as one stream"
}

// confidenceWords are the words for a confidence.
var confidenceWords = map[probe.Confidence]string{
	probe.Certain: "certainly", probe.Likely: "probably", probe.Uncertain: "perhaps",
	probe.NoGuess: "no trace that is read here",
}

// guess says how a raw file was read, the best way first.
func (s *screen) guess(g *probe.Guess) {
	words := confidenceWords[g.Confidence]
	if g.Confidence != probe.NoGuess {
		words += " trace " + framingWords(g.Framed)
	}
	s.indented("%s; read in every way:", words)
	t := &table.Table{Columns: []answer.Column{
		{Title: "READ AS", Weight: answer.Name},
		{Title: "DECODED", Weight: answer.Main},
		{Weight: answer.Share},
		{Title: "OF", Weight: answer.Main},
		{Weight: answer.Remark},
	}}
	for i := range g.Tried {
		x := &g.Tried[i]
		t.Add(table.Bar{Full: float64(x.Decoded.N), Whole: float64(x.Decoded.Total)}, x.Protocol+" "+framingWords(x.Framed),
			s.exact(x.Decoded.N, x.Decoded.Total), count(x.Decoded.Total, strings.TrimSuffix(x.Unit, "s")), isyncWords(x))
	}
	if t.Rows() > 0 {
		s.table(t)
	}
}

// isyncWords says how many I-syncs there are, and whether they can be right.
func isyncWords(t *probe.Tried) string {
	what := "I-sync"
	if t.Unit == schema.UnitSamples.String() {
		what = "cut"
	}
	words := count(t.ISyncs, what)
	decoded := float64(t.Decoded.N) / float64(max(t.Decoded.Total, 1))
	if t.ISyncs > 0 && t.Rate < decoded/2 {
		words += " that no trace unit sends"
	}
	return words
}

// guessed says what a source of a raw file is, and what its stream says about the
// registers.
func (s *screen) guessed(g *probe.Guessed) {
	if g == nil {
		return
	}
	if g.Confidence != probe.NoGuess && len(g.Tried) > 1 {
		next := &g.Tried[1]
		s.item("protocol", "%s %s; as %s %s decodes, with %s", confidenceWords[g.Confidence], g.Tried[0].Protocol,
			next.Protocol, percent(next.Decoded.N, next.Decoded.Total), isyncWords(next))
	}
	if len(g.Unseen) > 0 {
		s.item("unknown", "%s: only the program shows it; inspect again with -e FILE", strings.Join(g.Unseen, ", "))
	}
}

// suggested says with which values of registers the stream reads better.
func (s *screen) suggested(suggested []probe.Suggestion) {
	for _, x := range suggested {
		s.item("suggested", "%s: %s (%s fits, %s without)", x.Register, x.Means, figures.Share(x.With),
			figures.Share(x.Without))
	}
}
