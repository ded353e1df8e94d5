package pft

import (
	"github.com/tracelake/tracelake/bench/encode"
	"github.com/tracelake/tracelake/bench/snapshot"
)

// The registers of two PTMs, without what options say: of PFT 1.0 that of a
// Cortex-A9, of 1.1 that of a Cortex-A15. Both have timestamps, the latter the
// virtualization extensions.
const (
	ptm10ID, ptm10Config = 0x411CF301, 0x00401AC2
	ptm11ID, ptm11Config = 0x411CF312, 0x04401AC2
)

// Registers are those of the PTM that traces as o says.
func (o *Options) Registers() []snapshot.Register {
	control := encode.Bit(o.BranchBroadcast, 8) | encode.Bit(o.CycleAccurate,
		12) | encode.ContextIDSize(o.ContextIDBytes)<<14 |
		encode.Bit(o.Timestamps, 28) | encode.Bit(o.ReturnStack, 29)
	id, config := uint32(ptm10ID), ptm10Config|encode.Bit(o.ReturnStack, 23)|encode.Bit(o.DataBarriers, 24)
	if o.Minor >= 1 {
		control |= encode.Bit(o.TraceVMID, 30)
		id, config = ptm11ID, config|ptm11Config|encode.Bit(!o.TimestampGray, 28)|encode.Bit(o.Timestamp64, 29)
	}
	return []snapshot.Register{
		{Name: "ETMCR", ID: 0x00, Value: control},
		{Name: "ETMIDR", ID: 0x79, Value: id},
		{Name: "ETMCCER", ID: 0x7A, Value: config},
		{Name: "ETMTRACEIDR", ID: 0x80, Value: uint32(o.Source)},
	}
}
