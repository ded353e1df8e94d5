package etmv3

import "github.com/tracelake/tracelake/decode"

// settings are the fields on which reading a stream depends, the likeliest to be
// wrong first.
func settings() []decode.Setting {
	return []decode.Setting{
		decode.CycleField,
		decode.RegisterField("ETMIDR", 20, "original branch encoding", "alternative branch encoding"),
		decode.ContextIDField,
		decode.DataField,
		{
			Register: "ETMIDR", Shift: etmidrMinorShift, Bits: 4, Values: []uint64{3, 4, 5},
			Means: []string{"ETMv3.3", "ETMv3.4", "ETMv3.5: timestamps, VMIDs, exception returns"},
		},
		decode.RegisterField("ETMCCER", 28, "timestamps in Gray code", "timestamps in natural binary"),
		decode.RegisterField("ETMCCER", 29, "48-bit timestamps", "64-bit timestamps"),
		decode.RegisterField("ETMIDR", 18, "32-bit Thumb instructions traced as two", "32-bit Thumb instructions traced as one").ByProgram(),
	}
}

// Doubts implements [decode.Doubter].
func (c *Config) Doubts() func(b []byte) bool { return c.doubtful }

// doubtful doubts packets that the version does not have, counts
// outside cycle-accurate mode (§7.3.4), and I-syncs whose information byte has bit 0
// clear, which is always 1 (§7.10.5).
func (c *Config) doubtful(b []byte) bool {
	var p Packet
	if c.Parse(&p, b) != nil {
		return false
	}
	if !c.Defines(p.Kind) || p.HasCycles && !c.CycleAccurate {
		return true
	}
	if p.Kind != ISync {
		return false
	}
	information := 1 + int(p.CycleBytes) + c.ContextIDBytes
	return b[information]&isyncOne == 0
}
