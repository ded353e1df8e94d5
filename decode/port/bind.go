package port

import (
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/decode"
)

// A binder reads the registers of a source and collects notes for people.
type binder struct {
	registers decode.Registers
	major     uint8
	notes     []string
}

func (b *binder) note(format string, args ...any) {
	b.notes = append(b.notes, fmt.Sprintf(format, args...))
}

// option returns the value of an option, 0 if it is not given.
func (b *binder) option(name string) uint64 {
	v, _ := b.registers.Lookup(name)
	return v
}

// The fields of the registers that have the version (docs/etmv2.md §2).
const (
	etmccrHasID        = 1 << 31
	etmccrVersionShift = 28
	etmidrMinorShift   = 4
	etmidrMajorShift   = 8
)

// minorByETMCCR is n of ETMv1.n, by ETMCCR[30:28]. No macrocell is known to have 6.
var minorByETMCCR = [8]uint8{0, 1, 2, 3, 2, 3, 3, 3}

// newestMinor is the newest minor version of each major version. It is also what is
// taken where none is given: it reads what the older versions send.
var newestMinor = map[uint8]uint8{1: 3, 2: 1}

// version returns the version, as ETMVERSION has it.
func (b *binder) version() (uint8, error) {
	etmccr, hasETMCCR := b.registers.Lookup("ETMCCR")
	if hasETMCCR && etmccr&etmccrHasID == 0 {
		n := 0x10 + minorByETMCCR[etmccr>>etmccrVersionShift&7]
		return n, b.checkMajor(n, fmt.Sprintf("ETMCCR=0x%08X", etmccr))
	}
	if etmidr, ok := b.registers.Lookup("ETMIDR"); ok {
		major, minor := uint8(etmidr>>etmidrMajorShift&0xF)+1, uint8(etmidr>>etmidrMinorShift&0xF)
		if err := b.checkMajor(major<<4, fmt.Sprintf("ETMIDR=0x%08X", etmidr)); err != nil {
			return 0, err
		}
		return b.knownMinor(minor), nil
	}
	if n, ok := b.registers.Lookup("ETMVERSION"); ok {
		if err := b.checkMajor(uint8(min(n, 0xFF)), "ETMVERSION="+versionWord(uint8(min(n, 0xFF)))); err != nil {
			return 0, err
		}
		return b.knownMinor(uint8(n & 0xF)), nil
	}
	n := b.major<<4 | newestMinor[b.major]
	b.note("the version is missing (ETMVERSION, ETMCCR or ETMIDR): %s is taken, which reads older ones too; --reg "+
		"ETMVERSION=%[1]s sets it", versionWord(n))
	return n, nil
}

// checkMajor checks that n, a version read from a register, is of the protocol.
func (b *binder) checkMajor(n uint8, register string) error {
	if n>>4 == b.major {
		return nil
	}
	return fmt.Errorf("%s is not of an ETMv%d, but of major version %d; correct the register, or name the protocol it is",
		register, b.major, n>>4)
}

// knownMinor returns the version with the minor version, or the newest that is known.
func (b *binder) knownMinor(minor uint8) uint8 {
	if newest := newestMinor[b.major]; minor > newest {
		b.note("ETMv%d.%d is not known here: decoded as v%[1]d.%[3]d", b.major, minor, newest)
		minor = newest
	}
	return b.major<<4 | minor
}

// versionWord is the word for a value of ETMVERSION.
func versionWord(n uint8) string { return fmt.Sprintf("%d.%d", n>>4, n&0xF) }

// width returns the number of pins.
func (b *binder) width(layout Layout, etmcr uint64) (Width, error) {
	size := etmcr >> etmcrPortSizeShift & 7
	given, ok := b.registers.Lookup("PORTSIZE")
	switch {
	case ok && !slices.Contains(widths, Width(min(given, 0xFF))):
		return 0, fmt.Errorf("PORTSIZE=%d is none; a port has 4, 8 or 16 pins", given)
	case layout == LayoutBytes && ok && given != 4:
		return 0, fmt.Errorf("LAYOUT=bytes is of 4 pins, but PORTSIZE=%d: correct one of them", given)
	case ok:
		return Width(given), nil
	case layout == LayoutBytes:
		if size != 0 {
			b.note("LAYOUT=bytes is of 4 pins: they are taken, whatever ETMCR says")
		}
		return 4, nil
	case size >= uint64(len(widths)):
		return 0, fmt.Errorf("ETMCR=0x%08X has port size %d in bits 6:4, which is none (0, 1 and 2 are 4, 8 and 16 pins); "+
			"correct it, or add --reg PORTSIZE=4|8|16", etmcr, size)
	}
	return widths[size], nil
}

// An etb is which words of an ETB are valid (docs/etmv2.md §3.2).
type etb struct {
	given   bool
	pointer uint64 // to the word that is written next (ETBRWP)
	full    bool   // the word there is the oldest, else those below it are valid
}

// etbFull is the bit of ETBSTS that says that the ETB wrote over its oldest words.
const etbFull = 1 << 0

// ring reads the registers of the ETB.
func (b *binder) ring(layout Layout) (etb, error) {
	pointer, given := b.registers.Lookup("ETBRWP")
	status, hasStatus := b.registers.Lookup("ETBSTS")
	full := status&etbFull != 0
	switch {
	case !given && !full:
		return etb{}, nil
	case !given:
		b.note("ETBSTS=0x%X says that the ETB was full, but its oldest word is not known: the first is taken; --reg "+
			"ETBRWP=n names it", status)
		return etb{}, nil
	case !layout.hasETBWords():
		return etb{}, fmt.Errorf("ETBRWP is given, but LAYOUT=%s has no words of an ETB: leave it out, or correct LAYOUT",
			layout)
	case !hasStatus:
		full = true
		b.note("ETBSTS is missing: the ETB is taken as full, its oldest word at ETBRWP=%d; --reg ETBSTS=0 says that only "+
			"those below are valid", pointer)
	}
	return etb{given: true, pointer: pointer, full: full}, nil
}
