// Package program turns a program file, an ELF file of AArch32 or AArch64, into what
// there is to know of the program without running it: its instructions, its
// functions, the source lines of its instructions, and its symbols.
//
// The file is hostile: what it says is checked before it is used, and time and
// memory are bounded by its size. Damaged names or debug information cost what
// they would have said, and a note says so.
//
// Its API is not stable (docs/guide/library.md).
package program

import (
	"encoding/hex"

	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/schema"
)

// A Program is what a program file says. Addresses are those it was loaded at,
// and those of code have no T bit.
type Program struct {
	File    string
	SHA256  string // of the file, in hex
	BuildID string // in hex, "" without
	AArch64 bool   // its code is A64; else A32 and T32

	Sections  []Section     // those of code, by address
	Code      []Instruction // every instruction of them, by address
	Functions []Function    // by address; the index is the ordinal
	Lines     []Line        // by address, then inline depth
	Symbols   []Symbol      // by address, then name

	CodeSHA256 string   // of the sections: their addresses, lengths and bytes, in hex
	Notes      []string // for people: what is missing, what was dropped and why
	Dropped    Dropped

	dialect   isa.Dialect
	demangler demangler
}

// A Section is code: SHF_EXECINSTR and PROGBITS. No two overlap.
type Section struct {
	Name    string
	Address schema.Address
	Bytes   []byte

	index int // in the section header table
}

// end returns the address after the section.
func (s *Section) end() uint64 { return uint64(s.Address) + uint64(len(s.Bytes)) }

// An Instruction is one instruction of a section.
type Instruction struct {
	Address     schema.Address
	Size        uint8 // in bytes: 2 or 4
	ISA         schema.ISA
	Opcode      uint32 // 32-bit T32: the first halfword in the high half
	Kind        schema.Kind
	Conditional bool                        // can fail its condition, or is a branch with two ways
	Target      schema.Null[schema.Address] // of a direct branch
	TargetISA   schema.Null[schema.ISA]     // of a direct branch
	Function    schema.Null[int32]          // ordinal; NULL is padding
	Section     string
}

// A Function is a range of code with a name.
type Function struct {
	Address     schema.Address
	Size        uint32   // in bytes; up to the next function or the section's end where the file has none
	Name        string   // demangled
	LinkageName string   // as in the file
	Aliases     []string // demangled, sorted: other names of functions at the address
	File        string   // of the definition; "" if unknown
	Line        uint32   // of the definition; 0 if unknown
	Origin      schema.FunctionOrigin
}

// A Line is the source line of an instruction: at depth 0 the line it was made
// from; if that is in an inlined function, the line of the call at depth 1, and so
// on out to the function that contains the instruction.
type Line struct {
	Address      schema.Address
	InlineDepth  uint16
	File         string // with slashes; absolute where the file says it
	Line, Column uint32 // the line is never 0; column 0 is unknown
	IsStmt       bool
	Function     schema.Null[int32] // ordinal of the containing one
	InlinedName  string             // demangled name of the inlined function; "" at the outermost depth
}

// A Symbol is a named address in a section.
type Symbol struct {
	Address schema.Address
	Size    uint32
	Name    string
	Kind    schema.SymbolKind
	Binding schema.SymbolBinding
	Section string
}

// Dropped counts what stands at address 0 and is no code there: lines and
// inlined functions of what the linker left out.
type Dropped struct {
	DeadSequences    int // sequences of line rows at 0 that were dropped
	SequencesAtZero  int // and those that were kept
	InlineRanges     int // address ranges of inlined functions in the file
	InlineRangesKept int // and those that were kept
}

// Read reads a program file, its code in a dialect. base is where a
// position-independent one was loaded; it is nil for others. It fails with an [image.FormatError] if the file
// is no such program, or if its headers or sections of code are damaged.
func Read(f image.File, base *schema.Address, dialect isa.Dialect) (*Program, error) {
	e, err := image.OpenELF(f, base)
	if err != nil {
		return nil, err
	}
	p := &Program{
		File: f.Name, SHA256: hex.EncodeToString(f.SHA256[:]), BuildID: e.BuildID, AArch64: e.AArch64(),
		dialect: dialect, demangler: demangler{},
	}
	if err := p.readSections(f, e, base); err != nil {
		return nil, err
	}
	table := p.readSymbols(f, e)
	p.sweep(table)
	p.addFunctions(table)
	debug := p.readDebug(f, e)
	p.dropDead(debug)
	p.addSubprograms(debug)
	p.assign()
	files := newFiles(debug, f.Size, p.demangler)
	p.addLines(debug, files)
	p.define(debug, files)
	if files.left < 0 {
		p.note("section .debug_line: paths of files take more than %d times the bytes of the file: damaged, lines were "+
			"left out", pathShare)
	}
	if base != nil {
		p.load(*base)
	}
	p.CodeSHA256 = p.hashCode()
	return p, nil
}
