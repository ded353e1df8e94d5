package etmv2

import "github.com/tracelake/tracelake/decode"

// settings are the fields of ETMCR on which reading a stream depends, the likeliest to
// be wrong first.
func settings() []decode.Setting {
	return []decode.Setting{
		{Register: "ETMCR", Shift: 12, Bits: 1, Values: []uint64{0, 1},
			Means: []string{"not cycle-accurate", "cycle-accurate"}},
		{
			Register: "ETMCR", Shift: 14, Bits: 2, Values: []uint64{0, 1, 2, 3},
			Means: []string{"no Context ID", "1-byte Context ID", "2-byte Context ID", "4-byte Context ID"},
		},
		{
			Register: "ETMCR", Shift: 2, Bits: 2, Values: []uint64{0, 1, 2, 3},
			Means: []string{"no data", "data values", "data addresses", "data addresses and values"},
		},
	}
}
