package etmv4

import (
	"fmt"
	"strings"

	"github.com/tracelake/tracelake/decode"
)

// Registers of a source that is not fully described: those of a trace unit of its core.

// idrs are TRCIDR0 to TRCIDR2 of the trace unit of a core, as captures have them.
type idrs struct {
	of               string // the core
	idr0, idr1, idr2 uint32
}

// The cores whose registers are known. The others have those of the profile.
var (
	cortexA53 = idrs{"a Cortex-A53", 0x28000EA1, 0x4100F403, 0x00000488}
	cortexA57 = idrs{"a Cortex-A57", 0x28000EA1, 0x4100F402, 0x00000488}
	cortexA72 = idrs{"a Cortex-A72", 0x28000EA1, 0x4100F400, 0x00000488}
	cortexA55 = idrs{"a Cortex-A55", 0x08000CA1, 0x4200F410, 0x20001088}
	cortexM55 = idrs{"a Cortex-M55", 0x280006E1, 0x4100F454, 0x00000004}
	anyETE    = idrs{of: "a model", idr0: 0x2801CEA1, idr2: 0xD0001088} // its version is in TRCDEVARCH
)

// Of any trace unit.
const (
	defaultCONFIGR = 0x1
	defaultDEVARCH = 0x47705A13 // ETE 1.0
)

// knownIDRs returns the registers that a source of a core has, if it does not say so
// itself.
func knownIDRs(s decode.Source, ete bool) *idrs {
	if ete {
		return &anyETE
	}
	for _, known := range []struct {
		core string
		idrs *idrs
	}{{"CORTEX-A57", &cortexA57}, {"CORTEX-A72", &cortexA72}, {"CORTEX-A55", &cortexA55}} {
		rest, ok := strings.CutPrefix(strings.ToUpper(s.CoreType), known.core)
		if ok && (rest == "" || rest[0] < '0' || rest[0] > '9') {
			return known.idrs
		}
	}
	if s.Profile == profileM {
		return &cortexM55
	}
	return &cortexA53
}

// missing returns the values that are taken of registers which a source lacks.
func missing(s decode.Source, ete bool) []decode.RegisterDefault {
	known := knownIDRs(s, ete)
	version := decode.RegisterDefault{Register: "TRCIDR1", Value: uint64(known.idr1), Means: "that of " + known.of}
	if ete {
		version = decode.RegisterDefault{Register: "TRCDEVARCH", Value: defaultDEVARCH, Means: "ETE 1.0"}
	}
	return []decode.RegisterDefault{
		{Register: "TRCCONFIGR", Value: defaultCONFIGR, Means: "no cycle counts, no timestamps, return stack off"},
		{Register: "TRCIDR0", Value: uint64(known.idr0), Means: "that of " + known.of},
		{Register: "TRCIDR2", Value: uint64(known.idr2), Means: "sizes of Context ID and VMID of " + known.of},
		{Register: "TRCIDR8", Value: 0, Means: "no speculative elements"},
		version,
	}
}

// readRegisters returns the registers of a source, and notes that name those that are
// missing with the values that are taken.
func readRegisters(s decode.Source, ete bool) (Registers, []string) {
	var notes []string
	values := map[string]uint32{}
	for _, d := range missing(s, ete) {
		v, ok := s.Lookup(d.Register)
		if !ok {
			v = d.Value
			notes = append(notes, fmt.Sprintf("register %s is missing: 0x%08X is taken (%s); --reg %s=VALUE sets it",
				d.Register, v, d.Means, d.Register))
		}
		values[d.Register] = uint32(v)
	}
	if !ete { // where TRCIDR1 leaves the version to it
		v, _ := s.Lookup("TRCDEVARCH")
		values["TRCDEVARCH"] = uint32(v)
	}
	r := Registers{
		CONFIGR: values["TRCCONFIGR"], IDR0: values["TRCIDR0"], IDR1: values["TRCIDR1"], IDR2: values["TRCIDR2"],
		IDR8: values["TRCIDR8"], DEVARCH: values["TRCDEVARCH"], ETE: ete,
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
