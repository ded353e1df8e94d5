package capture

import (
	"strconv"
	"strings"
)

// Names of protocols, as `--protocol` and the table `sources` have them. Those
// from etmv4 on are recognised, so that their sources have a name.
const (
	PFT   = "pft"
	ETMv3 = "etmv3"
	ETMv2 = "etmv2"
	ETMv1 = "etmv1"
	ETMv4 = "etmv4"
	ETE   = "ete"
	ITM   = "itm"
	STM   = "stm"
)

// followsProgram says that a protocol tells instructions of a core, in one
// stream, configured by the registers of an ETM or PTM.
func followsProgram(protocol string) bool {
	switch protocol {
	case PFT, ETMv3, ETMv2, ETMv1:
		return true
	}
	return false
}

// protocolOfType reads protocol and version from the type of a trace source
// (§5.3): PTM1.1, ETM3.5, ITM. Both are "" if it is not known.
func protocolOfType(kind string) (protocol, version string) {
	kind = strings.ToUpper(kind)
	for _, p := range []struct{ prefix, protocol string }{
		{"PTM", PFT}, {"PFT", PFT}, {"ITM", ITM}, {"STM", STM}, {"ETE", ETE}, {"ETM", ""},
	} {
		rest, ok := strings.CutPrefix(kind, p.prefix)
		if !ok {
			continue
		}
		version := strings.TrimPrefix(rest, "V")
		if version != "" && (version[0] < '0' || version[0] > '9') {
			return "", ""
		}
		if p.protocol != "" {
			return p.protocol, version
		}
		switch major, _, _ := strings.Cut(version, "."); major {
		case "1":
			return ETMv1, version
		case "2":
			return ETMv2, version
		case "3":
			return ETMv3, version
		case "4":
			return ETMv4, version
		}
	}
	return "", ""
}

// protocolOfETMIDR reads protocol and version from ETMIDR[11:4].
func protocolOfETMIDR(idr uint64) (protocol, version string) {
	minor := "." + strconv.FormatUint(idr>>4&0xF, 10)
	switch idr >> 8 & 0xF {
	case 1:
		return ETMv2, "2" + minor
	case 2:
		return ETMv3, "3" + minor
	case 3:
		return PFT, "1" + minor
	}
	return "", ""
}

// A Profile is that of a core's architecture. It decides what the numbers of
// exceptions mean.
type Profile string

// The profiles.
const (
	ProfileUnknown Profile = ""
	ProfileA       Profile = "A"
	ProfileR       Profile = "R"
	ProfileM       Profile = "M"
)

// A coreModel is what the type of a core tells.
type coreModel struct {
	profile Profile
	wide    bool // it has AArch64: memory above 4 GiB is no mistake
}

// modelOfCore reads the type of a core (§5.3): Cortex-A15, ARMv7-M, ARM1176.
// Cores older than profiles count as A: their exceptions are those of A.
func modelOfCore(kind string) coreModel {
	kind = strings.ToUpper(kind)
	if rest, ok := strings.CutPrefix(kind, "CORTEX-"); ok && rest != "" {
		number, _ := strconv.Atoi(strings.TrimRight(rest[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ+"))
		switch rest[0] {
		case 'A':
			return coreModel{ProfileA, number > 32}
		case 'X':
			return coreModel{ProfileA, true}
		case 'R':
			return coreModel{ProfileR, number >= 82}
		case 'M':
			return coreModel{ProfileM, false}
		}
	}
	if strings.HasPrefix(kind, "NEOVERSE") {
		return coreModel{ProfileA, true}
	}
	rest, ok := strings.CutPrefix(kind, "ARM")
	if !ok || rest == "" {
		return coreModel{}
	}
	if arch, ok := strings.CutPrefix(rest, "V"); ok {
		wide := strings.HasPrefix(arch, "8") || strings.HasPrefix(arch, "9")
		switch {
		case strings.HasSuffix(arch, "-M"), strings.HasSuffix(arch, "-M.BASE"), strings.HasSuffix(arch, "-M.MAIN"):
			return coreModel{ProfileM, false}
		case strings.HasSuffix(arch, "-R"):
			return coreModel{ProfileR, wide}
		case strings.HasSuffix(arch, "-A"):
			return coreModel{ProfileA, wide}
		case arch != "" && arch[0] >= '4' && arch[0] <= '6':
			return coreModel{ProfileA, false}
		}
		return coreModel{}
	}
	if rest[0] >= '0' && rest[0] <= '9' {
		return coreModel{ProfileA, false}
	}
	return coreModel{}
}
