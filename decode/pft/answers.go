package pft

import "github.com/tracelake/tracelake/decode"

// Answers implements [decode.Answerer]. Timestamps are enabled by a field that does
// not change decoding: whether there are some shows in the stream.
func (c *Config) Answers() []decode.Answer {
	return []decode.Answer{
		{Question: decode.AskCycles, Traced: c.CycleAccurate, Set: "ETMCR[12], cycle-accurate tracing"},
		{Question: decode.AskTimestamps, Set: "ETMCR[28], timestamp enable (if ETMCCER[22] is 1, timestamping implemented)"},
		{Question: decode.AskContexts, Traced: c.ContextIDBytes > 0, Set: "ETMCR[15:14], ContextIDSize, to 0b11"},
		{Question: decode.AskData, Why: "a PTM traces no data; an ETM does"},
		{Question: decode.AskConditions,
			Why: "a PTM traces the outcome of waypoints, which are branches, and of no other instruction"},
	}
}
