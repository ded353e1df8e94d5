package program_test

import (
	"debug/elf"
	"errors"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/decode/image"
	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/decode/program"
	"github.com/tracelake/tracelake/decode/program/internal/forge"
	"github.com/tracelake/tracelake/schema"
)

// Sections of code are PROGBITS and EXECINSTR, in the order of their addresses.
func TestSections(t *testing.T) {
	code := forge.A32(bxLR)
	data := forge.Code(".data", 0x9000, code)
	data.Flags = elf.SHF_ALLOC
	bss := forge.Code(".bss", 0xA000, code)
	bss.Type = elf.SHT_NOBITS
	p := read(t, forge.File{Sections: []forge.Section{
		forge.Code(".ram", 0x2000_0000, code), data, bss, forge.Code(".text", 0x8000, code), forge.Code(".empty", 0x100, nil),
	}})
	var names []string
	for _, s := range p.Sections {
		names = append(names, s.Name)
	}
	if want := []string{".text", ".ram"}; !slices.Equal(names, want) {
		t.Errorf("sections %q, want %q", names, want)
	}
	if len(p.Code) != 0 || !hasNote(p, "section .ram has neither mapping symbols") || !hasNote(p, "no symbol table") || !hasNote(p, "no debug information") {
		t.Errorf("of a file without symbols: %d instructions, notes %q", len(p.Code), p.Notes)
	}
}

// The hash of the code is that of addresses, lengths and bytes, whatever else is
// in the file and in which order.
func TestCodeHash(t *testing.T) {
	hash := func(sections ...forge.Section) string { return read(t, forge.File{Sections: sections}).CodeSHA256 }
	a, b := forge.Code("a", 0x100, []byte{1, 2, 3, 4}), forge.Code("b", 0x104, []byte{5})
	want := hash(a, b)
	if got := hash(forge.Section{Name: "c", Data: []byte{9}}, b, a); got != want {
		t.Error("another section and another order: another hash")
	}
	for name, other := range map[string]string{
		"another byte":     hash(a, forge.Code("b", 0x104, []byte{6})),
		"another address":  hash(a, forge.Code("b", 0x108, []byte{5})),
		"one section less": hash(a),
		"in one piece":     hash(forge.Code("a", 0x100, []byte{1, 2, 3, 4, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5})),
		"another length":   hash(forge.Code("a", 0x100, []byte{1, 2, 3, 4, 5})),
	} {
		if other == want {
			t.Errorf("%s: the same hash", name)
		}
	}
}

// A section that begins in another one says nothing that can be trusted.
func TestOverlay(t *testing.T) {
	p := read(t, forge.File{
		Sections: []forge.Section{
			forge.Code(".text", 0x8000, forge.A32(nop, nop)), forge.Code(".overlay", 0x8004, forge.A32(bxLR)), forge.Code(".next", 0x8008, forge.A32(bxLR)),
		},
		Symbols: []forge.Symbol{mapping("$a", 0x8000), {Name: "$a", Value: 0x8008, Section: ".next"}},
	})
	if len(p.Code) != 3 || p.Code[1].Opcode != nop || !hasNote(p, "section .overlay overlaps") {
		t.Errorf("code %v, notes %q", p.Code, p.Notes)
	}
}

// A position-independent program is where it was loaded.
func TestBase(t *testing.T) {
	f := linesFile()
	f.Type = elf.ET_DYN
	fixed := linesFile()
	const base = 0x1_0000
	got, err := program.Read(open(f.Bytes()), new(schema.Address(base)), isa.PFT)
	if err != nil {
		t.Fatal(err)
	}
	want := read(t, fixed)
	for i, c := range want.Code {
		if g := got.Code[i]; g.Address != c.Address+base || g.Target.V != c.Target.V+base && c.Target.OK {
			t.Errorf("instruction %v, want it %#x further than %v", g, base, c)
		}
	}
	if got.Functions[0].Address != want.Functions[0].Address+base || got.Lines[0].Address != want.Lines[0].Address+base ||
		got.Symbols[0].Address != want.Symbols[0].Address+base || got.Sections[0].Address != want.Sections[0].Address+base {
		t.Error("something is not where it was loaded")
	}
	if len(got.Code) == 0 || got.CodeSHA256 == want.CodeSHA256 {
		t.Error("the hash is not that of code elsewhere")
	}
}

// A file that cannot be a program, or whose code cannot be where it claims, is
// refused as program memory is.
func TestRefuses(t *testing.T) {
	big := forge.Code(".text", 0x8000, make([]byte, 64))
	many := []forge.Section{big}
	for range 3 {
		many = append(many, big)
	}
	shared := forge.File{Sections: many}.Bytes()
	for i := range many { // all have the bytes of the first, and it is nearly the file
		copy(shared[len(shared)-40*(len(many)+1)+40*i+16:], []byte{0, 0, 0, 0, byte(len(shared)), byte(len(shared) >> 8)})
	}
	for name, file := range map[string][]byte{
		"text":       []byte("int main(void) { return 0; } // and more, to be long enough"),
		"beyond":     forge.File{Sections: []forge.Section{forge.Code(".text", 0xFFFF_FFFE, forge.A32(bxLR))}}.Bytes(),
		"other file": forge.File{Type: elf.ET_REL}.Bytes(),
		"shared":     shared,
	} {
		p, err := program.Read(open(file), nil, isa.PFT)
		if _, ok := errors.AsType[*image.FormatError](err); !ok {
			t.Errorf("%s: %v, %v, want a FormatError", name, p, err)
		}
	}
}
