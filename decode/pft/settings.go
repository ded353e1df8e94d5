package pft

import "github.com/tracelake/tracelake/decode"

// settings are the fields on which reading a stream depends, the likeliest to be
// wrong first.
func settings() []decode.Setting {
	return []decode.Setting{
		decode.CycleField,
		decode.ContextIDField,
		{
			Register: "ETMIDR", Shift: etmidrMinorShift, Bits: 4, Values: []uint64{0, 1},
			Means: []string{"PFT 1.0", "PFT 1.1: VMIDs, exception returns"},
		},
		decode.RegisterField("ETMCCER", 28, "timestamps in Gray code", "timestamps in natural binary"),
		decode.RegisterField("ETMCCER", 29, "48-bit timestamps", "64-bit timestamps"),
		decode.RegisterField("ETMCR", 29, "return stack off", "return stack on").ByProgram(),
		decode.RegisterField("ETMCCER", 24, "DMB and DSB are no waypoints", "DMB and DSB are waypoints").ByProgram(),
	}
}

// Doubts implements [decode.Doubter].
func (c *Config) Doubts() func(b []byte) bool { return c.doubtful }

// doubtful doubts packets that the version does not have, and
// I-syncs whose information byte has bit 0 clear, which is always 1 (§4.5.2).
func (c *Config) doubtful(b []byte) bool {
	var p Packet
	if c.Parse(&p, b) != nil {
		return false
	}
	const information = 5
	return !c.Defines(p.Kind) || p.Kind == ISync && b[information]&isyncOne == 0
}
