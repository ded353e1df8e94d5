package etmv3

import "github.com/tracelake/tracelake/decode"

// settings are the fields on which reading a stream depends, the likeliest to be
// wrong first.
func settings() []decode.Setting {
	return []decode.Setting{
		{Register: "ETMCR", Shift: 12, Bits: 1, Values: []uint64{0, 1},
			Means: []string{"not cycle-accurate", "cycle-accurate"}},
		{
			Register: "ETMIDR", Shift: 20, Bits: 1, Values: []uint64{0, 1},
			Means: []string{"original branch encoding", "alternative branch encoding"},
		},
		{
			Register: "ETMCR", Shift: etmcrContextIDShift, Bits: 2, Values: []uint64{0, 1, 2, 3},
			Means: []string{"no Context ID", "1-byte Context ID", "2-byte Context ID", "4-byte Context ID"},
		},
		{
			Register: "ETMCR", Shift: 2, Bits: 2, Values: []uint64{0, 1, 2, 3},
			Means: []string{"no data", "data values", "data addresses", "data addresses and values"},
		},
		{
			Register: "ETMIDR", Shift: etmidrMinorShift, Bits: 4, Values: []uint64{3, 4, 5},
			Means: []string{"ETMv3.3", "ETMv3.4", "ETMv3.5: timestamps, VMIDs, exception returns"},
		},
		{Register: "ETMCCER", Shift: 28, Bits: 1, Values: []uint64{0, 1},
			Means: []string{"timestamps in Gray code", "timestamps in natural binary"}},
		{Register: "ETMCCER", Shift: 29, Bits: 1, Values: []uint64{0, 1},
			Means: []string{"48-bit timestamps", "64-bit timestamps"}},
		{
			Register: "ETMIDR", Shift: 18, Bits: 1, Values: []uint64{0, 1},
			Means:        []string{"32-bit Thumb instructions traced as two", "32-bit Thumb instructions traced as one"},
			NeedsProgram: true,
		},
	}
}

// Doubtful implements [decode.Doubter]: packets that the version does not have, counts
// outside cycle-accurate mode (§7.3.4), and I-syncs whose information byte has bit 0
// clear, which is always 1 (§7.10.5).
func (c *Config) Doubtful(b []byte) bool {
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
