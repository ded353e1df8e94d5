package image

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
)

// shtARMAttributes is SHT_ARM_ATTRIBUTES, the type of the section with build attributes (IHI 0045).
const shtARMAttributes = 0x70000003

// maxAttributes is how many bytes of build attributes are read. Those of the file come first.
const maxAttributes = 4096

// Tags of build attributes of a file.
const (
	tagFile           = 1
	tagCPURawName     = 4
	tagCPUName        = 5
	tagCPUArchProfile = 7
)

// profileOf returns the profile that a program of AArch32 is built for, by its build attributes:
// 'A', 'R' or 'M'; 0 if they do not say so.
func profileOf(f File, e *elf.File) byte {
	for _, s := range e.Sections {
		if s.Type != shtARMAttributes || isAArch64(e) {
			continue
		}
		b, err := f.read(s.Offset, min(s.FileSize, maxAttributes), "build attributes")
		if err != nil {
			return 0
		}
		return archProfile(b)
	}
	return 0
}

// archProfile reads a section of attributes: a version, the length and name of a vendor, then
// attributes of the file, numbers or texts.
func archProfile(b []byte) byte {
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
		if tag == tagCPURawName || tag == tagCPUName {
			_, b, _ = bytes.Cut(b, []byte{0})
			continue
		}
		value, n := binary.Uvarint(b)
		switch {
		case n <= 0, tag > tagCPUArchProfile: // tags rise
			return 0
		case tag == tagCPUArchProfile && (value == 'A' || value == 'R' || value == 'M'):
			return byte(value)
		}
		b = b[n:]
	}
	return 0
}
