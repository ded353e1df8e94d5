// Package linker writes Arm ELF files of programs that are made up: what a linker would leave, with
// segments whose addresses in memory and offsets in the file go apart, a build ID and symbols.
//
// Its API is not stable (docs/guide/library.md).
package linker

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"slices"
	"strconv"
)

// A File is an ELF file, little-endian.
type File struct {
	AArch32  bool     // ELF32 of Arm, else ELF64 of AArch64
	Type     elf.Type // ET_EXEC; ET_DYN of what may lie anywhere; ET_CORE, without sections
	Entry    uint64
	Segments []Segment
	BuildID  []byte // nil: none
	Symbols  []Symbol
}

// A Segment is a PT_LOAD.
type Segment struct {
	Address uint64
	// Offset is where it is in the file, behind the headers of the file: congruent to Address modulo
	// a page.
	Offset uint64
	Flags  elf.ProgFlag
	Bytes  []byte
}

// A Symbol names an address.
type Symbol struct {
	Name          string
	Address, Size uint64
}

// PageBytes is the size of a page: what lies before the first offset of a segment is no less.
const PageBytes = 1 << 12

const (
	ntGNUBuildID = 3
	noteHead     = 16 // the note without the ID
)

// Place gives segments in ascending order of address offsets that differ from the address by more,
// the later a segment is, as lld does.
func Place(segments []Segment) []Segment {
	segments = slices.Clone(segments)
	next := uint64(PageBytes)
	for i := range segments {
		s := &segments[i]
		s.Offset = next + s.Address%PageBytes
		if s.Offset == s.Address {
			s.Offset += PageBytes
		}
		next = pageUp(s.Offset + uint64(len(s.Bytes)))
	}
	return segments
}

func pageUp(n uint64) uint64 { return (n + PageBytes - 1) &^ (PageBytes - 1) }

// Bytes is the file.
func (f *File) Bytes() []byte {
	w := &writer{f: f, b: make([]byte, f.headBytes())}
	note := f.note()
	noteAt := w.add(note)
	for _, s := range f.Segments {
		w.b = append(w.b, make([]byte, s.Offset-uint64(len(w.b)))...)
		w.b = append(w.b, s.Bytes...)
	}
	if f.Type != elf.ET_CORE {
		w.addSections(noteAt, uint64(len(note)))
	}
	head := f.header(w)
	for _, p := range f.programs(noteAt, uint64(len(note))) {
		head = append(head, f.program(&p)...)
	}
	copy(w.b, head)
	return w.b
}

// headBytes is the size of the file header and the program headers.
func (f *File) headBytes() int {
	n := len(f.Segments)
	if f.BuildID != nil {
		n++
	}
	if f.AArch32 {
		return binary.Size(elf.Header32{}) + n*binary.Size(elf.Prog32{})
	}
	return binary.Size(elf.Header64{}) + n*binary.Size(elf.Prog64{})
}

// note is the note of the build ID.
func (f *File) note() []byte {
	if f.BuildID == nil {
		return nil
	}
	b := pack(uint32(len("GNU\x00")), uint32(len(f.BuildID)), uint32(ntGNUBuildID), []byte("GNU\x00"), f.BuildID)
	return append(b, make([]byte, -len(b)&3)...)
}

func (f *File) programs(noteAt, noteBytes uint64) []elf.Prog64 {
	var programs []elf.Prog64
	for _, s := range f.Segments {
		n := uint64(len(s.Bytes))
		programs = append(programs, elf.Prog64{
			Type: uint32(elf.PT_LOAD), Flags: uint32(s.Flags), Off: s.Offset, Vaddr: s.Address, Paddr: s.Address,
			Filesz: n, Memsz: n, Align: PageBytes,
		})
	}
	if f.BuildID != nil {
		programs = append(programs, elf.Prog64{
			Type: uint32(elf.PT_NOTE), Flags: uint32(elf.PF_R), Off: noteAt, Filesz: noteBytes, Memsz: noteBytes, Align: 4,
		})
	}
	return programs
}

// program is a program header in the class of the file.
func (f *File) program(p *elf.Prog64) []byte {
	if !f.AArch32 {
		return pack(p)
	}
	return pack(&elf.Prog32{
		Type: p.Type, Off: uint32(p.Off), Vaddr: uint32(p.Vaddr), Paddr: uint32(p.Paddr), Filesz: uint32(p.Filesz),
		Memsz: uint32(p.Memsz), Flags: p.Flags, Align: uint32(p.Align),
	})
}

// header is the file header.
func (f *File) header(w *writer) []byte {
	h := elf.Header64{
		Type: uint16(f.Type), Machine: uint16(elf.EM_AARCH64), Version: uint32(elf.EV_CURRENT), Entry: f.Entry,
		Phoff: uint64(binary.Size(elf.Header64{})), Shoff: w.sectionsAt, Ehsize: uint16(binary.Size(elf.Header64{})),
		Phentsize: uint16(binary.Size(elf.Prog64{})), Phnum: uint16(len(f.programs(0, 0))),
		Shentsize: uint16(binary.Size(elf.Section64{})), Shnum: uint16(w.sections), Shstrndx: uint16(max(w.sections, 1) - 1),
	}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB)
	h.Ident[elf.EI_VERSION] = byte(elf.EV_CURRENT)
	if !f.AArch32 {
		return pack(&h)
	}
	const eabi5 = 5 << 24
	h.Ident[elf.EI_CLASS] = byte(elf.ELFCLASS32)
	return pack(&elf.Header32{
		Ident: h.Ident, Type: h.Type, Machine: uint16(elf.EM_ARM), Version: h.Version, Entry: uint32(h.Entry),
		Phoff: uint32(binary.Size(elf.Header32{})), Shoff: uint32(h.Shoff), Flags: eabi5,
		Ehsize: uint16(binary.Size(elf.Header32{})), Phentsize: uint16(binary.Size(elf.Prog32{})), Phnum: h.Phnum,
		Shentsize: uint16(binary.Size(elf.Section32{})), Shnum: h.Shnum, Shstrndx: h.Shstrndx,
	})
}

// A writer is a file that is being written.
type writer struct {
	f          *File
	b          []byte
	sectionsAt uint64
	sections   int
}

// add adds what lies on a multiple of 8, and returns where it is.
func (w *writer) add(b []byte) uint64 {
	w.b = append(w.b, make([]byte, -len(w.b)&7)...)
	at := uint64(len(w.b))
	w.b = append(w.b, b...)
	return at
}

// A table of strings is that of names in an ELF file.
type stringTable []byte

func (t *stringTable) add(s string) uint32 {
	at := uint32(len(*t))
	*t = append(append(*t, s...), 0)
	return at
}

// addSections adds the sections: the note, each executable segment, symbols and names.
func (w *writer) addSections(noteAt, noteBytes uint64) {
	names := stringTable{0}
	all := []elf.Section64{{}}
	add := func(name string, s elf.Section64) {
		s.Name = names.add(name)
		all = append(all, s)
	}
	if noteBytes > 0 {
		add(".note.gnu.build-id", elf.Section64{Type: uint32(elf.SHT_NOTE), Off: noteAt, Size: noteBytes, Addralign: 4})
	}
	for i, s := range w.f.Segments {
		if s.Flags&elf.PF_X != 0 {
			name := ".text"
			if i > 0 {
				name += "." + strconv.Itoa(i)
			}
			add(name, elf.Section64{
				Type: uint32(elf.SHT_PROGBITS), Flags: uint64(elf.SHF_ALLOC | elf.SHF_EXECINSTR), Addr: s.Address, Off: s.Offset,
				Size: uint64(len(s.Bytes)), Addralign: 4,
			})
		}
	}
	symbols, strings := w.f.symbols(all)
	add(".symtab", elf.Section64{
		Type: uint32(elf.SHT_SYMTAB), Off: w.add(symbols), Size: uint64(len(symbols)), Link: uint32(len(all) + 1), Info: 1,
		Addralign: 8, Entsize: uint64(len(symbols) / (1 + len(w.f.Symbols))),
	})
	add(".strtab", elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: w.add(strings), Size: uint64(len(strings)), Addralign: 1})
	const last = ".shstrtab"
	size := uint64(len(names) + len(last) + 1)
	add(last, elf.Section64{Type: uint32(elf.SHT_STRTAB), Size: size, Addralign: 1})
	all[len(all)-1].Off = w.add(names)
	var table []byte
	for i := range all {
		table = append(table, w.f.section(&all[i])...)
	}
	w.sectionsAt, w.sections = w.add(table), len(all)
}

// section is a section header in the class of the file.
func (f *File) section(s *elf.Section64) []byte {
	if !f.AArch32 {
		return pack(s)
	}
	return pack(&elf.Section32{
		Name: s.Name, Type: s.Type, Flags: uint32(s.Flags), Addr: uint32(s.Addr), Off: uint32(s.Off), Size: uint32(s.Size),
		Link: s.Link, Info: s.Info, Addralign: uint32(s.Addralign), Entsize: uint32(s.Entsize),
	})
}

// symbols are the table of symbols, global functions, and that of their names.
func (f *File) symbols(sections []elf.Section64) (table, names []byte) {
	strings := stringTable{0}
	const info = byte(elf.STB_GLOBAL)<<4 | byte(elf.STT_FUNC)
	table = f.symbol(&elf.Sym64{})
	for _, s := range f.Symbols {
		in := slices.IndexFunc(sections, func(x elf.Section64) bool {
			return x.Flags != 0 && s.Address >= x.Addr && s.Address-x.Addr < x.Size
		})
		table = append(table, f.symbol(&elf.Sym64{
			Name: strings.add(s.Name), Info: info, Shndx: uint16(max(in, 0)), Value: s.Address, Size: s.Size,
		})...)
	}
	return table, strings
}

// symbol is a symbol in the class of the file.
func (f *File) symbol(s *elf.Sym64) []byte {
	if !f.AArch32 {
		return pack(s)
	}
	return pack(&elf.Sym32{Name: s.Name, Value: uint32(s.Value), Size: uint32(s.Size), Info: s.Info, Shndx: s.Shndx})
}

// pack is values of fixed size in a row.
func pack(values ...any) []byte {
	var b bytes.Buffer
	for _, v := range values {
		// A buffer takes all that is written, and the values are of fixed size.
		_ = binary.Write(&b, binary.LittleEndian, v)
	}
	return b.Bytes()
}
