package main

import (
	"fmt"

	"github.com/tracelake/tracelake/pipeline/probe"

	"github.com/tracelake/tracelake/decode"
)

// questionWords are a question, and what answers it: in the singular.
var questionWords = map[decode.Question]struct{ question, evidence string }{
	decode.AskCycles:     {"how many cycles?", "cycle count"},
	decode.AskTimestamps: {"at what time?", "timestamp"},
	decode.AskContexts:   {"in which task?", "context"},
	decode.AskData:       {"which data?", "data access"},
	decode.AskConditions: {"did it pass its condition?", ""},
}

// answers says which questions a source can answer, and what to set in the trace unit
// for the others.
func (s *screen) answers(answers []probe.Answer) {
	label := "answers"
	for i := range answers {
		a := &answers[i]
		s.pair(label, fmt.Sprintf("%-26s", questionWords[a.Question].question), answerWords(a))
		label = ""
	}
}

func answerWords(a *probe.Answer) string {
	evidence := questionWords[a.Question].evidence
	switch {
	case a.Yes && a.Seen > 0:
		return "yes, " + count(a.Seen, evidence)
	case a.Yes:
		return "yes"
	case a.Why != "":
		return "no: " + a.Why
	case a.Enabled:
		return "no " + evidence + " in the sample, though the registers say that they are traced"
	}
	return "no: set " + a.Set
}
