package pft

import (
	"fmt"

	"github.com/tracelake/tracelake/decode"
)

// Config is the configuration of a stream, from the registers of a PTM. It is a
// decode.Protocol. It is immutable, so goroutines may share it.
type Config struct {
	Minor          uint8 // 0: PFT 1.0, 1: PFT 1.1 (ETMIDR[7:4])
	CycleAccurate  bool  // ETMCR[12]
	ContextIDBytes int   // 0, 1, 2 or 4 (ETMCR[15:14])
	Timestamp64    bool  // 64-bit timestamps, else 48 (ETMCCER[29], 1.1)
	TimestampGray  bool  // Gray code, else natural binary (ETMCCER[28]; 1.0 always Gray)
	ReturnStack    bool  // ETMCR[29] and ETMCCER[23]
	DataBarriers   bool  // DMB and DSB are waypoints (ETMCCER[24])
}

// The fields of the registers that change decoding.
const (
	etmcrCycleAccurate  = 1 << 12
	etmcrContextIDShift = 14
	etmcrReturnStack    = 1 << 29

	etmccerReturnStack     = 1 << 23
	etmccerDataBarriers    = 1 << 24
	etmccerTimestampBinary = 1 << 28
	etmccerTimestamp64     = 1 << 29

	etmidrMajorShift = 8
	etmidrMinorShift = 4
	etmidrMajorPFT   = 3 // 0 to 2 are ETMv1 to ETMv3
)

// NewConfig returns the configuration from three registers of a PTM. It fails if
// ETMIDR is of another protocol. The warnings, for people, name the parts of the
// registers that do not fit what this package knows.
func NewConfig(etmcr, etmccer, etmidr uint32) (Config, []string, error) {
	major := uint8(etmidr >> etmidrMajorShift & 0xf)
	minor := uint8(etmidr >> etmidrMinorShift & 0xf)
	if major != etmidrMajorPFT {
		return Config{}, nil, fmt.Errorf("ETMIDR=0x%08X is of ETM v%d.%d, not of a PTM (bits 11:8 are %d, PFT 1 has 3); "+
			"correct the register, or name the protocol it is", etmidr, major+1, minor, major)
	}
	var warnings []string
	if minor > 1 {
		warnings = append(warnings, fmt.Sprintf("ETMIDR=0x%08X is of PFT 1.%d, which is not known here: decoded as 1.1",
			etmidr, minor))
		minor = 1
	}
	if etmcr&etmcrReturnStack != 0 && etmccer&etmccerReturnStack == 0 {
		warnings = append(warnings,
			fmt.Sprintf("ETMCR=0x%08X has the return stack on, but ETMCCER=0x%08X says there is none: decoded without",
				etmcr, etmccer))
	}
	return Config{
		Minor:          minor,
		CycleAccurate:  etmcr&etmcrCycleAccurate != 0,
		ContextIDBytes: decode.ContextIDBytes[etmcr>>etmcrContextIDShift&3],
		Timestamp64:    minor >= 1 && etmccer&etmccerTimestamp64 != 0,
		TimestampGray:  minor < 1 || etmccer&etmccerTimestampBinary == 0,
		ReturnStack:    etmcr&etmcrReturnStack != 0 && etmccer&etmccerReturnStack != 0,
		DataBarriers:   etmccer&etmccerDataBarriers != 0,
	}, warnings, nil
}

// Version is the version of the protocol, "1.0" or "1.1".
func (c *Config) Version() string {
	return fmt.Sprintf("1.%d", c.Minor)
}

// TimestampBits is the width of a whole timestamp: 48 or 64.
func (c *Config) TimestampBits() uint8 {
	if c.Timestamp64 {
		return 64
	}
	return 48
}

// Defines reports whether the version of the source has packets of kind k (§4.5).
// [Config.Parse] reads the others all the same: an ETMIDR that a person wrote is
// often too old.
func (c *Config) Defines(k Kind) bool {
	return c.Minor >= 1 || k != VMID && k != ExceptionReturn
}
