package etmv4

import (
	"fmt"

	"github.com/tracelake/tracelake/decode"
)

// settings are the fields on which reading a stream depends, the likeliest to be wrong
// first; version is the one with the version.
func settings(version decode.Setting) []decode.Setting {
	return []decode.Setting{
		sizes(),
		decode.RegisterField("TRCIDR0", idr0CommOptShift, "cycle counts commit", "cycle counts commit nothing"),
		version,
		decode.RegisterField("TRCIDR0", idr0QSuppShift,
			"no Q elements", "Q elements with counts", "Q elements without counts", "Q elements"),
		decode.RegisterField("TRCCONFIGR", 4, "no cycle counts", "cycle counts"),
		decode.RegisterField("TRCCONFIGR", 6,
			"no Context ID, no VMID", "Context ID, no VMID", "VMID, no Context ID", "Context ID and VMID"),
		decode.RegisterField("TRCCONFIGR", 11, "no timestamps", "timestamps"),
		speculation(),
		decode.RegisterField("TRCCONFIGR", 12, "return stack off", "return stack on").ByProgram(),
		decode.RegisterField("TRCIDR2", idr2WaitsShift,
			"WFI and WFE are no P0 elements", "WFI and WFE are P0 elements").ByProgram(),
	}
}

// ofProfileM is what TRCIDR2 has in the trace unit of a core of profile M, and nowhere else: addresses of 32 bits, no Context ID, no
// VMID.
func ofProfileM() decode.Setting {
	return decode.Setting{
		Register: "TRCIDR2", Bits: 15, Values: []uint64{uint64(cortexM55.idr2)}, Means: []string{"a core of profile M"},
	}.ByProgram()
}

// dataTrace is of an ETMv4 alone: an ETE traces no data.
func dataTrace() decode.Setting {
	s := dataStream
	s.Values, s.Means = []uint64{0, 3}, []string{"no data trace", "data trace in a stream of its own"}
	return s
}

// sizes are those of Context ID and VMID, which packets have together: with one of them wrong, the other
// shows nothing.
func sizes() decode.Setting {
	s := decode.Setting{Register: "TRCIDR2", Shift: idr2ContextIDShift, Bits: 10}
	words := map[uint64]string{0: "no", 1: "1-byte", 2: "2-byte", 4: "4-byte"}
	for _, id := range []uint64{0, 4} {
		for _, vmid := range []uint64{0, 1, 2, 4} {
			s.Values = append(s.Values, id|vmid<<(idr2VMIDShift-idr2ContextIDShift))
			s.Means = append(s.Means, words[id]+" Context ID, "+words[vmid]+" VMID")
		}
	}
	return s
}

// speculation is how many elements can be open: packets show how many are, which is at most that.
// Where more can be, less of a wrong program is followed.
func speculation() decode.Setting {
	s := decode.Setting{Register: "TRCIDR8", Bits: 32, NeedsPackets: true, Values: []uint64{0}, Means: []string{"no speculative elements"}}
	for n := uint64(1); n < 256; n = 2*n + 1 {
		s.Values = append(s.Values, n)
		s.Means = append(s.Means, fmt.Sprintf("up to %d speculative elements", n))
	}
	return s
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

// Doubts implements [decode.Doubter].
func (c *Config) Doubts() func(b []byte) bool {
	d := &doubts{cfg: c}
	return d.doubtful
}

// doubts are those about the packets of a segment.
type doubts struct {
	cfg  *Config
	open Open // where it starts, none is
}

// doubtful doubts what TRCCONFIGR has off, what Trace Info says otherwise, commits and cancels
// of more than TRCIDR8 lets be open, and what the architecture reserves.
func (d *doubts) doubtful(b []byte) bool {
	c, p := d.cfg, Packet{}
	if c.Parse(&p, b) != nil {
		return false
	}
	open := d.open + Open(c.P0Elements(&p))
	d.open.Apply(c, &p)
	switch p.Kind {
	case TraceInfo:
		return p.Info.Info.Value&InfoCycleCounting != 0 != c.CycleCounting
	case CycleCount:
		return !c.CycleCounting
	case Timestamp:
		return !c.Timestamps || p.HasCycles && !c.CycleCounting
	case Exception:
		return !c.withoutReturn(&p) && (p.Return == ReturnNone || p.Return == ReturnReserved)
	case Commit, Cancel:
		return Open(p.Count.Value) > open
	case Mispredict:
		return open == 0 || c.MaxSpec == 0
	case Context, AddressContext:
		return p.Context.HasID && (!c.TracesContextID || c.ContextIDBytes == 0) ||
			p.Context.HasVMID && (!c.TracesVMID || c.VMIDBytes == 0)
	default:
		return false
	}
}
