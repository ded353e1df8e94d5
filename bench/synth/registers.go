package synth

// A Register is a trace register and its value in a capture.
type Register struct {
	Name  string
	ID    uint32 // offset / 4
	Value uint32
}

// Registers are those of the PTM that traces as o says. What is beside the
// options is as in the PTM of a Cortex-A15.
func (o *PFTOptions) Registers() []Register {
	contextIDSize := map[int]uint32{0: 0, 1: 1, 2: 2, 4: 3}[o.ContextIDBytes]
	control := bit(o.BranchBroadcast, 8) | bit(o.CycleAccurate, 12) | contextIDSize<<14 |
		bit(o.Timestamps, 28) | bit(o.ReturnStack, 29) | bit(o.TraceVMID, 30)
	// Timestamps and virtualization extensions are there.
	config := 0x04401AC2 | bit(o.ReturnStack, 23) | bit(o.DataBarriers, 24) |
		bit(!o.TimestampGray, 28) | bit(o.Timestamp64, 29)
	return []Register{
		{"ETMCR", 0x00, control},
		{"ETMIDR", 0x79, 0x411CF302 | uint32(o.Minor)<<4},
		{"ETMCCER", 0x7A, config},
		{"ETMTRACEIDR", 0x80, uint32(o.Source)},
	}
}

func bit(set bool, n uint) uint32 {
	if set {
		return 1 << n
	}
	return 0
}
