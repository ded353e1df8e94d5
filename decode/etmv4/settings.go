package etmv4

import "github.com/tracelake/tracelake/decode"

// settings are the fields on which reading a stream depends, the likeliest to be wrong
// first; version is the one with the version.
func settings(version decode.Setting) []decode.Setting {
	return []decode.Setting{
		{
			Register: "TRCIDR2", Shift: idr2ContextIDShift, Bits: 5, Values: []uint64{0, 4},
			Means: []string{"no Context ID", "4-byte Context ID"},
		},
		{
			Register: "TRCIDR2", Shift: idr2VMIDShift, Bits: 5, Values: []uint64{0, 1, 2, 4},
			Means: []string{"no VMID", "1-byte VMID", "2-byte VMID", "4-byte VMID"},
		},
		decode.RegisterField("TRCIDR0", idr0CommOptShift, "cycle counts commit", "cycle counts commit nothing"),
		version,
		decode.RegisterField("TRCIDR0", idr0QSuppShift,
			"no Q elements", "Q elements with counts", "Q elements without counts", "Q elements"),
		decode.RegisterField("TRCCONFIGR", 4, "no cycle counts", "cycle counts"),
		decode.RegisterField("TRCCONFIGR", 11, "no timestamps", "timestamps"),
		decode.RegisterField("TRCCONFIGR", 12, "return stack off", "return stack on").ByProgram(),
		decode.RegisterField("TRCIDR2", idr2WaitsShift,
			"WFI and WFE are no P0 elements", "WFI and WFE are P0 elements").ByProgram(),
	}
}

// etmv4Version is the version of an ETMv4.
func etmv4Version() decode.Setting {
	return decode.Setting{
		Register: "TRCIDR1", Shift: idr1MinorShift, Bits: 4, Values: []uint64{0, 3, 6},
		Means: []string{"ETMv4.0", "ETMv4.3: Ignore packets", "ETMv4.6: timestamp markers"},
	}
}

// eteVersion is the version of an ETE.
func eteVersion() decode.Setting {
	return decode.Setting{
		Register: "TRCDEVARCH", Shift: devarchMinorShift, Bits: 4, Values: []uint64{0, 1, 3},
		Means: []string{"ETE 1.0", "ETE 1.1: timestamp markers", "ETE 1.3: Instrumentation"},
	}
}

// Doubtful implements [decode.Doubter]: cycle counts and timestamps that TRCCONFIGR has off,
// and what the architecture reserves.
func (c *Config) Doubtful(b []byte) bool {
	var p Packet
	if c.Parse(&p, b) != nil {
		return false
	}
	switch p.Kind {
	case CycleCount:
		return !c.CycleCounting
	case Timestamp:
		return !c.Timestamps || p.HasCycles && !c.CycleCounting
	case Exception:
		return !c.withoutReturn(&p) && (p.Return == ReturnNone || p.Return == ReturnReserved)
	case Commit, Cancel, Mispredict:
		return c.MaxSpec == 0
	case Context, AddressContext:
		return p.Context.HasID && c.ContextIDBytes == 0 || p.Context.HasVMID && c.VMIDBytes == 0
	default:
		return false
	}
}
