package pft

import "github.com/tracelake/tracelake/decode"

// settings are the fields on which reading a stream depends, the likeliest to be
// wrong first.
func settings() []decode.Setting {
	return []decode.Setting{
		{Register: "ETMCR", Shift: 12, Bits: 1, Values: []uint64{0, 1},
			Means: []string{"not cycle-accurate", "cycle-accurate"}},
		{
			Register: "ETMCR", Shift: etmcrContextIDShift, Bits: 2, Values: []uint64{0, 1, 2, 3},
			Means: []string{"no Context ID", "1-byte Context ID", "2-byte Context ID", "4-byte Context ID"},
		},
		{Register: "ETMIDR", Shift: etmidrMinorShift, Bits: 4, Values: []uint64{0, 1},
			Means: []string{"PFT 1.0", "PFT 1.1: VMIDs, exception returns"}},
		{Register: "ETMCCER", Shift: 28, Bits: 1, Values: []uint64{0, 1},
			Means: []string{"timestamps in Gray code", "timestamps in natural binary"}},
		{Register: "ETMCCER", Shift: 29, Bits: 1, Values: []uint64{0, 1},
			Means: []string{"48-bit timestamps", "64-bit timestamps"}},
		{Register: "ETMCR", Shift: 29, Bits: 1, Values: []uint64{0, 1},
			Means: []string{"return stack off", "return stack on"}, NeedsProgram: true},
		{
			Register: "ETMCCER", Shift: 24, Bits: 1, Values: []uint64{0, 1},
			Means: []string{"DMB and DSB are no waypoints", "DMB and DSB are waypoints"}, NeedsProgram: true,
		},
	}
}

// Doubtful implements [decode.Doubter]: packets that the version does not have, and
// I-syncs whose information byte has bit 0 clear, which is always 1 (§4.5.2).
func (c *Config) Doubtful(b []byte) bool {
	var p Packet
	if c.Parse(&p, b) != nil {
		return false
	}
	const information = 5
	return !c.Defines(p.Kind) || p.Kind == ISync && b[information]&isyncOne == 0
}
