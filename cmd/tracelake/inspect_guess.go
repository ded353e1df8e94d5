package main

import (
	"fmt"
	"strings"

	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/pipeline"
	"github.com/tracelake/tracelake/schema"
)

// writeFound says what an input is that is no capture.
func writeFound(b *strings.Builder, in *pipeline.Inspection) {
	fmt.Fprintf(b, "  %s\n", in.Found.What)
	if in.Found.Do != "" {
		fmt.Fprintf(b, "  %s\n", in.Found.Do)
	}
	writeLines(b, in.Lines)
}

// framingWords says how streams are in a file.
func framingWords(framed bool) string {
	if framed {
		return "in formatter frames"
	}
	return "as one stream"
}

// confidenceWords are the words for a confidence.
var confidenceWords = map[pipeline.Confidence]string{
	pipeline.Certain: "certainly", pipeline.Likely: "probably", pipeline.Uncertain: "perhaps", pipeline.NoGuess: "no trace that is read here",
}

// writeGuess says how a raw file was read, the best way first.
func writeGuess(b *strings.Builder, g *pipeline.Guess) {
	words := confidenceWords[g.Confidence]
	if g.Confidence != pipeline.NoGuess {
		words += " trace " + framingWords(g.Framed)
	}
	fmt.Fprintf(b, "  %s; read in every way:\n", words)
	writeTried(b, g.Tried)
}

// writeTried lists what was tried.
func writeTried(b *strings.Builder, tried []pipeline.Tried) {
	for _, t := range tried {
		fmt.Fprintf(b, "    %-27s %8s of %s decode, %s\n", t.Protocol+" "+framingWords(t.Framed),
			percent(t.Decoded.N, t.Decoded.Total), count(t.Decoded.Total, strings.TrimSuffix(t.Unit, "s")), isyncWords(&t))
	}
}

// isyncWords says how many I-syncs there are, and whether they can be right.
func isyncWords(t *pipeline.Tried) string {
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

// writeGuessed says what a source of a raw file is, and what its stream says about
// the registers.
func writeGuessed(b *strings.Builder, g *pipeline.Guessed) {
	if g == nil {
		return
	}
	if g.Confidence != pipeline.NoGuess && len(g.Tried) > 1 {
		next := &g.Tried[1]
		fmt.Fprintf(b, "  protocol   %s %s; as %s %s decodes, with %s\n", confidenceWords[g.Confidence], g.Tried[0].Protocol,
			next.Protocol, percent(next.Decoded.N, next.Decoded.Total), isyncWords(next))
	}
	if len(g.Unseen) > 0 {
		fmt.Fprintf(b, "  unknown    %s: only the program shows it; inspect again with -e FILE\n", strings.Join(g.Unseen, ", "))
	}
}

// writeSuggested says with which values of registers the stream reads better.
func writeSuggested(b *strings.Builder, suggested []pipeline.Suggestion) {
	for _, s := range suggested {
		fmt.Fprintf(b, "  suggested  %s: %s (%s fits, %s without)\n", s.Register, s.Means, figures.Share(s.With), figures.Share(s.Without))
	}
}
