package etmv4

import "github.com/tracelake/tracelake/decode"

// This file is what the registers of a source say of it before it is bound.

// dataStream is not 0 where data addresses or values are traced.
var dataStream = decode.Setting{Register: "TRCCONFIGR", Shift: 16, Bits: 2}

// readETMv4Version returns the version of an ETMv4 from TRCIDR1, or from TRCDEVARCH where TRCIDR1
// says so.
func readETMv4Version(regs decode.Registers) (string, bool) { return readVersion(regs, false) }

// readETEVersion returns the version of an ETE from TRCDEVARCH.
func readETEVersion(regs decode.Registers) (string, bool) { return readVersion(regs, true) }

func readVersion(regs decode.Registers, ete bool) (string, bool) {
	idr1, hasIDR1 := regs.Lookup("TRCIDR1")
	devarch, hasDEVARCH := regs.Lookup("TRCDEVARCH")
	r := Registers{IDR1: uint32(idr1), DEVARCH: uint32(devarch), ETE: ete}
	if ete && !hasDEVARCH || !ete && !hasIDR1 {
		return "", false
	}
	minor, _, err := r.version()
	if err != nil {
		return "", false
	}
	c := Config{ETE: ete, Minor: minor}
	return c.Version(), true
}
