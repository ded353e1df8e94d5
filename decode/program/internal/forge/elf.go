// Package forge makes program files by hand, right ones and damaged ones. Only
// tests import it.
package forge

import (
	"debug/elf"
	"encoding/binary"
)

// A File is an ELF file for 32-bit Arm; its zero value has no sections but those
// of names.
type File struct {
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
	Address uint32
	Data    []byte
}

// A Symbol is a symbol of a section.
type Symbol struct {
	Name    string
	Value   uint32 // with the T bit
	Size    uint32
	Type    elf.SymType
	Binding elf.SymBind
	Section string // "" is absolute
}

// Code is a section of code.
func Code(name string, address uint32, data []byte) Section {
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

// headerSize is the size of the file header.
const headerSize = 52

// A table is the section headers and what they describe.
type table struct {
	body    []byte // after the file header
	headers []elf.Section32
	names   []byte
}

func (t *table) add(s Section, link, entry uint32) {
	kind := s.Type
	if kind == 0 {
		kind = elf.SHT_PROGBITS
	}
	t.headers = append(t.headers, elf.Section32{
		Name: uint32(len(t.names)), Type: uint32(kind), Flags: uint32(s.Flags), Addr: s.Address,
		Off: headerSize + uint32(len(t.body)), Size: uint32(len(s.Data)), Link: link, Entsize: entry, Addralign: 1,
	})
	t.body = append(t.body, s.Data...)
	t.names = append(append(t.names, s.Name...), 0)
}

// Bytes returns the file.
func (f File) Bytes() []byte {
	t := &table{names: []byte{0}, headers: make([]elf.Section32, 1)}
	for _, s := range f.Sections {
		t.add(s, 0, 0)
	}
	if f.Symbols != nil {
		entries, names := f.symbols()
		t.add(Section{Name: ".symtab", Type: elf.SHT_SYMTAB, Data: entries}, uint32(len(t.headers)+1), 16)
		t.add(Section{Name: ".strtab", Type: elf.SHT_STRTAB, Data: names}, 0, 0)
	}
	t.names = append(t.names, ".shstrtab\x00"...)
	t.add(Section{Type: elf.SHT_STRTAB, Data: t.names}, 0, 0)
	header := elf.Header32{
		Ident: [16]byte{0x7F, 'E', 'L', 'F', 1, 1, 1}, Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_ARM), Version: 1,
		Shoff: headerSize + uint32(len(t.body)), Ehsize: headerSize, Phentsize: 32, Shentsize: 40,
		Shnum: uint16(len(t.headers)), Shstrndx: uint16(len(t.headers) - 1),
	}
	if f.Type != 0 {
		header.Type = uint16(f.Type)
	}
	return encode(&header, t.body, t.headers)
}

// encode appends values to one another.
func encode(values ...any) []byte {
	var b []byte
	for _, v := range values {
		var err error
		if b, err = binary.Append(b, binary.LittleEndian, v); err != nil {
			panic(err) // a value of no fixed size
		}
	}
	return b
}

// symbols returns the entries and names of the symbols, which share equal ones.
func (f File) symbols() (entries, names []byte) {
	entries, names = make([]byte, 16), []byte{0}
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
		entries = append(entries, encode(elf.Sym32{
			Name: offsets[s.Name], Value: s.Value, Size: s.Size, Info: elf.ST_INFO(s.Binding, s.Type), Shndx: index,
		})...)
	}
	if f.Endless {
		names = names[:len(names)-1]
	}
	return entries, names
}
