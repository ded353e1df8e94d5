package capture

import (
	"strconv"
	"strings"
)

// A Profile is the profile of a core's architecture. It decides what the numbers
// of exceptions mean.
type Profile string

// The profiles.
const (
	ProfileUnknown Profile = ""
	ProfileA       Profile = "A"
	ProfileR       Profile = "R"
	ProfileM       Profile = "M"
)

// A coreModel is what the type of a core implies.
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
	switch {
	case !ok || rest == "":
		return coreModel{}
	case rest == "-AA64": // as OpenCSD calls any core that has AArch64
		return coreModel{ProfileA, true}
	}
	if arch, ok := strings.CutPrefix(rest, "V"); ok {
		return modelOfArchitecture(arch)
	}
	if rest[0] >= '0' && rest[0] <= '9' {
		return coreModel{ProfileA, false}
	}
	return coreModel{}
}

// modelOfArchitecture returns that of a core named by its architecture: what follows ARMV.
func modelOfArchitecture(arch string) coreModel {
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
