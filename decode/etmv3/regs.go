package etmv3

import (
	"fmt"

	"github.com/tracelake/tracelake/decode"
)

// Config is the configuration of a stream, from the registers of an ETM and the
// profile of its core. It is immutable, so goroutines may share it.
type Config struct {
	Minor          uint8 // n of v3.n, 0 to 5 (ETMIDR[7:4])
	ProfileM       bool  // exception numbers and cancelling are those of v7-M
	CycleAccurate  bool  // ETMCR[12]
	ContextIDBytes int   // 0, 1, 2 or 4 (ETMCR[15:14])
	Broadcast      bool  // a branch packet after every taken branch (ETMCR[8])

	DataAddress  bool // data packets carry addresses (ETMCR[3])
	DataValue    bool // data packets carry values (ETMCR[2])
	DataOnly     bool // no instruction trace (ETMCR[20], v3.1 on)
	DataSuppress bool // data suppressed packets may occur (ETMCR[18])

	AltBranch   bool // alternative branch encoding (ETMIDR[20], v3.4 on)
	Security    bool // security extensions, else always secure (ETMIDR[19])
	OneT32      bool // a 32-bit T32 instruction has one atom, else two (ETMIDR[18])
	CPRTNotData bool // coprocessor register transfers are no data instructions (ETMIDR[17])
	LSMPCFirst  bool // load multiple transfers the PC first (ETMIDR[16])

	Timestamp64    bool // 64-bit timestamps, else 48 (ETMCCER[29])
	TimestampGray  bool // Gray code, else natural binary (ETMCCER[28])
	Virtualization bool // the Hyp bits count (ETMCCER[26], v3.5)
}

// The fields of the registers that change decoding (§3.5, docs/etmv3.md §1).
const (
	etmcrDataValue      = 1 << 2
	etmcrDataAddress    = 1 << 3
	etmcrBroadcast      = 1 << 8
	etmcrCycleAccurate  = 1 << 12
	etmcrContextIDShift = 14
	etmcrDataSuppress   = 1 << 18
	etmcrDataOnly       = 1 << 20

	etmccerVirtualization  = 1 << 26
	etmccerTimestampBinary = 1 << 28
	etmccerTimestamp64     = 1 << 29

	etmidrMinorShift  = 4
	etmidrMajorShift  = 8
	etmidrMajorETMv3  = 2
	etmidrLSMPCFirst  = 1 << 16
	etmidrCPRTNotData = 1 << 17
	etmidrOneT32      = 1 << 18
	etmidrSecurity    = 1 << 19
	etmidrAltBranch   = 1 << 20
)

// The versions, v3.n, that introduced features.
const (
	minorDataOnly       = 1
	minorAltISA         = 3 // and P-header format 4
	minorAltBranch      = 4
	minorM              = 4 // exception return and entry, on v7-M
	minorReturn         = 5 // exception return on all
	minorTimestamp      = 5
	minorVirtualization = 5 // and VMID
	minorNewest         = 5
)

// NewConfig returns the configuration from three registers of an ETM; profileM is
// set if its core has the v7-M architecture. It fails if ETMIDR is of another
// protocol. The warnings, for people, name the parts of the registers that do not
// fit the version.
//
// The timestamp bits of ETMCCER are used in every version: before v3.5 they are 0,
// and [Config.Parse] reads timestamps in all versions.
func NewConfig(etmcr, etmccer, etmidr uint32, profileM bool) (Config, []string, error) {
	major := uint8(etmidr >> etmidrMajorShift & 0xf)
	minor := uint8(etmidr >> etmidrMinorShift & 0xf)
	if major != etmidrMajorETMv3 {
		return Config{}, nil, fmt.Errorf("ETMIDR=0x%08X is not of an ETMv3 (bits 11:8 are %d, ETMv3 has %d); "+
			"correct the register, or name the protocol it is", etmidr, major, etmidrMajorETMv3)
	}
	var warnings []string
	if minor > minorNewest {
		warnings = append(warnings, fmt.Sprintf("ETMIDR=0x%08X is of ETM v3.%d, which is not known here: decoded as v3.%d",
			etmidr, minor, minorNewest))
		minor = minorNewest
	}
	if etmidr&etmidrAltBranch != 0 && minor < minorAltBranch {
		warnings = append(warnings,
			fmt.Sprintf("ETMIDR=0x%08X has bit 20, the alternative branch encoding, which v3.%d does not have: decoded without",
				etmidr, minor))
	}
	if etmcr&etmcrDataOnly != 0 && minor < minorDataOnly {
		warnings = append(warnings,
			fmt.Sprintf("ETMCR=0x%08X has bit 20, data-only mode, which v3.%d does not have: decoded without", etmcr, minor))
	}
	return Config{
		Minor:          minor,
		ProfileM:       profileM,
		CycleAccurate:  etmcr&etmcrCycleAccurate != 0,
		ContextIDBytes: decode.ContextIDBytes[etmcr>>etmcrContextIDShift&3],
		Broadcast:      etmcr&etmcrBroadcast != 0,
		DataAddress:    etmcr&etmcrDataAddress != 0,
		DataValue:      etmcr&etmcrDataValue != 0,
		DataOnly:       etmcr&etmcrDataOnly != 0 && minor >= minorDataOnly,
		DataSuppress:   etmcr&etmcrDataSuppress != 0,
		AltBranch:      etmidr&etmidrAltBranch != 0 && minor >= minorAltBranch,
		Security:       etmidr&etmidrSecurity != 0,
		OneT32:         etmidr&etmidrOneT32 != 0,
		CPRTNotData:    etmidr&etmidrCPRTNotData != 0,
		LSMPCFirst:     etmidr&etmidrLSMPCFirst != 0,
		Timestamp64:    etmccer&etmccerTimestamp64 != 0,
		TimestampGray:  etmccer&etmccerTimestampBinary == 0,
		Virtualization: etmccer&etmccerVirtualization != 0 && minor >= minorVirtualization,
	}, warnings, nil
}

// tracesCycles reports whether the stream has cycles: data-only mode has none.
func (c *Config) tracesCycles() bool { return c.CycleAccurate && !c.DataOnly }

// Version is the version of the protocol, as "3.5".
func (c *Config) Version() string {
	return fmt.Sprintf("3.%d", c.Minor)
}

// TimestampBits is the width of a whole timestamp: 48 or 64.
func (c *Config) TimestampBits() uint8 {
	if c.Timestamp64 {
		return 64
	}
	return 48
}

// Defines reports whether the version of the source has packets of kind k.
// [Config.Parse] reads the others all the same, since the registers of a capture
// are often written by hand; such a packet casts doubt on ETMIDR, or on the stream.
func (c *Config) Defines(k Kind) bool {
	switch k {
	case Timestamp:
		return c.Minor >= minorTimestamp
	case VMID:
		return c.Minor >= minorVirtualization
	case ExceptionReturn:
		return c.Minor >= minorReturn || c.ProfileM && c.Minor >= minorM
	case ExceptionEntry:
		return c.ProfileM && c.Minor >= minorM
	default:
		return true
	}
}
