package program

import (
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

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
	// V8A is ARMv8-A and later, and whatever else an ETMv4 of A or R profile or an ETE traces:
	// A64, A32, T32; exception levels.
	V8A
	// V8M is ARMv8-M, and ARMv7-M as an ETMv4 traces it: as V7M, in another dialect.
	V8M
)

func (a Arch) String() string {
	return [...]string{"ARMv7-A", "ARMv7-M", "ARMv5TE", "ARMv8-A", "ARMv8-M"}[a]
}

// ProfileM says whether a is of the M profile.
func (a Arch) ProfileM() bool { return a == V7M || a == V8M }

// Dialect is how the trace units of a read its A32 and T32 code.
func (a Arch) Dialect() isa.Dialect {
	switch a {
	case V8A:
		return isa.ETMv4
	case V8M:
		return isa.ETMv4M
	}
	return isa.PFT
}

// MonitorSecurity is the state of exception level 3 of a core of V8A that has the given one.
func MonitorSecurity(s schema.Security) schema.Security {
	if s == schema.Realm || s == schema.Root {
		return schema.Root
	}
	return schema.Secure
}

// ARMv7 is V7M for the M profile, else V7A.
func ARMv7(profileM bool) Arch {
	if profileM {
		return V7M
	}
	return V7A
}
