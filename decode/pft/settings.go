package pft

import "github.com/tracelake/tracelake/decode"

// settings are the fields on which reading a stream depends, the likeliest to be
// wrong first.
func settings() []decode.Setting {
	return []decode.Setting{
		{Register: "ETMCR", Shift: 12, Bits: 1, Values: []uint64{0, 1}, Means: []string{"not cycle-accurate", "cycle-accurate"}},
		{
			Register: "ETMCR", Shift: etmcrContextIDShift, Bits: 2, Values: []uint64{0, 1, 2, 3},
			Means: []string{"no Context ID", "1-byte Context ID", "2-byte Context ID", "4-byte Context ID"},
		},
		{Register: "ETMCCER", Shift: 29, Bits: 1, Values: []uint64{0, 1}, Means: []string{"48-bit timestamps", "64-bit timestamps"}},
		{Register: "ETMCR", Shift: 29, Bits: 1, Values: []uint64{0, 1}, Means: []string{"return stack off", "return stack on"}, NeedsProgram: true},
		{
			Register: "ETMCCER", Shift: 24, Bits: 1, Values: []uint64{0, 1},
			Means: []string{"DMB and DSB are no waypoints", "DMB and DSB are waypoints"}, NeedsProgram: true,
		},
	}
}

// Doubtful implements [decode.Doubter]: bit 0 of the information byte of an I-sync
// is 1 (§4.5.2).
func (c *Config) Doubtful(b []byte) bool {
	const information = 5
	return len(b) > information && b[0] == headerISync && b[information]&isyncOne == 0
}
