package synth

// The registers of two PTMs, without what options say: of PFT 1.0 that of a
// Cortex-A9, of 1.1 that of a Cortex-A15. Both have timestamps, the latter the
// virtualization extensions.
const (
	ptm10ID, ptm10Config = 0x411CF301, 0x00401AC2
	ptm11ID, ptm11Config = 0x411CF312, 0x04401AC2
)

// Registers are those of the PTM that traces as o says.
func (o *PFTOptions) Registers() []Register {
	control := bit(o.BranchBroadcast, 8) | bit(o.CycleAccurate, 12) | contextIDSize(o.ContextIDBytes)<<14 |
		bit(o.Timestamps, 28) | bit(o.ReturnStack, 29)
	id, config := uint32(ptm10ID), ptm10Config|bit(o.ReturnStack, 23)|bit(o.DataBarriers, 24)
	if o.Minor >= 1 {
		control |= bit(o.TraceVMID, 30)
		id, config = ptm11ID, config|ptm11Config|bit(!o.TimestampGray, 28)|bit(o.Timestamp64, 29)
	}
	return []Register{
		{"ETMCR", 0x00, control},
		{"ETMIDR", 0x79, id},
		{"ETMCCER", 0x7A, config},
		{"ETMTRACEIDR", 0x80, uint32(o.Source)},
	}
}
