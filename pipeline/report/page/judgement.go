package page

import (
	"strings"

	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/pipeline/report/trust"
)

// A Judgement is what somebody who looks at the page should do first, in words.
type Judgement struct {
	Sign     string // "✓", "!" or "✗"
	Word     string // "Sound", "Look here first" or "Do not trust this"
	Why      string // a sentence
	Remedies []string
	Class    string // in HTML
}

// JudgementOf says how far figures can be trusted.
func JudgementOf(t *trust.Summary) Judgement {
	judged, found := t.Judge()
	j := Judgement{Sign: "✓", Word: "Sound", Class: "sound"}
	switch judged {
	case trust.Good:
		j.Why = soundText(t)
		return j
	case trust.LookFirst:
		j.Sign, j.Word, j.Class = "!", "Look here first", "look"
	case trust.Distrust:
		j.Sign, j.Word, j.Class = "✗", "Do not trust this", "distrust"
	}
	words := make([]string, len(found))
	for i := range found {
		words[i] = findingText(&found[i], t)
		if remedy := remedies[found[i].Kind]; remedy != "" {
			j.Remedies = append(j.Remedies, remedy)
		}
	}
	j.Why = sentence(strings.Join(words, ", "))
	if judged == trust.LookFirst {
		j.Why += ` "Not seen" means not seen in what was decoded.`
	}
	return j
}

// soundText says why there is nothing to find fault with.
func soundText(t *trust.Summary) string {
	unit := t.Unit()
	parts := []string{"every " + unit + " was decoded", "the trace has no gap", "the program image agrees with it"}
	switch t.Lost {
	case 0:
	case t.Unsynced:
		parts[0] = "every " + unit + " after the first synchronisation was decoded"
	default:
		parts[0] = "nearly every " + unit + " was decoded"
	}
	if t.Checks == 0 {
		parts[2] = "nothing compared the program image with it"
	}
	return sentence(strings.Join(parts[:2], ", ") + ", and " + parts[2])
}

// findingText is a finding in words.
func findingText(f *trust.Finding, t *trust.Summary) string {
	n := figures.Thousands(f.N)
	switch f.Kind {
	case trust.FoundNothing:
		return "no instruction was decoded"
	case trust.FoundWrongImage:
		return "only " + of(f.N, f.Of) + " checks agree with the program image (" + exact(f.N, f.Of) +
			"): another program ran"
	case trust.FoundWrongFile:
		return "only " + of(f.N, f.Of) + " executed addresses have the opcode that is in the program file (" +
			exact(f.N, f.Of) + "): another program ran"
	case trust.FoundGaps:
		return "the trace stopped and went on " + times(f.N)
	case trust.FoundLost:
		return exact(f.N, f.Of) + " of the " + t.Unit() + "s were lost"
	case trust.FoundUnplaced:
		return exact(f.N, f.Of) + " of the " + t.Unit() + "s are of instructions whose address or memory is not known"
	case trust.FoundDisagreement:
		return of(f.N, f.Of) + " checks disagree with the program image"
	case trust.FoundOutside:
		if f.N == 1 {
			return "1 address was executed that no program file has as code"
		}
		return n + " addresses were executed that no program file has as code"
	case trust.FoundDamaged:
		return "nothing could be decoded of " + of(f.N, f.Of) + " configured sources"
	case trust.FoundWindow:
		if f.Of == 1 {
			return "this is a window of its capture"
		}
		return of(f.N, f.Of) + " datasets are windows of their captures"
	}
	return f.Kind.String()
}

// remedies are what can be done about findings.
var remedies = map[trust.FindingKind]string{
	trust.FoundNothing:    "tracelake inspect CAPTURE says what is there; export it with the program that ran: -e FILE.",
	trust.FoundWrongImage: "Export again with the program that ran: -e FILE.",
	trust.FoundWrongFile:  "Export again with the program file that ran: -e FILE.",
	trust.FoundUnplaced: "tracelake inspect CAPTURE lists the memory that is missing; give it at export with -e FILE " +
		"or --image FILE@ADDR.",
	trust.FoundDamaged: "Inputs and images, below, says what is wrong with each source.",
}
