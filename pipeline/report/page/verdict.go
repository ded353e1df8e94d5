package page

import (
	"strings"

	"github.com/tracelake/tracelake/pipeline/report/trust"
	"github.com/tracelake/tracelake/schema/verdict"
)

// A verdictText is how far the figures can be trusted, in words.
type verdictText struct {
	Sign     string // "✓", "!" or "✗"
	Word     verdict.Word
	Why      string // a sentence
	Remedies []string
	Class    string // in HTML
	Open     bool   // its figures are folded out
}

// verdictOf says how far figures can be trusted.
func verdictOf(t *trust.Summary) verdictText {
	v := verdictText{Sign: "!", Word: t.Word, Remedies: trust.Remedies(&t.Verdict), Class: "gaps", Open: true}
	switch {
	case t.Word == verdict.Good:
		v.Sign, v.Class, v.Why, v.Open = "✓", "good", goodText(t), false
		return v
	case t.Word.Refused():
		v.Sign, v.Class = "✗", "refused"
	}
	v.Why = sentence(strings.Join(trust.Reasons(&t.Verdict, t.Unit()), "; "))
	switch t.Word {
	case verdict.WrongProgram:
		v.Why += " Ignore everything below."
	case verdict.GoodWithGaps:
		v.Why += ` "Not seen" means not seen in what was decoded.`
	}
	return v
}

// goodText says why there is nothing to find fault with.
func goodText(t *trust.Summary) string {
	unit := t.Unit()
	parts := []string{"every " + unit + " was decoded", "the trace has no gap", "the program agrees with it"}
	switch t.Lost {
	case 0:
	case t.Unsynced, t.Ends:
		parts[0] = "every " + unit + " after the first synchronisation was decoded"
	default:
		parts[0] = "nearly every " + unit + " was decoded"
	}
	if t.Gaps > 0 {
		parts[1] = "its only gap is at an end"
	}
	if t.Checks == 0 {
		parts[2] = "nothing compared the program with it"
	}
	return sentence(strings.Join(parts[:2], ", ") + ", and " + parts[2])
}
