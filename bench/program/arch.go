package program

import "github.com/tracelake/tracelake/schema"

// An Arch is the architecture of a core, as far as programs and what executes
// them differ by it.
type Arch uint8

// The architectures.
const (
	// V7A is ARMv7-A and ARMv7-R: A32, T32, vectors anywhere (DDI 0406C).
	V7A Arch = iota
	// V7M is ARMv7-M: T32 alone, exceptions with stack frames (DDI 0403E).
	V7M
	// V5TE is ARMv5TE, as of ARM9E and ARM10 cores (DDI 0100I): A32 and T32 without
	// what ARMv6 and later brought, so that T32 is of 16 bits but for BL and BLX;
	// vectors at 0 or 0xFFFF0000.
	V5TE
)

func (a Arch) String() string { return [...]string{"ARMv7-A", "ARMv7-M", "ARMv5TE"}[a] }

// Vectors is the address of the vectors of V5TE, low or high.
func Vectors(high bool) schema.Address {
	if high {
		return 0xFFFF0000
	}
	return 0
}

// ARMv7 is V7M for the M profile, else V7A.
func ARMv7(profileM bool) Arch {
	if profileM {
		return V7M
	}
	return V7A
}
