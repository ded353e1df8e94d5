package image

import (
	"debug/elf"
	"fmt"
	"slices"

	"github.com/tracelake/tracelake/schema"
)

// A Mapped is a program file as an operating system maps it: ranges of the file, anywhere in
// memory. [ReadELF] is for a program whose addresses are known.
type Mapped struct {
	File
	BuildID  string // in hex, "" without
	Segments []Segment

	elf     *elf.File // nil of [NewMapped]
	aarch64 bool
	profile byte
}

// A Segment is what the file has of an executable PT_LOAD segment.
type Segment struct {
	Offset  uint64 // in the file
	Address uint64 // that the linker gave it
	Size    uint64 // in bytes
	Bytes   []byte // nil until [Mapped.Load]
}

// OpenMapped reads the headers of a linked program, a shared object or a core (ET_CORE: what
// /proc/kcore has of a kernel). It refuses other files as [ReadELF] does, and those without code, but for
// files for debuggers, which have the symbols of a program: they have no segments.
func OpenMapped(f File) (*Mapped, error) {
	h, err := readHeader(f)
	if err != nil {
		return nil, err
	}
	if err := h.checkCode(); err != nil {
		return nil, err
	}
	if err := h.checkMapped(); err != nil {
		return nil, err
	}
	e, err := parseELF(f, h)
	if err != nil {
		return nil, err
	}
	m := &Mapped{File: f, BuildID: buildID(f, e), elf: e, aarch64: isAArch64(e), profile: profileOf(f, e)}
	return m, m.findSegments()
}

// NewMapped takes all of a file that is no ELF file as code, without addresses of its own.
func NewMapped(f File, aarch64 bool) (*Mapped, error) {
	if f.Size > MaxLoad {
		return nil, &FormatError{
			Problem: fmt.Sprintf("has %d bytes, more than the limit of %d", f.Size, MaxLoad), Remedy: "record a shorter time",
		}
	}
	return &Mapped{File: f, aarch64: aarch64, Segments: []Segment{{Size: uint64(f.Size)}}}, nil
}

// checkMapped refuses files that nothing maps as they are.
func (h *elfHeader) checkMapped() error {
	switch t := elf.Type(h.Type); t {
	case elf.ET_EXEC, elf.ET_DYN, elf.ET_CORE:
		return nil
	case elf.ET_REL:
		return &FormatError{
			Problem: "is an object file (ET_REL), whose code has no addresses before it is loaded",
			Remedy:  "of a kernel module, give what was loaded: --kcore FILE",
		}
	default:
		return &FormatError{Problem: fmt.Sprintf("is an ELF file of type %v", t), Remedy: "give the linked program"}
	}
}

// findSegments lists the executable segments, which together are no longer than [ReadELF] allows.
func (m *Mapped) findSegments() error {
	var total uint64
	for i, p := range m.elf.Progs {
		if p.Type != elf.PT_LOAD || p.Flags&elf.PF_X == 0 || p.Filesz == 0 {
			continue
		}
		if err := m.fits(p.Off, p.Filesz, fmt.Sprintf("segment %d", i)); err != nil {
			return err
		}
		if total += p.Filesz; total > min(MaxLoad, 2*uint64(m.Size)) {
			return &FormatError{
				Problem: fmt.Sprintf("loads more than %d bytes up to its segment %d", min(MaxLoad, 2*m.Size), i),
				Remedy:  "the file is damaged",
			}
		}
		m.Segments = append(m.Segments, Segment{Offset: p.Off, Address: p.Vaddr, Size: p.Filesz})
	}
	if m.codeless() {
		m.Segments = nil
	} else if len(m.Segments) == 0 {
		return ErrNoCode
	}
	return nil
}

// ErrNoCode is the error for a file without code.
var ErrNoCode = &FormatError{Problem: "has no code", Remedy: "give the program itself, not a file of its symbols only"}

// codeless reports whether a section of code is not in the file: debuggers' files have the
// program headers of the program they are of, but not its bytes.
func (m *Mapped) codeless() bool {
	const code = elf.SHF_ALLOC | elf.SHF_EXECINSTR
	return slices.ContainsFunc(m.elf.Sections, func(s *elf.Section) bool {
		return s.Type == elf.SHT_NOBITS && s.Flags&code == code && s.Size > 0
	})
}

// Extent returns where the linker put the segments: from the first address of them to the one after the last.
func (m *Mapped) Extent() (from, to uint64) {
	from = m.Segments[0].Address
	for i := range m.Segments {
		s := &m.Segments[i]
		from, to = min(from, s.Address), max(to, s.Address+s.Size)
	}
	return from, to
}

// Load reads the bytes of the segments. All regions share them.
func (m *Mapped) Load() error {
	for i := range m.Segments {
		s := &m.Segments[i]
		b, err := m.read(s.Offset, s.Size, "code")
		if err != nil {
			return err
		}
		s.Bytes = b
	}
	return nil
}

// At returns the code that size bytes of the file from offset on have, which are mapped at an
// address.
func (m *Mapped) At(address schema.Address, offset, size uint64) []Region {
	var regions []Region
	for i := range m.Segments {
		s := &m.Segments[i]
		if r, ok := m.region(s, s.Offset, offset, size, uint64(address)-offset); ok {
			regions = append(regions, r)
		}
	}
	return regions
}

// Bias returns by how much more than the linker's the addresses are (modulo 2⁶⁴) in the first
// segment that has one of size bytes of the file from offset on, which are mapped at an address.
func (m *Mapped) Bias(address schema.Address, offset, size uint64) uint64 {
	for _, s := range m.Segments {
		if s.Offset-offset < size || offset-s.Offset < s.Size {
			return uint64(address) - offset + s.Offset - s.Address
		}
	}
	return 0
}

// Moved returns the code that is in size bytes from an address on, if all of the file is bias
// bytes (modulo 2⁶⁴) after where the linker put it.
func (m *Mapped) Moved(bias uint64, address schema.Address, size uint64) []Region {
	var regions []Region
	for i := range m.Segments {
		s := &m.Segments[i]
		if r, ok := m.region(s, s.Address, uint64(address)-bias, size, bias); ok {
			regions = append(regions, r)
		}
	}
	return regions
}

// region returns what a segment, which starts at a position, has of size bytes from another one
// on. moved is from positions to addresses. All are modulo 2⁶⁴: a bias may go below 0.
func (m *Mapped) region(s *Segment, start, from, size, moved uint64) (Region, bool) {
	skipped := uint64(0) // bytes of s before from
	if before := start - from; before < size {
		size -= before
	} else if skipped = from - start; skipped >= s.Size {
		return Region{}, false
	}
	bytes := s.Bytes[skipped:]
	bytes = bytes[:min(size, uint64(len(bytes)))]
	address := start + skipped + moved
	if room := uint64(schema.MaxAddress) - address; uint64(len(bytes)) > room {
		bytes = bytes[:room] // no region has the last address
	}
	return Region{
		File: m.Name, SHA256: m.SHA256, BuildID: m.BuildID, AArch64: m.aarch64, Profile: m.profile,
		Address: schema.Address(address), Bytes: slices.Clip(bytes),
	}, len(bytes) > 0
}

// Symbol returns the address of a symbol, as linked, and whether the file has it. It keeps
// nothing of the symbol table, which of a kernel is large.
func (m *Mapped) Symbol(name string) (uint64, bool) {
	if m.elf == nil {
		return 0, false
	}
	value, size := 4, 16 // of an entry: where the address is, and how long it is
	if m.elf.Class == elf.ELFCLASS64 {
		value, size = 8, 24
	}
	table, names := m.symbols()
	for ; len(table) >= size; table = table[size:] {
		if hasName(names, m.elf.ByteOrder.Uint32(table), name) {
			return m.word(table[value:]), true
		}
	}
	return 0, false
}

// symbols returns the symbol table and the names in it; nil if the file has none that can be read.
func (m *Mapped) symbols() (table, names []byte) {
	i := slices.IndexFunc(m.elf.Sections, func(s *elf.Section) bool { return s.Type == elf.SHT_SYMTAB })
	if i < 0 || m.elf.Sections[i].Link >= uint32(len(m.elf.Sections)) {
		return nil, nil
	}
	s := m.elf.Sections[i]
	t := m.elf.Sections[s.Link]
	if s.FileSize > MaxLoad || t.FileSize > MaxLoad {
		return nil, nil
	}
	table, err := m.read(s.Offset, s.FileSize, "symbol table")
	if err != nil {
		return nil, nil
	}
	if names, err = m.read(t.Offset, t.FileSize, "names of symbols"); err != nil {
		return nil, nil
	}
	return table, names
}

// hasName reports whether text has a name, and its end, at an offset.
func hasName(text []byte, at uint32, name string) bool {
	rest := text[min(uint64(at), uint64(len(text))):]
	return len(rest) > len(name) && string(rest[:len(name)]) == name && rest[len(name)] == 0
}

// word reads an address of the file's class.
func (m *Mapped) word(b []byte) uint64 {
	if m.elf.Class == elf.ELFCLASS64 {
		return m.elf.ByteOrder.Uint64(b)
	}
	return uint64(m.elf.ByteOrder.Uint32(b))
}

// Core reports whether the file is what was in memory (ET_CORE): its addresses are those of it.
func (m *Mapped) Core() bool { return m.elf != nil && m.elf.Type == elf.ET_CORE }

// Linked reports whether the file is what a linker made, which may have symbols.
func (m *Mapped) Linked() bool { return m.elf != nil && !m.Core() }
