package program

import (
	"debug/elf"

	"github.com/tracelake/tracelake/decode/image"
)

// archV5TEJ is a value of [image.TagCPUArch]; those of later architectures are larger.
const archV5TEJ = 5

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
	return image.Attribute(b, image.TagCPUArch) > archV5TEJ
}
