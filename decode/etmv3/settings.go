package etmv3

import "github.com/tracelake/tracelake/decode"

// settings are the fields on which reading a stream depends, the likeliest to be
// wrong first.
func settings() []decode.Setting {
	return []decode.Setting{
		{Register: "ETMCR", Shift: 12, Bits: 1, Values: []uint64{0, 1}, Means: []string{"not cycle-accurate", "cycle-accurate"}},
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
		{Register: "ETMCCER", Shift: 29, Bits: 1, Values: []uint64{0, 1}, Means: []string{"48-bit timestamps", "64-bit timestamps"}},
		{
			Register: "ETMIDR", Shift: 18, Bits: 1, Values: []uint64{0, 1},
			Means: []string{"32-bit Thumb instructions traced as two", "32-bit Thumb instructions traced as one"}, NeedsProgram: true,
		},
	}
}

// Doubtful implements [decode.Doubter]: bit 0 of the information byte of an I-sync
// is 1 (§7.10.5).
func (c *Config) Doubtful(b []byte) bool {
	if len(b) == 0 || b[0] != headerISync && b[0] != headerISyncCycles {
		return false
	}
	information := 1 + c.ContextIDBytes
	if b[0] == headerISyncCycles {
		_, n := parseCycles(b[1:])
		information += n
	}
	return len(b) > information && b[information]&isyncOne == 0
}
