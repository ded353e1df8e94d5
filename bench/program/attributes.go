package program

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
)

// Tags of the build attributes that the Arm ABI defines for ELF files.
const (
	tagFile       = 1
	tagCPURawName = 4
	tagCPUName    = 5
	tagCPUArch    = 6

	archV5TEJ = 5 // value of tagCPUArch; those of later architectures are larger
)

// LaterThanV5TE says whether an Arm ELF file demands an architecture after V5TE.
// One without attributes does not say so.
func LaterThanV5TE(f *elf.File) bool {
	section := f.Section(".ARM.attributes")
	if section == nil {
		return false
	}
	b, err := section.Data()
	if err != nil {
		return false
	}
	return cpuArch(b) > archV5TEJ
}

// cpuArch is the architecture in a section of attributes, 0 if it has none: a
// version, the length and name of a vendor, then attributes of the file.
func cpuArch(b []byte) uint64 {
	const lengths = 4
	_, b, ok := bytes.Cut(b, []byte("aeabi\x00"))
	if !ok || len(b) < 1+lengths || b[0] != tagFile {
		return 0
	}
	for b = b[1+lengths:]; len(b) > 0; {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			return 0
		}
		b = b[n:]
		if tag == tagCPURawName || tag == tagCPUName { // text, before the architecture
			_, b, _ = bytes.Cut(b, []byte{0})
			continue
		}
		value, n := binary.Uvarint(b)
		if n <= 0 || tag == tagCPUArch {
			return value
		}
		b = b[n:]
	}
	return 0
}
