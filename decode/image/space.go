// Package image is program memory: what each core's instruction fetches see.
//
// Section numbers are those of docs/containers.md: memory
// sections of a snapshot (§6) and program images (§8).
//
// Its API is not stable (docs/guide/library.md).
package image

import (
	"strings"

	"github.com/tracelake/tracelake/schema"
)

// A Space is a memory space of an Arm core, as far as it matters to a fetch.
type Space uint8

// The spaces. A fetch has one of the first four; AnySpace is that of regions
// that say none, and a fetch from it sees only those.
const (
	AnySpace Space = iota
	SecureSpace
	NonSecureSpace
	HypSpace
	// PhysicalSpace is that of regions that fit secure and non-secure fetches.
	PhysicalSpace

	spaces = iota
)

// SpaceOf returns the space that a core in a security state fetches from: in Root, the state of
// EL3, that of EL3; in Realm one that only memory without a space serves. It panics if there is no
// such state.
func SpaceOf(s schema.Security) Space {
	return [...]Space{
		schema.Secure: SecureSpace, schema.NonSecure: NonSecureSpace, schema.Hyp: HypSpace,
		schema.Root: SecureSpace, schema.Realm: AnySpace,
	}[s]
}

var spaceNames = [spaces]string{"any", "S", "N", "H", "P"}

// String returns the short word for s that [ParseSpace] reads, or "any".
func (s Space) String() string { return spaceNames[s] }

// SpaceWords are the words [ParseSpace] knows, for messages.
const SpaceWords = "S, N, H, EL1S, EL1N, EL2, EL3, P, SP, NP"

// ParseSpace reads the word for a space, in any case (§6). Exception levels and
// physical spaces mean the security state of a fetch from them.
func ParseSpace(word string) (Space, bool) {
	switch strings.ToUpper(word) {
	case "S", "SP", "EL1S", "EL3":
		return SecureSpace, true
	case "N", "NP", "EL1N":
		return NonSecureSpace, true
	case "H", "EL2":
		return HypSpace, true
	case "P":
		return PhysicalSpace, true
	}
	return AnySpace, false
}

// serves reports whether a fetch from a space sees regions of space s.
func (s Space) serves(from Space) bool {
	switch s {
	case AnySpace, from:
		return true
	case PhysicalSpace:
		return from == SecureSpace || from == NonSecureSpace
	}
	return false
}

// rank orders regions that serve one fetch: the exact space, both of physical
// memory, none.
func (s Space) rank() int {
	switch s {
	case PhysicalSpace:
		return 1
	case AnySpace:
		return 2
	}
	return 0
}
