package image

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/tracelake/tracelake/schema"
)

// efARMBE8 is EF_ARM_BE8: data is big-endian, code is little-endian.
const efARMBE8 = 0x00800000

// ntGNUBuildID is the type of the note that holds the build ID.
const ntGNUBuildID = 3

// ReadELF reads the bytes that an Arm ELF file, of AArch32 or AArch64, loads into memory
// (§8): for each PT_LOAD segment those that are in the file, at its virtual address. What
// is only cleared at start is no memory here. Of a big-endian image (BE8, or of AArch64) it
// takes executable segments, since code is little-endian there.
//
// base is where a position-independent image was loaded; it is nil for others.
// A file of another kind is a [*FormatError] that names what it is, and so is a
// damaged one.
func ReadELF(f File, base *schema.Address) ([]Region, error) {
	e, h, err := openELF(f, base)
	if err != nil {
		return nil, err
	}
	regions, err := loadSegments(f, h, e, base)
	if err != nil {
		return nil, err
	}
	id, profile := buildID(f, e), profileOf(f, e)
	for i := range regions {
		regions[i].BuildID, regions[i].AArch64, regions[i].Profile = id, isAArch64(e), profile
	}
	return regions, nil
}

func isAArch64(e *elf.File) bool { return e.Machine == elf.EM_AARCH64 }

// openELF reads the headers of a program that is of the right kind.
func openELF(f File, base *schema.Address) (*elf.File, *elfHeader, error) {
	h, err := readHeader(f)
	if err != nil {
		return nil, nil, err
	}
	if err := h.checkCode(); err != nil {
		return nil, nil, err
	}
	if err := h.checkType(f.Placed, base); err != nil {
		return nil, nil, err
	}
	e, err := parseELF(f, h)
	return e, h, err
}

// An elfHeader is the file header: debug/elf does not return all of it, and some
// of it is needed before.
type elfHeader struct {
	elf.Header64 // of either class
	class        *elfClass
	order        binary.ByteOrder
	raw          []byte
}

// An elfClass is what a class of files has of its own.
type elfClass struct {
	header, program     uint64 // sizes of the file header and of a program header
	sectionTable, names int    // offsets of e_shoff and e_shstrndx
	word                int    // size of an address
	top                 uint64 // addresses end here
	topWords            string
}

var (
	class32 = &elfClass{
		header: 52, program: 32, sectionTable: 32, names: 50, word: 4, top: schema.End32, topWords: "2³²",
	}
	class64 = &elfClass{
		header: 64, program: 56, sectionTable: 40, names: 62, word: 8, top: math.MaxUint64, topWords: "2⁶⁴",
	}
)

// giveArm is the remedy for a file that is no program of an Arm core.
const giveArm = "give the Arm program that ran"

// readHeader reads the file header and refuses what is no ELF file.
func readHeader(f File) (*elfHeader, error) {
	ident, err := f.read(0, elf.EI_NIDENT, "ELF identification")
	if err != nil || !bytes.HasPrefix(ident, []byte(elf.ELFMAG)) {
		if _, ok := errors.AsType[*FormatError](err); err != nil && !ok {
			return nil, err
		}
		return nil, &FormatError{Problem: "is no ELF file", Remedy: "give a plain binary with --image FILE@ADDR"}
	}
	h := new(elfHeader)
	switch class := elf.Class(ident[elf.EI_CLASS]); class {
	case elf.ELFCLASS32:
		h.class = class32
	case elf.ELFCLASS64:
		h.class = class64
	default:
		return nil, &FormatError{Problem: fmt.Sprintf("is an ELF file of the unknown class %d", class), Remedy: giveArm}
	}
	switch data := elf.Data(ident[elf.EI_DATA]); data {
	case elf.ELFDATA2LSB:
		h.order = binary.LittleEndian
	case elf.ELFDATA2MSB:
		h.order = binary.BigEndian
	default:
		return nil, &FormatError{
			Problem: fmt.Sprintf("is an ELF file of the unknown byte order %d", data), Remedy: giveArm,
		}
	}
	if h.raw, err = f.read(0, h.class.header, "ELF header"); err != nil {
		return nil, err
	}
	return h, h.decode()
}

// decode reads the fields of the header.
func (h *elfHeader) decode() error {
	if h.class == class64 {
		_, err := binary.Decode(h.raw, h.order, &h.Header64)
		return err
	}
	var narrow elf.Header32
	_, err := binary.Decode(h.raw, h.order, &narrow)
	h.Header64 = elf.Header64{
		Ident: narrow.Ident, Type: narrow.Type, Machine: narrow.Machine, Version: narrow.Version,
		Entry: uint64(narrow.Entry), Phoff: uint64(narrow.Phoff), Shoff: uint64(narrow.Shoff), Flags: narrow.Flags,
		Ehsize: narrow.Ehsize, Phentsize: narrow.Phentsize, Phnum: narrow.Phnum,
		Shentsize: narrow.Shentsize, Shnum: narrow.Shnum, Shstrndx: narrow.Shstrndx,
	}
	return err
}

// headless returns the bytes of the header without what [parseELF] keeps from debug/elf.
func (h *elfHeader) headless() []byte {
	head := bytes.Clone(h.raw)
	clear(head[h.class.names:][:2])
	if h.Shnum == 0 {
		clear(head[h.class.sectionTable:][:h.class.word])
	}
	return head
}

// checkMachine refuses other machines. ELF32 files of AArch64 are of ILP32: the same code.
func (h *elfHeader) checkMachine() error {
	m := elf.Machine(h.Machine)
	switch {
	case m == elf.EM_AARCH64, m == elf.EM_ARM && h.class == class32:
		return nil
	case m == elf.EM_ARM:
		return &FormatError{Problem: "is a 64-bit ELF file for EM_ARM, which has 32", Remedy: giveArm}
	}
	return &FormatError{Problem: fmt.Sprintf("is an ELF file for another machine, %v", m), Remedy: giveArm}
}

// checkCode refuses other machines, and code in big-endian order.
func (h *elfHeader) checkCode() error {
	if err := h.checkMachine(); err != nil {
		return err
	}
	if h.order == binary.BigEndian && elf.Machine(h.Machine) == elf.EM_ARM && h.Flags&efARMBE8 == 0 {
		return &FormatError{Problem: "is a big-endian (BE32) image", Remedy: "only little-endian and BE8 images are read"}
	}
	return nil
}

// checkType refuses files that are no linked programs, and a base that does not fit.
func (h *elfHeader) checkType(placed bool, base *schema.Address) error {
	switch t := elf.Type(h.Type); t {
	case elf.ET_EXEC:
		if base != nil && !placed {
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

// pnXNUM is PN_XNUM: the number is in the first section header. Linked programs have a few.
const pnXNUM = 0xFFFF

// checkTables refuses header tables that do not fit the file, and those inside
// the file header, where [parseELF] changes what debug/elf sees.
func (h *elfHeader) checkTables(f File) error {
	end := h.class.header
	if h.Phnum == pnXNUM {
		return &FormatError{
			Problem: "has 65,535 program headers or more (e_phnum is PN_XNUM)",
			Remedy:  "give the linked program, not what was dumped of its memory",
		}
	}
	if h.Phnum > 0 && h.Phoff < end || h.Shnum > 0 && h.Shoff < end {
		return &FormatError{Problem: "has a header table inside its file header", Remedy: "the file is damaged"}
	}
	if h.Phnum > 0 && uint64(h.Phentsize) < h.class.program {
		return &FormatError{
			Problem: fmt.Sprintf("has a program header table with entries of %d bytes", h.Phentsize),
			Remedy:  "the file is damaged",
		}
	}
	if err := f.fits(h.Phoff, uint64(h.Phnum)*uint64(h.Phentsize), "program header table"); err != nil {
		return err
	}
	return f.fits(h.Shoff, uint64(h.Shnum)*uint64(h.Shentsize), "section header table")
}

// parseELF reads the header tables with debug/elf, which is not hardened: it
// gets a file that ends where it should, and its panics become errors.
//
// Nor does it see e_shstrndx. Section names are not needed here, and could take
// memory out of all proportion: their table may be compressed, and each of 65535
// sections may be named by nearly all of it. And where e_shnum is 0 there are no
// sections, rather than as many as the first of them says.
func parseELF(f File, h *elfHeader) (e *elf.File, err error) {
	if err := h.checkTables(f); err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil {
			e, err = nil, damagedELF(p)
		}
	}()
	e, err = elf.NewFile(reheaded{io.NewSectionReader(f.Data, 0, f.Size), h.headless()})
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
func loadSegments(f File, h *elfHeader, e *elf.File, base *schema.Address) ([]Region, error) {
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
		address, ok := h.placed(p.Vaddr, p.Filesz, base)
		total += p.Filesz
		switch {
		case !ok:
			return nil, &FormatError{
				Problem: fmt.Sprintf("loads %#x bytes at address %#x (segment %d), which go beyond %s", p.Filesz, address, i,
					h.class.topWords),
				Remedy: "the file is damaged, or its @BASE is wrong",
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
			problem = "is a big-endian image without an executable PT_LOAD segment"
		}
		return nil, &FormatError{Problem: problem, Remedy: "give the linked program, not a file of symbols only"}
	}
	return regions, nil
}

// placed returns where size bytes at an address are loaded, and whether they fit below the
// end of the addresses.
func (h *elfHeader) placed(address, size uint64, base *schema.Address) (uint64, bool) {
	moved := address
	if base != nil {
		moved += uint64(*base)
	}
	return moved, moved >= address && moved <= h.class.top && size <= h.class.top-moved
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
