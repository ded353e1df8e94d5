package perfdata

// Metadata is what record AUXTRACE_INFO says of the trace units.
type Metadata struct {
	Version  int // 0, 1 or 2
	Snapshot bool
	CPUs     []CPU
}

// A CPU is the trace unit of a CPU.
type CPU struct {
	Number int
	Magic  Magic
	// Parameters are its registers, in the order that the magic has.
	Parameters []uint64
}

// Magic says which registers a trace unit has.
type Magic uint64

// The kinds.
const (
	// ETMv3 has ETMCR, ETMTRACEIDR, ETMCCER, ETMIDR; PTMs have it too.
	ETMv3 Magic = 0x3030303030303030
	// ETMv4 has TRCCONFIGR, TRCTRACEIDR, TRCIDR0, 1, 2, 8, TRCAUTHSTATUS, and maybe the source of
	// timestamps.
	ETMv4 Magic = 0x4040404040404040
	// ETE has TRCDEVARCH in front of that source. Version 0 does not know it.
	ETE Magic = 0x5050505050505050
)

// TraceIDParameter is the place of the trace ID among the parameters.
const TraceIDParameter = 1

// UnusedID is the bit of a trace ID that is none: see [HardwareID].
const UnusedID = 1 << 31

const (
	coreSight = 3 // the type of the metadata
	pmuType   = 9 // the number of cs_etm among the PMUs
)

// Record is the metadata as record AUXTRACE_INFO.
func (m *Metadata) Record() Record {
	var snapshot uint64
	if m.Snapshot {
		snapshot = 1
	}
	body := append(halves(coreSight, 0), words(uint64(m.Version), pmuType<<32|uint64(len(m.CPUs)), snapshot)...)
	for i := range m.CPUs {
		body = append(body, m.CPUs[i].block(m.Version)...)
	}
	return Record{Type: TypeAUXTraceInfo, Body: body}
}

// block is what metadata of a version has of a CPU: from version 1 on the number of parameters is
// in it, before they are four or seven.
func (c *CPU) block(version int) []byte {
	b := words(uint64(c.Magic), uint64(c.Number))
	parameters := c.Parameters
	if version > 0 {
		b = append(b, words(uint64(len(parameters)))...)
	} else {
		parameters = parameters[:map[Magic]int{ETMv3: 4, ETMv4: 7}[c.Magic]]
	}
	return append(b, words(parameters...)...)
}
