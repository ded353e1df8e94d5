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

// Tags of build attributes of a file, whose values are numbers (IHI 0045).
const (
	TagCPUArch        = 6
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

// archProfile returns the profile in a section of attributes.
func archProfile(section []byte) byte {
	switch p := Attribute(section, tagCPUArchProfile); p {
	case 'A', 'R', 'M':
		return byte(p)
	}
	return 0
}

// Attribute returns the number that a section of build attributes gives a tag of the file, 0 if it
// gives none: the section is a version, the length and name of a vendor, then the tags and their values.
func Attribute(section []byte, tag uint64) uint64 {
	const lengths, tagFile = 4, 1
	_, b, ok := bytes.Cut(section, []byte("aeabi\x00"))
	if !ok || len(b) < 1+lengths || b[0] != tagFile {
		return 0
	}
	for b = b[1+lengths:]; len(b) > 0; {
		t, n := binary.Uvarint(b)
		if n <= 0 {
			return 0
		}
		b = b[n:]
		if isText(t) {
			_, b, _ = bytes.Cut(b, []byte{0})
			continue
		}
		value, n := binary.Uvarint(b)
		if n <= 0 {
			return 0
		}
		if t == tag {
			return value
		}
		b = b[n:]
	}
	return 0
}

// isText reports whether the value of a tag is a text: the names of the CPU, and odd tags after 32.
// That of a standard, 67, comes first where there is one.
func isText(tag uint64) bool {
	const rawName, name, compatibility = 4, 5, 32
	return tag == rawName || tag == name || tag > compatibility && tag%2 == 1
}
