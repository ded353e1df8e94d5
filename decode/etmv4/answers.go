package etmv4

import "github.com/tracelake/tracelake/decode"

// Answers implements [decode.Answerer].
func (c *Config) Answers() []decode.Answer {
	answers := []decode.Answer{
		{Question: decode.AskCycles, Traced: c.CycleCounting, Set: "TRCCONFIGR[4], CCI (if TRCIDR0[7] is 1)"},
		{Question: decode.AskTimestamps, Traced: c.Timestamps, Set: "TRCCONFIGR[11], TS (if TRCIDR0[28:24] is not 0)"},
		{Question: decode.AskContexts, Traced: c.TracesContextID, Set: "TRCCONFIGR[6], CID"},
		{Question: decode.AskData, Why: "data of an ETMv4 are a stream of their own, which is not decoded"},
		{Question: decode.AskConditions, Why: "atoms are of P0 instructions, which are branches, and of no other instruction"},
	}
	if c.ContextIDBytes == 0 {
		answers[2] = decode.Answer{
			Question: decode.AskContexts, Why: "the trace unit has no Context ID (TRCIDR2[9:5])",
		}
	}
	if c.ETE {
		answers[3].Why = "an ETE traces no data"
	}
	return answers
}
