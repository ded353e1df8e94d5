package content

import (
	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/pipeline/report/visible"
)

// What is spent.
const (
	Cycles       = "cycles"
	instructions = "instructions"
)

// None is the index of nothing.
const None = -1

// longest is how many characters a name has on a page at most.
const longest = 300

// Name returns a name as a page shows it.
func Name(text string) string { return visible.Cut(text, longest) }

// inSentence is how many characters a name has in a sentence at most.
const inSentence = 60

// Short is a name in a sentence.
func Short(text string) string { return visible.Cut(text, inSentence) }

// Percent is n of of, as tables of reports have it; "" of nothing.
func Percent(n, of int64) string {
	if of == 0 {
		return ""
	}
	return figures.PercentTo(n, of, 1)
}
