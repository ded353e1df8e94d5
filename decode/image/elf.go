package image

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/tracelake/tracelake/schema"
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
// A file of another kind is a [*FormatError] that names what it is, and so is a
// damaged one.
func ReadELF(f File, base *schema.Address) ([]Region, error) {
	e, _, err := openELF(f, base)
	if err != nil {
		return nil, err
	}
	regions, err := loadSegments(f, e, base)
	if err != nil {
		return nil, err
	}
	id := buildID(f, e)
	for i := range regions {
		regions[i].BuildID = id
	}
	return regions, nil
}

// openELF reads the headers of a program that is of the right kind.
func openELF(f File, base *schema.Address) (*elf.File, *elfHeader, error) {
	h, err := readHeader(f)
	if err != nil {
		return nil, nil, err
	}
	if err := h.checkKind(base); err != nil {
		return nil, nil, err
	}
	if err := h.checkTables(f); err != nil {
		return nil, nil, err
	}
	e, err := parseELF(f, h)
	return e, h, err
}

// An elfHeader is the file header: debug/elf does not return all of it, and some
// of it is needed before.
type elfHeader struct {
	elf.Header32
	order binary.ByteOrder
}

// readHeader reads the file header and refuses what is no 32-bit ELF file.
func readHeader(f File) (*elfHeader, error) {
	ident, err := f.read(0, elf.EI_NIDENT, "ELF identification")
	if err != nil || !bytes.HasPrefix(ident, []byte(elf.ELFMAG)) {
		if _, ok := errors.AsType[*FormatError](err); err != nil && !ok {
			return nil, err
		}
		return nil, &FormatError{Problem: "is no ELF file", Remedy: "give a plain binary with --image FILE@ADDR"}
	}
	switch class := elf.Class(ident[elf.EI_CLASS]); class {
	case elf.ELFCLASS32:
	case elf.ELFCLASS64:
		return nil, &FormatError{Problem: "is a 64-bit ELF file", Remedy: "give the 32-bit Arm program that ran"}
	default:
		return nil, &FormatError{
			Problem: fmt.Sprintf("is an ELF file of the unknown class %d", class),
			Remedy:  "give a 32-bit Arm program",
		}
	}
	h := new(elfHeader)
	switch data := elf.Data(ident[elf.EI_DATA]); data {
	case elf.ELFDATA2LSB:
		h.order = binary.LittleEndian
	case elf.ELFDATA2MSB:
		h.order = binary.BigEndian
	default:
		return nil, &FormatError{
			Problem: fmt.Sprintf("is an ELF file of the unknown byte order %d", data),
			Remedy:  "give a 32-bit Arm program",
		}
	}
	b, err := f.read(0, uint64(binary.Size(h.Header32)), "ELF header")
	if err != nil {
		return nil, err
	}
	_, err = binary.Decode(b, h.order, &h.Header32)
	return h, err
}

// checkKind refuses other machines, files that are no linked programs, and data
// in big-endian order.
func (h *elfHeader) checkKind(base *schema.Address) error {
	if m := elf.Machine(h.Machine); m != elf.EM_ARM {
		return &FormatError{
			Problem: fmt.Sprintf("is an ELF file for another machine, %v", m),
			Remedy:  "give the Arm program that ran",
		}
	}
	if h.order == binary.BigEndian && h.Flags&efARMBE8 == 0 {
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
		return &FormatError{
			Problem: "is an object file (ET_REL), which has no addresses yet",
			Remedy:  "give the linked program",
		}
	default:
		return &FormatError{Problem: fmt.Sprintf("is an ELF file of type %v", t), Remedy: "give the linked program"}
	}
	return nil
}

// checkTables refuses header tables that do not fit the file, and those inside
// the file header, where [parseELF] changes what debug/elf sees.
func (h *elfHeader) checkTables(f File) error {
	end := uint32(binary.Size(h.Header32))
	if h.Phnum > 0 && h.Phoff < end || h.Shnum > 0 && h.Shoff < end {
		return &FormatError{Problem: "has a header table inside its file header", Remedy: "the file is damaged"}
	}
	if h.Phnum > 0 && int(h.Phentsize) < binary.Size(elf.Prog32{}) {
		return &FormatError{
			Problem: fmt.Sprintf("has a program header table with entries of %d bytes", h.Phentsize),
			Remedy:  "the file is damaged",
		}
	}
	if err := f.fits(uint64(h.Phoff), uint64(h.Phnum)*uint64(h.Phentsize), "program header table"); err != nil {
		return err
	}
	return f.fits(uint64(h.Shoff), uint64(h.Shnum)*uint64(h.Shentsize), "section header table")
}

// parseELF reads the header tables with debug/elf, which is not hardened: it
// gets a file that ends where it should, and its panics become errors.
//
// Nor does it see e_shstrndx. Section names are not needed here, and could take
// memory out of all proportion: their table may be compressed, and each of 65535
// sections may be named by nearly all of it. And where e_shnum is 0 there are no
// sections, rather than as many as the first of them says.
func parseELF(f File, h *elfHeader) (e *elf.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			e, err = nil, damagedELF(p)
		}
	}()
	seen := h.Header32
	seen.Shstrndx = 0
	if seen.Shnum == 0 {
		seen.Shoff = 0
	}
	head, err := binary.Append(nil, h.order, seen)
	if err != nil {
		return nil, err
	}
	e, err = elf.NewFile(reheaded{io.NewSectionReader(f.Data, 0, f.Size), head})
	if _, ok := errors.AsType[*elf.FormatError](err); ok || errors.Is(err, io.EOF) {
		return nil, damagedELF(err)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", f.Name, err)
	}
	return e, nil
}

// damagedELF returns the error for a file that debug/elf cannot read.
func damagedELF(why any) error {
	return &FormatError{Problem: fmt.Sprintf("has unreadable ELF headers (%v)", why), Remedy: "the file is damaged"}
}

// A reheaded file has other bytes at its start.
type reheaded struct {
	io.ReaderAt
	head []byte
}

func (r reheaded) ReadAt(b []byte, off int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(b, off)
	if off < int64(len(r.head)) {
		copy(b[:n], r.head[off:])
	}
	return n, err
}

// loadSegments reads the PT_LOAD segments. Segments may share bytes of the file,
// but all together take at most twice its size: memory is bounded by the input.
func loadSegments(f File, e *elf.File, base *schema.Address) ([]Region, error) {
	var regions []Region
	var total uint64
	skipped := false
	for i, p := range e.Progs {
		if p.Type != elf.PT_LOAD || p.Filesz == 0 {
			continue
		}
		if e.Data == elf.ELFDATA2MSB && p.Flags&elf.PF_X == 0 {
			skipped = true
			continue
		}
		address := p.Vaddr
		if base != nil {
			address += uint64(*base)
		}
		total += p.Filesz
		switch {
		case address > schema.End32 || address+p.Filesz > schema.End32:
			return nil, &FormatError{
				Problem: fmt.Sprintf("loads %#x bytes at address %#x (segment %d), which go beyond 2³²", p.Filesz, address, i),
				Remedy:  "the file is damaged, or its @BASE is wrong",
			}
		case total > MaxLoad || total > 2*uint64(f.Size):
			return nil, &FormatError{
				Problem: fmt.Sprintf("loads more than %d bytes up to its segment %d", min(MaxLoad, 2*f.Size), i),
				Remedy:  "the file is damaged",
			}
		}
		b, err := f.read(p.Off, p.Filesz, fmt.Sprintf("segment %d", i))
		if err != nil {
			return nil, err
		}
		regions = append(regions, Region{File: f.Name, SHA256: f.SHA256, Address: schema.Address(address), Bytes: b})
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

// buildID returns the GNU build ID in hex, from a note segment or else, where a
// linker script has no such segments, a note section. It is "" if there is none
// that can be read.
func buildID(f File, e *elf.File) string {
	left := uint64(maxNotes)
	for _, p := range e.Progs {
		if p.Type == elf.PT_NOTE {
			if id := buildIDAt(f, e.ByteOrder, p.Off, p.Filesz, &left); id != "" {
				return id
			}
		}
	}
	for _, s := range e.Sections {
		if s.Type == elf.SHT_NOTE {
			if id := buildIDAt(f, e.ByteOrder, s.Offset, s.FileSize, &left); id != "" {
				return id
			}
		}
	}
	return ""
}

// buildIDAt looks for the build ID in the notes in a range of the file. A note has
// the sizes of name and descriptor, a type, and both, padded to words. left is how
// many bytes may still be searched.
func buildIDAt(f File, order binary.ByteOrder, off, size uint64, left *uint64) string {
	if size > *left {
		return ""
	}
	*left -= size
	b, err := f.read(off, size, "note")
	if err != nil {
		return ""
	}
	pad := func(n uint32) uint64 { return (uint64(n) + 3) &^ 3 }
	for len(b) >= 12 {
		name, desc, kind := order.Uint32(b), order.Uint32(b[4:]), order.Uint32(b[8:])
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
