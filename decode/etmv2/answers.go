package etmv2

import "github.com/tracelake/tracelake/decode"

// Answers implements [decode.Answerer].
func (c *Config) Answers() []decode.Answer {
	return []decode.Answer{
		{Question: decode.AskCycles, Traced: c.CycleAccurate, Set: "ETMCR[12], cycle-accurate tracing"},
		{Question: decode.AskTimestamps, Why: "ETMv" + c.Version() + " has no timestamps: ETMv3.5 has"},
		{Question: decode.AskContexts, Traced: c.ContextIDBytes > 0, Set: "ETMCR[15:14], ContextIDSize, to 0b11"},
		{Question: decode.AskData, Traced: c.TracesData(), Set: "ETMCR[3:2], data access, to 0b11"},
		{Question: decode.AskConditions, Traced: true},
	}
}
