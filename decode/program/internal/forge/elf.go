// Package forge makes program files by hand, right ones and damaged ones. Only
// tests import it.
package forge

import (
	"debug/elf"
	"encoding/binary"
)

// A File is an ELF file for 32-bit Arm, or of AArch64; its zero value has no sections but
// those of names.
type File struct {
	AArch64  bool
	Big      bool     // the headers are big-endian
	Type     elf.Type // zero is ET_EXEC
	Sections []Section
	Symbols  []Symbol
	Endless  bool // the last symbol's name has no zero byte at its end
}

// A Section is a section; zero is PROGBITS, in no memory.
type Section struct {
	Name    string
	Type    elf.SectionType
	Flags   elf.SectionFlag
	Address uint64
	Data    []byte
}

// A Symbol is a symbol of a section.
type Symbol struct {
	Name    string
	Value   uint64 // with the T bit
	Size    uint64
	Type    elf.SymType
	Binding elf.SymBind
	Section string // "" is absolute
}

// Code is a section of code.
func Code(name string, address uint64, data []byte) Section {
	return Section{Name: name, Flags: elf.SHF_ALLOC | elf.SHF_EXECINSTR, Address: address, Data: data}
}

// A32 returns words of code.
func A32(words ...uint32) []byte {
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// T32 returns halfwords of code.
func T32(halfwords ...uint16) []byte {
	var b []byte
	for _, h := range halfwords {
		b = binary.LittleEndian.AppendUint16(b, h)
	}
	return b
}

// A table is the section headers and what they describe.
type table struct {
	headerSize uint64 // of the file header
	body       []byte // after it
	headers    []elf.Section64
	names      []byte
}

func (t *table) add(s Section, link uint32, entry uint64) {
	kind := s.Type
	if kind == 0 {
		kind = elf.SHT_PROGBITS
	}
	t.headers = append(t.headers, elf.Section64{
		Name: uint32(len(t.names)), Type: uint32(kind), Flags: uint64(s.Flags), Addr: s.Address,
		Off: t.headerSize + uint64(len(t.body)), Size: uint64(len(s.Data)), Link: link, Entsize: entry, Addralign: 1,
	})
	t.body = append(t.body, s.Data...)
	t.names = append(append(t.names, s.Name...), 0)
}

// Bytes returns the file.
func (f File) Bytes() []byte {
	t := &table{names: []byte{0}, headers: make([]elf.Section64, 1), headerSize: 52}
	if f.AArch64 {
		t.headerSize = 64
	}
	for _, s := range f.Sections {
		t.add(s, 0, 0)
	}
	if f.Symbols != nil {
		entries, names := f.symbols()
		t.add(Section{Name: ".symtab", Type: elf.SHT_SYMTAB, Data: entries}, uint32(len(t.headers)+1), f.symbolSize())
		t.add(Section{Name: ".strtab", Type: elf.SHT_STRTAB, Data: names}, 0, 0)
	}
	t.names = append(t.names, ".shstrtab\x00"...)
	t.add(Section{Type: elf.SHT_STRTAB, Data: t.names}, 0, 0)
	kind := f.Type
	if kind == 0 {
		kind = elf.ET_EXEC
	}
	return f.file(t, kind)
}

// file puts the file together.
func (f File) file(t *table, kind elf.Type) []byte {
	ident := [16]byte{0x7F, 'E', 'L', 'F', 1, 1, 1}
	if f.Big {
		ident[elf.EI_DATA] = byte(elf.ELFDATA2MSB)
	}
	sections, count := t.headerSize+uint64(len(t.body)), uint16(len(t.headers))
	if f.AArch64 {
		ident[elf.EI_CLASS] = byte(elf.ELFCLASS64)
		return f.encode(elf.Header64{
			Ident: ident, Type: uint16(kind), Machine: uint16(elf.EM_AARCH64), Version: 1, Shoff: sections,
			Ehsize: uint16(t.headerSize), Phentsize: 56, Shentsize: 64, Shnum: count, Shstrndx: count - 1,
		}, t.body, t.headers)
	}
	narrow := make([]elf.Section32, count)
	for i, h := range t.headers {
		narrow[i] = elf.Section32{
			Name: h.Name, Type: h.Type, Flags: uint32(h.Flags), Addr: uint32(h.Addr), Off: uint32(h.Off),
			Size: uint32(h.Size), Link: h.Link, Info: h.Info, Addralign: uint32(h.Addralign), Entsize: uint32(h.Entsize),
		}
	}
	return f.encode(elf.Header32{
		Ident: ident, Type: uint16(kind), Machine: uint16(elf.EM_ARM), Version: 1, Shoff: uint32(sections),
		Ehsize: uint16(t.headerSize), Phentsize: 32, Shentsize: 40, Shnum: count, Shstrndx: count - 1,
	}, t.body, narrow)
}

// encode appends values to one another, in the byte order of the file.
func (f File) encode(values ...any) []byte {
	if f.Big {
		return encode(binary.BigEndian, values...)
	}
	return encode(binary.LittleEndian, values...)
}

func encode(order binary.ByteOrder, values ...any) []byte {
	var b []byte
	for _, v := range values {
		var err error
		if b, err = binary.Append(b, order, v); err != nil {
			panic(err) // a value of no fixed size
		}
	}
	return b
}

// symbolSize is the size of an entry of the symbol table.
func (f File) symbolSize() uint64 {
	if f.AArch64 {
		return elf.Sym64Size
	}
	return elf.Sym32Size
}

// symbols returns the entries and names of the symbols, which share equal ones.
func (f File) symbols() (entries, names []byte) {
	entries, names = make([]byte, f.symbolSize()), []byte{0}
	sections, offsets := map[string]uint16{}, map[string]uint32{}
	for i, s := range f.Sections {
		sections[s.Name] = uint16(i + 1)
	}
	for _, s := range f.Symbols {
		index, ok := sections[s.Section]
		if !ok {
			index = uint16(elf.SHN_ABS)
		}
		if _, ok := offsets[s.Name]; !ok {
			offsets[s.Name] = uint32(len(names))
			names = append(append(names, s.Name...), 0)
		}
		entries = append(entries, f.symbol(s, offsets[s.Name], index)...)
	}
	if f.Endless {
		names = names[:len(names)-1]
	}
	return entries, names
}

// symbol returns the entry of a symbol.
func (f File) symbol(s Symbol, name uint32, section uint16) []byte {
	info := elf.ST_INFO(s.Binding, s.Type)
	if f.AArch64 {
		return f.encode(elf.Sym64{Name: name, Info: info, Shndx: section, Value: s.Value, Size: s.Size})
	}
	return f.encode(elf.Sym32{Name: name, Value: uint32(s.Value), Size: uint32(s.Size), Info: info, Shndx: section})
}
