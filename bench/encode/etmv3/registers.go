package etmv3

import (
	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/snapshot"
	codec "github.com/tracelake/tracelake/decode/etmv3"
)

// Registers are those of the ETM that traces as o says. Fields without an option
// are as in the ETM of a Cortex-R5.
func (o *Options) Registers() []snapshot.Register {
	control := encode.Bit(o.MonitorCPRT, 1) | encode.Bit(o.DataValue, 2) | encode.Bit(o.DataAddress,
		3) | encode.Bit(o.Broadcast, 8) |
		encode.Bit(o.CycleAccurate, 12) | encode.ContextIDSize(o.ContextIDBytes)<<14 | encode.Bit(o.DataSuppress,
		18) | encode.Bit(o.DataOnly, 20) |
		encode.Bit(o.Timestamps, 28) | encode.Bit(o.TraceVMID, 30)
	id := 0x4100F200 | uint32(o.Minor)<<4 | encode.Bit(o.LSMPCFirst, 16) | encode.Bit(o.CPRTNotData,
		17) | encode.Bit(o.OneT32, 18) |
		encode.Bit(o.Security, 19) | encode.Bit(o.AltBranch, 20)
	config := encode.Bit(o.Timestamps, 22) | encode.Bit(o.Virtualization, 26) | encode.Bit(!o.TimestampGray,
		28) | encode.Bit(o.Timestamp64, 29)
	return []snapshot.Register{
		{Name: "ETMCR", ID: 0x00, Value: control},
		{Name: "ETMSYNCFR", ID: 0x78, Value: uint32(o.SyncPeriod)},
		{Name: "ETMIDR", ID: 0x79, Value: id},
		{Name: "ETMCCER", ID: 0x7A, Value: config},
		{Name: "ETMTRACEIDR", ID: 0x80, Value: uint32(o.Source)},
	}
}

// Core is a type of core that such an ETM may trace. It gives the profile, which is
// in no register.
func (o *Options) Core() string {
	if o.ProfileM {
		return "Cortex-M4"
	}
	return "Cortex-R5"
}

// Type is the type of the ETM, as ETM3.5.
func (o *Options) Type() string {
	c := codec.Config{Minor: o.Minor}
	return "ETM" + c.Version()
}
