package image

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
)

// efARMBE8 is EF_ARM_BE8: data is big-endian, code is little-endian.
const efARMBE8 = 0x00800000

// ntGNUBuildID is the type of the note that holds the build ID.
const ntGNUBuildID = 3

// ReadELF reads the bytes that a 32-bit Arm ELF file loads into memory (§8): for
// each PT_LOAD segment those that are in the file, at its virtual address. What
// is only cleared at start is no memory here. Of a BE8 image it takes executable
// segments, since code is little-endian there.
//
// base is where a position-independent image was loaded; it is nil for others.
// A file of another kind is a [*FormatError] that names what it is.
//
// It reads headers itself rather than with debug/elf, which wants section
// headers to be intact and is not meant for hostile files.
func ReadELF(f File, base *uint32) ([]Region, error) {
	e := elfFile{File: f}
	if err := e.readHeader(); err != nil {
		return nil, err
	}
	if err := e.checkKind(base); err != nil {
		return nil, err
	}
	progs, err := readTable[elf.Prog32](&e, uint64(e.header.Phoff), e.header.Phnum, e.header.Phentsize, "program header table")
	if err != nil {
		return nil, err
	}
	regions, err := e.load(progs, base)
	if err != nil {
		return nil, err
	}
	id := e.buildID(progs)
	for i := range regions {
		regions[i].BuildID = id
	}
	return regions, nil
}

// An elfFile is an ELF file whose header was read.
type elfFile struct {
	File
	header elf.Header32
	order  binary.ByteOrder
}

// readHeader reads the file header and refuses what is no 32-bit ELF file.
func (e *elfFile) readHeader() error {
	ident, err := e.read(0, elf.EI_NIDENT, "ELF identification")
	if err != nil || !bytes.HasPrefix(ident, []byte(elf.ELFMAG)) {
		if _, ok := errors.AsType[*FormatError](err); err != nil && !ok {
			return err
		}
		return &FormatError{Problem: "is no ELF file", Remedy: "give a plain binary with --image FILE@ADDR"}
	}
	switch class := elf.Class(ident[elf.EI_CLASS]); class {
	case elf.ELFCLASS32:
	case elf.ELFCLASS64:
		return &FormatError{Problem: "is a 64-bit ELF file", Remedy: "give the 32-bit Arm program that ran"}
	default:
		return &FormatError{Problem: fmt.Sprintf("is an ELF file of the unknown class %d", class), Remedy: "give a 32-bit Arm program"}
	}
	switch data := elf.Data(ident[elf.EI_DATA]); data {
	case elf.ELFDATA2LSB:
		e.order = binary.LittleEndian
	case elf.ELFDATA2MSB:
		e.order = binary.BigEndian
	default:
		return &FormatError{Problem: fmt.Sprintf("is an ELF file of the unknown byte order %d", data), Remedy: "give a 32-bit Arm program"}
	}
	b, err := e.read(0, uint64(binary.Size(e.header)), "ELF header")
	if err != nil {
		return err
	}
	_, err = binary.Decode(b, e.order, &e.header)
	return err
}

// checkKind refuses other machines, files that are no linked programs, and data
// in big-endian order.
func (e *elfFile) checkKind(base *uint32) error {
	h := &e.header
	if m := elf.Machine(h.Machine); m != elf.EM_ARM {
		return &FormatError{Problem: fmt.Sprintf("is an ELF file for another machine, %v", m), Remedy: "give the Arm program that ran"}
	}
	if e.order == binary.BigEndian && h.Flags&efARMBE8 == 0 {
		return &FormatError{Problem: "is a big-endian (BE32) image", Remedy: "only little-endian and BE8 images are read"}
	}
	switch t := elf.Type(h.Type); t {
	case elf.ET_EXEC:
		if base != nil {
			return &FormatError{Problem: "has fixed addresses", Remedy: "leave out the @BASE behind its name"}
		}
	case elf.ET_DYN:
		if base == nil {
			return &FormatError{Problem: "is position-independent (ET_DYN)", Remedy: "say where it was loaded: FILE@BASE"}
		}
	case elf.ET_REL:
		return &FormatError{Problem: "is an object file (ET_REL), which has no addresses yet", Remedy: "give the linked program"}
	default:
		return &FormatError{Problem: fmt.Sprintf("is an ELF file of type %v", t), Remedy: "give the linked program"}
	}
	return nil
}

// load reads the PT_LOAD segments. Segments may share bytes of the file, but all
// together take at most twice its size: memory is bounded by the input.
func (e *elfFile) load(progs []elf.Prog32, base *uint32) ([]Region, error) {
	var regions []Region
	var total uint64
	skipped := false
	for i, p := range progs {
		if elf.ProgType(p.Type) != elf.PT_LOAD || p.Filesz == 0 {
			continue
		}
		if e.order == binary.BigEndian && elf.ProgFlag(p.Flags)&elf.PF_X == 0 {
			skipped = true
			continue
		}
		address := uint64(p.Vaddr)
		if base != nil {
			address += uint64(*base)
		}
		total += uint64(p.Filesz)
		switch {
		case address+uint64(p.Filesz) > 1<<32:
			return nil, &FormatError{
				Problem: fmt.Sprintf("loads %#x bytes at address %#x (segment %d), which go beyond 2³²", p.Filesz, address, i),
				Remedy:  "the file is damaged, or its @BASE is wrong",
			}
		case total > MaxLoad || total > 2*uint64(e.Size):
			return nil, &FormatError{
				Problem: fmt.Sprintf("loads more than %d bytes up to its segment %d", min(MaxLoad, 2*e.Size), i),
				Remedy:  "the file is damaged",
			}
		}
		b, err := e.read(uint64(p.Off), uint64(p.Filesz), fmt.Sprintf("segment %d", i))
		if err != nil {
			return nil, err
		}
		regions = append(regions, Region{File: e.Name, SHA256: e.SHA256, Address: uint32(address), Bytes: b})
	}
	if len(regions) == 0 {
		problem := "has no PT_LOAD segment with bytes"
		if skipped {
			problem = "is a BE8 image without an executable PT_LOAD segment"
		}
		return nil, &FormatError{Problem: problem, Remedy: "give the linked program, not a file of symbols only"}
	}
	return regions, nil
}

// readTable reads a table of n entries of the given size, of which T is the
// start.
func readTable[T elf.Prog32 | elf.Section32](e *elfFile, off uint64, n, entry uint16, what string) ([]T, error) {
	var zero T
	if n == 0 {
		return nil, nil
	}
	if int(entry) < binary.Size(zero) {
		return nil, &FormatError{
			Problem: fmt.Sprintf("has a %s with entries of %d bytes", what, entry),
			Remedy:  "the file is damaged",
		}
	}
	b, err := e.read(off, uint64(n)*uint64(entry), what)
	if err != nil {
		return nil, err
	}
	table := make([]T, n)
	for i := range table {
		if _, err := binary.Decode(b[i*int(entry):], e.order, &table[i]); err != nil {
			return nil, err
		}
	}
	return table, nil
}

// buildID returns the GNU build ID in hex, from a note segment or else, where a
// linker script has no such segments, a note section. It is "" if there is none
// that can be read.
func (e *elfFile) buildID(progs []elf.Prog32) string {
	left := uint64(maxNotes)
	for _, p := range progs {
		if elf.ProgType(p.Type) == elf.PT_NOTE {
			if id := e.buildIDAt(p.Off, p.Filesz, &left); id != "" {
				return id
			}
		}
	}
	sections, err := readTable[elf.Section32](e, uint64(e.header.Shoff), e.header.Shnum, e.header.Shentsize, "section header table")
	if err != nil {
		return ""
	}
	for _, s := range sections {
		if elf.SectionType(s.Type) == elf.SHT_NOTE {
			if id := e.buildIDAt(s.Off, s.Size, &left); id != "" {
				return id
			}
		}
	}
	return ""
}

// buildIDAt looks for the build ID in the notes of a stretch of the file. A note
// is the sizes of name and descriptor, a type, and both, padded to words. left
// is how many bytes may still be searched.
func (e *elfFile) buildIDAt(off, size uint32, left *uint64) string {
	if uint64(size) > *left {
		return ""
	}
	*left -= uint64(size)
	b, err := e.read(uint64(off), uint64(size), "note")
	if err != nil {
		return ""
	}
	pad := func(n uint32) uint64 { return (uint64(n) + 3) &^ 3 }
	for len(b) >= 12 {
		name, desc, kind := e.order.Uint32(b), e.order.Uint32(b[4:]), e.order.Uint32(b[8:])
		b = b[12:]
		if pad(name)+uint64(desc) > uint64(len(b)) {
			return ""
		}
		if kind == ntGNUBuildID && string(b[:name]) == "GNU\x00" {
			return hex.EncodeToString(b[pad(name) : pad(name)+uint64(desc)])
		}
		b = b[min(pad(name)+pad(desc), uint64(len(b))):]
	}
	return ""
}
