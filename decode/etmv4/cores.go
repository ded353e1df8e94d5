package etmv4

import (
	"fmt"
	"strings"

	"github.com/tracelake/tracelake/decode"
)

// Registers of a source that is not fully described: those of a trace unit of its core.

// idrs are TRCIDR0 to TRCIDR2 of the trace unit of a core, as captures have them.
type idrs struct{ idr0, idr1, idr2 uint32 }

// The cores whose registers are known. The others have those of the profile.
var (
	cortexA53 = idrs{0x28000EA1, 0x4100F403, 0x00000488}
	cortexA57 = idrs{0x28000EA1, 0x4100F402, 0x00000488}
	cortexA72 = idrs{0x28000EA1, 0x4100F400, 0x00000488}
	cortexA55 = idrs{0x08000CA1, 0x4200F410, 0x20001088}
	cortexM55 = idrs{0x280006E1, 0x4100F454, 0x00000004}
	anyETE    = idrs{idr0: 0x2801CEA1, idr2: 0xD0001088} // its version is in TRCDEVARCH
)

// Of any trace unit.
const (
	defaultCONFIGR = 0x1
	defaultDEVARCH = 0x47705A13 // ETE 1.0
)

// defaultIDRs returns the registers that a source of a core has, if it does not say so
// itself.
func defaultIDRs(s decode.Source, ete bool) idrs {
	if ete {
		return anyETE
	}
	for _, known := range []struct {
		core string
		idrs idrs
	}{{"CORTEX-A57", cortexA57}, {"CORTEX-A72", cortexA72}, {"CORTEX-A55", cortexA55}} {
		rest, ok := strings.CutPrefix(strings.ToUpper(s.CoreType), known.core)
		if ok && (rest == "" || rest[0] < '0' || rest[0] > '9') {
			return known.idrs
		}
	}
	if s.Profile == profileM {
		return cortexM55
	}
	return cortexA53
}

// readRegisters returns the registers of a source, and notes that name those that are
// missing with their defaults.
func readRegisters(s decode.Source, ete bool) (Registers, []string) {
	var notes []string
	value := func(name string, missing uint32, why string) uint32 {
		v, ok := s.Lookup(name)
		if !ok {
			notes = append(notes, fmt.Sprintf("register %s is missing: 0x%08X is taken (%s); --reg %s=VALUE sets it",
				name, missing, why, name))
			return missing
		}
		return uint32(v)
	}
	known, why := defaultIDRs(s, ete), "by the type of the core"
	if ete {
		why = "as models have it"
	}
	r := Registers{
		ETE:     ete,
		CONFIGR: value("TRCCONFIGR", defaultCONFIGR, "no cycle counts, no timestamps, no return stack"),
		IDR0:    value("TRCIDR0", known.idr0, why),
		IDR2:    value("TRCIDR2", known.idr2, why),
		IDR8:    value("TRCIDR8", 0, "no speculative elements"),
	}
	if ete {
		r.DEVARCH = value("TRCDEVARCH", defaultDEVARCH, "ETE 1.0")
	} else {
		r.IDR1 = value("TRCIDR1", known.idr1, why)
		v, _ := s.Lookup("TRCDEVARCH")
		r.DEVARCH = uint32(v)
	}
	r.Profile = profileOf(s, &r)
	return r, notes
}

// profileOf returns the profile of the core. Where no core is named, the trace unit of one
// of profile M has 32-bit addresses, and no Context ID or VMID.
func profileOf(s decode.Source, r *Registers) string {
	const sizes = 0x7fff // of addresses, Context ID and VMID
	switch {
	case s.Profile != "":
		return s.Profile
	case !r.ETE && r.IDR2&sizes == cortexM55.idr2:
		return profileM
	default:
		return "A"
	}
}
