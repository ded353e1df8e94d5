package program

import (
	"cmp"
	"debug/elf"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/schema"
)

// Limits of a symbol table.
const (
	// maxName is how long the name of a symbol may be.
	maxName = 1 << 14
	// nameShare is how many bytes of names there may be for each byte of the
	// symbol table and its strings: symbols may share strings.
	nameShare = 16
)

// A symbolTable is the symbols of a file.
type symbolTable struct {
	functions []symbol // of type FUNC in sections of code
	labels    []symbol // without type in sections of code, but for mapping symbols
	marks     []mark   // mapping symbols of sections of code
}

// A symbol is a symbol in a section of code.
type symbol struct {
	Symbol
	section int // in the section header table
	thumb   bool
}

// A mark is a mapping symbol (IHI 0044, 4.5.5): the instruction set from an
// address on, or that there is data.
type mark struct {
	address schema.Address
	section int
	isa     schema.Null[schema.ISA] // NULL is data
}

// readSymbols reads the symbol table. A damaged one has no symbols, and a note.
func (p *Program) readSymbols(f image.File, e *image.ELF) *symbolTable {
	t := &symbolTable{}
	table := findTable(e)
	if table == nil {
		p.note("has no symbol table: it was stripped")
		return t
	}
	entries, err := readAt(f, table.Offset, table.FileSize, table.Name)
	if err == nil && table.Link >= uint32(len(e.Sections)) {
		err = damaged("has a symbol table without strings")
	}
	var text []byte
	if err == nil {
		strings := e.Sections[table.Link]
		text, err = readAt(f, strings.Offset, strings.FileSize, strings.Name)
	}
	if err != nil {
		p.note("section %s: %v: no symbols", table.Name, err)
		return t
	}
	p.addSymbols(t, e, entries, string(text))
	slices.SortStableFunc(p.Symbols, compareSymbols)
	return t
}

// compareSymbols orders symbols by address, then name.
func compareSymbols(a, b Symbol) int {
	return cmp.Or(cmp.Compare(a.Address, b.Address), strings.Compare(a.Name, b.Name))
}

// findTable returns the section of the symbol table, else of that of dynamic
// symbols, else nil.
func findTable(e *image.ELF) *elf.Section {
	for _, kind := range []elf.SectionType{elf.SHT_SYMTAB, elf.SHT_DYNSYM} {
		for _, s := range e.Sections {
			if s.Type == kind && s.Flags&elf.SHF_COMPRESSED == 0 {
				return s
			}
		}
	}
	return nil
}

// addSymbols reads the entries of a symbol table. debug/elf would copy each name:
// here all share the memory of the string table.
func (p *Program) addSymbols(t *symbolTable, e *image.ELF, entries []byte, text string) {
	read, symbolSize := readSymbol32, elf.Sym32Size
	if e.Class == elf.ELFCLASS64 {
		read, symbolSize = readSymbol64, elf.Sym64Size
	}
	left := nameShare * (len(entries) + len(text))
	code := map[int]*Section{}
	for i := range p.Sections {
		code[p.Sections[i].index] = &p.Sections[i]
	}
	for ; len(entries) >= symbolSize; entries = entries[symbolSize:] {
		s := read(entries, e.ByteOrder)
		if elf.SectionIndex(s.Shndx) == elf.SHN_UNDEF || int(s.Shndx) >= len(e.Sections) {
			continue // absolute, common, reserved
		}
		name, ok := nameAt(text, s.Name)
		if left -= len(name); left < 0 {
			p.note("section .symtab: names take more than %d times the bytes there are: damaged, the rest was left out",
				nameShare)
			return
		}
		if !ok {
			p.note("section .symtab: names of more than %d bytes or without end: their symbols were left out", maxName)
			continue
		}
		p.addSymbol(t, s, name, e.Sections[s.Shndx].Name, code[int(s.Shndx)])
	}
}

// readSymbol32 reads an entry of ELF32, all of whose bytes there are.
func readSymbol32(b []byte, order binary.ByteOrder) elf.Sym64 {
	return elf.Sym64{
		Name: order.Uint32(b), Value: uint64(order.Uint32(b[4:])), Size: uint64(order.Uint32(b[8:])),
		Info: b[12], Other: b[13], Shndx: order.Uint16(b[14:]),
	}
}

// readSymbol64 reads an entry of ELF64, whose fields have another order.
func readSymbol64(b []byte, order binary.ByteOrder) elf.Sym64 {
	return elf.Sym64{
		Name: order.Uint32(b), Info: b[4], Other: b[5], Shndx: order.Uint16(b[6:]),
		Value: order.Uint64(b[8:]), Size: order.Uint64(b[16:]),
	}
}

// nameAt returns the string at an offset of a string table, and whether it ends.
func nameAt(text string, at uint32) (string, bool) {
	rest := text[min(uint64(at), uint64(len(text))):]
	name, _, ok := strings.Cut(rest[:min(len(rest), maxName)], "\x00")
	return name, ok
}

// addSymbol adds one symbol of a section, of code or other.
func (p *Program) addSymbol(t *symbolTable, raw elf.Sym64, name, section string, code *Section) {
	if name == "" {
		return
	}
	address := schema.Address(raw.Value)
	s := symbol{
		Symbol: Symbol{
			Address: address, Size: uint32(min(raw.Size, math.MaxUint32)), Name: name, Section: section,
		},
		section: int(raw.Shndx),
	}
	switch elf.ST_BIND(raw.Info) {
	case elf.STB_LOCAL:
	case elf.STB_WEAK:
		s.Binding = schema.BindingWeak
	default:
		s.Binding = schema.BindingGlobal
	}
	switch kind := elf.ST_TYPE(raw.Info); {
	case kind == elf.STT_FUNC || kind == elf.STT_GNU_IFUNC:
		s.Kind = schema.SymbolFunction
		if !p.AArch64 {
			s.thumb = raw.Value&1 != 0
			s.Address &^= 1
		}
	case kind == elf.STT_OBJECT:
		s.Kind = schema.SymbolObject
	case kind != elf.STT_NOTYPE:
		return // a section, a file, thread-local
	default:
		if isa, ok := p.mapping(name); ok {
			if code != nil {
				t.marks = append(t.marks, mark{address, s.section, isa})
			}
			return
		}
		s.Kind = schema.SymbolLabel
	}
	p.Symbols = append(p.Symbols, s.Symbol)
	if code != nil && s.Address >= code.Address && uint64(s.Address) < code.end() { // none at its end
		t.add(s)
	}
}

// add adds a symbol of a section of code.
func (t *symbolTable) add(s symbol) {
	switch s.Kind {
	case schema.SymbolFunction:
		t.functions = append(t.functions, s)
	case schema.SymbolLabel:
		t.labels = append(t.labels, s)
	}
}

// mapping returns what a mapping symbol says (IHI 0044, 4.5.5): $a, $t, $d, in AArch64 $x and
// $d (IHI 0056), each also with a dot and any text.
func (p *Program) mapping(name string) (isa schema.Null[schema.ISA], ok bool) {
	if len(name) > 2 && name[2] != '.' {
		return isa, false
	}
	switch kind := name[:min(2, len(name))]; {
	case kind == "$d":
		return isa, true
	case kind == "$x" && p.AArch64:
		return schema.Of(schema.A64), true
	case kind == "$a" && !p.AArch64:
		return schema.Of(schema.A32), true
	case kind == "$t" && !p.AArch64:
		return schema.Of(schema.T32), true
	}
	return isa, false
}
