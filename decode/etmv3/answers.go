package etmv3

import "github.com/tracelake/tracelake/decode"

// Answers implements [decode.Answerer]. Timestamps are enabled by a field that does
// not change decoding: whether there are some shows in the stream.
func (c *Config) Answers() []decode.Answer {
	answers := []decode.Answer{
		{Question: decode.AskCycles, Traced: c.tracesCycles(), Set: "ETMCR[12], cycle-accurate tracing"},
		{Question: decode.AskTimestamps, Set: "ETMCR[28], timestamp enable (if ETMCCER[22] is 1, timestamping implemented)"},
		{Question: decode.AskContexts, Traced: c.ContextIDBytes > 0, Set: "ETMCR[15:14], ContextIDSize, to 0b11"},
		{Question: decode.AskData, Traced: c.TracesData(),
			Set: "ETMCR[3:2], data access, to 0b11, and what to trace in ETMVDEVR and ETMVDCR1 to ETMVDCR3"},
		{Question: decode.AskConditions, Traced: !c.DataOnly, Set: "ETMCR[20], data-only mode, to 0"},
	}
	if c.Minor < minorTimestamp {
		answers[1] = decode.Answer{Question: decode.AskTimestamps,
			Why: "ETMv" + c.Version() + " has no timestamps: ETMv3.5 has"}
	}
	return answers
}
