package synth

import "github.com/tracelake/tracelake/decode/etmv3"

// Registers are those of the ETM that traces as o says. What is beside the
// options is as in the ETM of a Cortex-R5.
func (o *ETMv3Options) Registers() []Register {
	control := bit(o.MonitorCPRT, 1) | bit(o.DataValue, 2) | bit(o.DataAddress, 3) | bit(o.Broadcast, 8) |
		bit(o.CycleAccurate, 12) | contextIDSize(o.ContextIDBytes)<<14 | bit(o.DataSuppress, 18) | bit(o.DataOnly, 20) |
		bit(o.Timestamps, 28) | bit(o.TraceVMID, 30)
	id := 0x4100F200 | uint32(o.Minor)<<4 | bit(o.LSMPCFirst, 16) | bit(o.CPRTNotData, 17) | bit(o.OneT32, 18) |
		bit(o.Security, 19) | bit(o.AltBranch, 20)
	config := bit(o.Timestamps, 22) | bit(o.Virtualization, 26) | bit(!o.TimestampGray, 28) | bit(o.Timestamp64, 29)
	return []Register{
		{"ETMCR", 0x00, control},
		{"ETMSYNCFR", 0x78, uint32(o.SyncPeriod)},
		{"ETMIDR", 0x79, id},
		{"ETMCCER", 0x7A, config},
		{"ETMTRACEIDR", 0x80, uint32(o.Source)},
	}
}

// Core is a type of core that such an ETM may trace: it tells the profile, which
// no register does.
func (o *ETMv3Options) Core() string {
	if o.ProfileM {
		return "Cortex-M4"
	}
	return "Cortex-R5"
}

// Type is the type of the ETM, as ETM3.5.
func (o *ETMv3Options) Type() string {
	c := etmv3.Config{Minor: o.Minor}
	return "ETM" + c.Version()
}
