package trust

import (
	"fmt"
	"strings"

	"github.com/tracelake/tracelake/decode/figures"
	"github.com/tracelake/tracelake/schema/verdict"
)

// Reasons says why a verdict is no better, the worst first. unit is what bytes are counted in, in the singular.
func Reasons(v *verdict.Verdict, unit string) []string {
	var reasons []string
	for i := range v.Findings {
		reasons = append(reasons, reason(&v.Findings[i], unit))
	}
	return reasons
}

func reason(f *verdict.Finding, unit string) string {
	of := figures.Thousands(f.N) + " of " + figures.Thousands(f.Of)
	percent := figures.Percent(f.N, f.Of)
	switch f.Kind {
	case verdict.WrongImage:
		return fmt.Sprintf("only %s of the checks agree with the program (%s)", percent, of)
	case verdict.WrongFile:
		return fmt.Sprintf("only %s of the executed addresses have the opcode of the ELF file (%s)", percent, of)
	case verdict.Nothing:
		return "no instruction was decoded"
	case verdict.NoProgram:
		return "what ran is not known without the program"
	case verdict.Gaps:
		return "the trace has " + figures.Count(f.N, "gap")
	case verdict.Lost:
		return fmt.Sprintf("%s of the %ss were lost", percent, unit)
	case verdict.Unplaced:
		return fmt.Sprintf("%s of the %ss could not be matched to code", percent, unit)
	case verdict.Disagreement:
		return of + " checks disagree with the program"
	case verdict.Outside:
		if f.N == 1 {
			return "1 executed address is not in the ELF file"
		}
		return figures.Thousands(f.N) + " executed addresses are not in the ELF file"
	case verdict.Undecoded:
		return "nothing could be decoded of " + of + " sources"
	}
	return f.Kind.String()
}

// again says what to do about a program that did not run.
const again = "Decode it again with the ELF file that ran: -e FILE."

// remedies are what can be done about findings.
var remedies = map[verdict.Kind]string{
	verdict.WrongImage: again,
	verdict.WrongFile:  again,
	verdict.Nothing:    "inspect says what is in the capture; decode it with the ELF file that ran: -e FILE.",
	verdict.NoProgram:  "Give the ELF file that ran: -e FILE.",
	verdict.Unplaced: "inspect lists the memory that is missing; give it with -e FILE or " +
		"--image FILE@ADDR.",
}

// Remedies says what can be done about what is wrong, each thing once.
func Remedies(v *verdict.Verdict) []string {
	var all []string
	for _, f := range v.Findings {
		r := remedies[f.Kind]
		if f.Kind == verdict.Lost && 2*f.N > f.Of {
			r = "So much is lost where a trace register is wrong: compare --reg, or the snapshot, with the device."
		}
		if r != "" && !strings.Contains(strings.Join(all, "\n"), r) {
			all = append(all, r)
		}
	}
	return all
}
