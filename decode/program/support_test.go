package program_test

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"strings"
	"testing"

	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/decode/program"
	"github.com/tracelake/tracelake/decode/program/internal/forge"
)

// Instructions.
const (
	bxLR  = 0xE12FFF1E // A32
	nop   = 0xE320F000 // A32
	tBXLR = 0x4770     // T32
	tMovs = 0x2001     // T32: movs r0, #1
)

// open returns a file of that content.
func open(b []byte) image.File {
	return image.File{Name: "a.elf", Data: bytes.NewReader(b), Size: int64(len(b))}
}

// read reads a file that was made by hand.
func read(t *testing.T, f forge.File) *program.Program {
	t.Helper()
	p, err := program.Read(open(f.Bytes()), nil, isa.PFT)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// function and label are symbols in .text.
func function(name string, value, size uint64, binding elf.SymBind) forge.Symbol {
	return forge.Symbol{Name: name, Value: value, Size: size, Type: elf.STT_FUNC, Binding: binding, Section: ".text"}
}

func label(name string, value uint64, binding elf.SymBind) forge.Symbol {
	return forge.Symbol{Name: name, Value: value, Binding: binding, Section: ".text"}
}

// mapping are mapping symbols in .text.
func mapping(name string, value uint64) forge.Symbol { return label(name, value, elf.STB_LOCAL) }

// hasNote reports whether a note has the text.
func hasNote(p *program.Program, text string) bool {
	for _, n := range p.Notes {
		if strings.Contains(n, text) {
			return true
		}
	}
	return false
}

// unit returns the entry of a compilation unit in directory /src, whose line
// table is at the offset.
func unit(table uint32, children ...forge.Entry) forge.Entry {
	return forge.Entry{
		Tag: dwarf.TagCompileUnit, Children: children,
		Values: []forge.Value{forge.Of(dwarf.AttrCompDir, "/src"), forge.Of(dwarf.AttrStmtList, forge.Offset(table))},
	}
}

// subprogram returns the entry of a function.
func subprogram(name string, low, high uint64, children ...forge.Entry) forge.Entry {
	return forge.Entry{
		Tag: dwarf.TagSubprogram, Label: name, Children: children,
		Values: []forge.Value{forge.Of(dwarf.AttrName, name), forge.Of(dwarf.AttrLowpc, forge.Address(low)), forge.Of(dwarf.AttrHighpc, forge.Address(high))},
	}
}
