package image

import (
	"debug/elf"
	"fmt"
	"strings"

	"github.com/tracelake/tracelake/schema"
)

// An ELF is the headers of a program file. Its sections have names; what they
// hold has not been read or checked.
type ELF struct {
	*elf.File
	BuildID string // in hex, "" without

	header *elfHeader
}

// AArch64 reports whether the code is that of AArch64; else it is of AArch32.
func (e *ELF) AArch64() bool { return isAArch64(e.File) }

// AddressBytes is the size of an address: 4 or 8.
func (e *ELF) AddressBytes() int { return e.header.class.word }

// Top is where the addresses end, 2³² or the last one of 64 bits.
func (e *ELF) Top() uint64 { return e.header.class.top }

// CheckPlace fails if code of that size, at an address of the file that was loaded at base,
// goes beyond the addresses. what names the code: "code (section .text)".
func (e *ELF) CheckPlace(address, size uint64, base *schema.Address, what string) error {
	moved, ok := e.header.placed(address, size, base)
	if ok {
		return nil
	}
	return &FormatError{
		Problem: fmt.Sprintf("has %#x bytes of %s at address %#x, which go beyond %s", size, what, moved,
			e.header.class.topWords),
		Remedy: "the file is damaged, or its @BASE is wrong",
	}
}

// OpenELF reads the headers of an ELF file, which it refuses as [ReadELF] does.
func OpenELF(f File, base *schema.Address) (*ELF, error) {
	e, h, err := openELF(f, base)
	if err != nil {
		return nil, err
	}
	if err := nameSections(f, h, e); err != nil {
		return nil, err
	}
	return &ELF{File: e, BuildID: buildID(f, e), header: h}, nil
}

// nameSections gives the sections their names. All share the memory of the table
// of names, and a name is no longer than maxSectionName: many sections with long
// names take no more time and memory than the file has bytes.
func nameSections(f File, h *elfHeader, e *elf.File) error {
	index := uint32(h.Shstrndx)
	if index == uint32(elf.SHN_XINDEX) && len(e.Sections) > 0 {
		index = e.Sections[0].Link
	}
	if index == 0 || index >= uint32(len(e.Sections)) {
		return nil
	}
	table := e.Sections[index]
	if table.Type != elf.SHT_STRTAB || table.Flags&elf.SHF_COMPRESSED != 0 {
		return &FormatError{Problem: "has a table of section names that is none", Remedy: "the file is damaged"}
	}
	b, err := f.read(table.Offset, table.FileSize, "table of section names")
	if err != nil {
		return err
	}
	headers, err := f.read(h.Shoff, uint64(h.Shnum)*uint64(h.Shentsize), "section header table")
	if err != nil {
		return err
	}
	names := string(b)
	for i, s := range e.Sections {
		at := uint64(h.order.Uint32(headers[i*int(h.Shentsize):]))
		rest := names[min(at, uint64(len(names))):]
		s.Name, _, _ = strings.Cut(rest[:min(len(rest), maxSectionName)], "\x00")
	}
	return nil
}
