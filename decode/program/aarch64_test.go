package program_test

import (
	"debug/elf"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/tracelake/tracelake/decode/isa"
	"github.com/tracelake/tracelake/decode/program"
	"github.com/tracelake/tracelake/decode/program/internal/forge"
	"github.com/tracelake/tracelake/schema"
)

// Instructions of A64.
const (
	xNOP  = 0xD503201F
	xRET  = 0xD65F03C0
	xBL8  = 0x94000002 // bl .+8
	xCBZ8 = 0xB4000040 // cbz x0, .+8
	xBack = 0x17FFFFFF // b .-4
)

// kernel is where the kernel of a 64-bit machine may be.
const kernel = 0xFFFF_FFC0_0008_0000

// wide64 is a program of AArch64 at an address with a function f of four instructions.
func wide64(address uint64, debug ...forge.Section) forge.File {
	return forge.File{
		AArch64:  true,
		Sections: append(debug, forge.Code(".text", address, forge.A32(xNOP, xCBZ8, xBL8, xRET))),
		Symbols:  []forge.Symbol{mapping("$x", address), function("f", address, 16, elf.STB_GLOBAL)},
	}
}

// What code is: $x marks it, $d marks data (IHI 0056). There is one instruction set, so
// code without marks is of it.
func TestSweepAArch64(t *testing.T) {
	code := forge.A32(xNOP, xRET, 0x1234, xRET)
	for _, tt := range []struct {
		name    string
		symbols []forge.Symbol
		want    []string
	}{
		{"by marks", []forge.Symbol{mapping("$x", kernel), mapping("$d", kernel+8), mapping("$x", kernel+12)}, []string{"0 a64 4", "4 a64 4", "c a64 4"}},
		{"with a dot and any text", []forge.Symbol{mapping("$x.1", kernel), mapping("$d.word", kernel+8)}, []string{"0 a64 4", "4 a64 4"}},
		{"those of AArch32 are labels", []forge.Symbol{mapping("$x", kernel), mapping("$a", kernel+8), mapping("$t", kernel+12)}, []string{"0 a64 4", "4 a64 4", "8 a64 4", "c a64 4"}},
		{"by functions", []forge.Symbol{function("f", kernel+4, 4, elf.STB_GLOBAL)}, []string{"0 a64 4", "4 a64 4", "8 a64 4", "c a64 4"}},
		{"stripped", nil, []string{"0 a64 4", "4 a64 4", "8 a64 4", "c a64 4"}},
		{"from the next word on", []forge.Symbol{mapping("$x", kernel+1)}, []string{"4 a64 4", "8 a64 4", "c a64 4"}},
	} {
		for _, big := range []bool{false, true} { // the headers; code is little-endian
			p := read(t, forge.File{
				AArch64: true, Big: big, Sections: []forge.Section{forge.Code(".text", kernel, code)}, Symbols: tt.symbols,
			})
			var got []string
			for _, c := range p.Code {
				got = append(got, fmt.Sprintf("%x %s %d", c.Address-kernel, c.ISA, c.Size))
			}
			if !slices.Equal(got, tt.want) || !p.AArch64 {
				t.Errorf("%s, headers big-endian %t: %q, want %q; AArch64 %t", tt.name, big, got, tt.want, p.AArch64)
			}
		}
	}
}

// Kinds, conditions and targets are those of A64, and those of one instruction alone.
func TestCodeAArch64(t *testing.T) {
	p := read(t, forge.File{
		AArch64:  true,
		Sections: []forge.Section{forge.Code(".text", kernel, forge.A32(xBL8, xCBZ8, xBack, xRET))},
		Symbols:  []forge.Symbol{mapping("$x", kernel)},
	})
	to := func(a schema.Address) schema.Null[schema.Address] { return schema.Of(a) }
	want := []program.Instruction{
		{Kind: schema.KindCall, Target: to(kernel + 8)},
		{Kind: schema.KindBranch, Target: to(kernel + 12), Conditional: true},
		{Kind: schema.KindBranch, Target: to(kernel + 4)},
		{Kind: schema.KindReturn},
	}
	for i, w := range want {
		g := p.Code[i]
		if g.Kind != w.Kind || g.Target != w.Target || g.Conditional != w.Conditional || g.TargetISA.OK != w.Target.OK {
			t.Errorf("instruction %d: %+v, want kind, target and condition of %+v", i, g, w)
		}
		alone := program.Alone(isa.ETMv4, g.Address, schema.A64, g.Opcode, 4)
		if alone.Section, alone.Function = g.Section, g.Function; alone != g {
			t.Errorf("instruction %d: alone %+v, in the program %+v", i, alone, g)
		}
	}
}

// Symbols of AArch64 have no T bit, and sizes of 64 bits.
func TestSymbolsAArch64(t *testing.T) {
	f := wide64(kernel)
	f.Sections = append(f.Sections, forge.Section{Name: ".data", Address: 1 << 40})
	f.Symbols = append(f.Symbols,
		forge.Symbol{Name: "odd", Value: 1<<40 | 1, Size: 3, Type: elf.STT_FUNC, Section: ".data"},
		forge.Symbol{Name: "large", Value: 1 << 41, Size: 1 << 33, Type: elf.STT_OBJECT, Section: ".data"},
	)
	for _, big := range []bool{false, true} {
		f.Big = big
		var got []string
		for _, s := range read(t, f).Symbols {
			got = append(got, fmt.Sprintf("%s %x+%x %s", s.Name, s.Address, s.Size, s.Kind))
		}
		want := []string{"odd 10000000001+3 function", "large 20000000000+ffffffff object", "f ffffffc000080000+10 function"}
		if !slices.Equal(got, want) {
			t.Errorf("headers big-endian %t: %q, want %q", big, got, want)
		}
	}
}

// Functions, lines and inlined functions are those of addresses of 64 bits.
func TestDebugAArch64(t *testing.T) {
	for version := 2; version <= 5; version++ {
		l := forge.Lines{
			Version: version, Wide: true, Directories: []string{"/src"}, Files: []forge.SourceFile{{Name: "a.c"}},
			Program: forge.Program(forge.AtWide(kernel), forge.Row(0, 4), forge.Row(4, 1), forge.End(4),
				forge.AtWide(math.MaxUint64), forge.Row(0, 7), forge.End(8)), // a tombstone
		}
		if version < 5 {
			l.Directories = nil
		} else {
			l.Files = append(l.Files, l.Files[0])
		}
		info := forge.Info(forge.Unit{Version: version, Wide: true, Entry: unit(0,
			subprogram("f", kernel, kernel+16, inlined("g", 9, between(kernel+8, kernel+12))), abstract("g", "g"),
			subprogram("gone", math.MaxUint64, 15))})
		p := read(t, wide64(kernel, append(info, forge.Section{Name: ".debug_line", Data: l.Bytes()})...))
		var got []string
		for _, l := range p.Lines {
			got = append(got, fmt.Sprintf("%x/%d:%d %s", l.Address-kernel, l.InlineDepth, l.Line, l.InlinedName))
		}
		want := []string{"0/0:5 ", "4/0:5 ", "8/0:6 g", "8/1:9 ", "c/0:6 "}
		if !slices.Equal(got, want) || len(p.Functions) != 1 || p.Functions[0].Address != kernel || p.Functions[0].Size != 16 {
			t.Errorf("version %d: %q, want %q; functions %+v, notes %q", version, got, want, p.Functions, p.Notes)
		}
		if len(p.Notes) != 0 {
			t.Errorf("version %d: notes %q", version, p.Notes)
		}
	}
}

// Addresses of another size than the machine's are damage.
func TestAddressSizes(t *testing.T) {
	for name, file := range map[string]forge.File{
		"4 bytes in AArch64": wide64(kernel, aLine(5)),
		"8 bytes in AArch32": four(forge.Section{Name: ".debug_line", Data: forge.Lines{Version: 5, Wide: true}.Bytes()}),
	} {
		if p := read(t, file); !hasNote(p, "section .debug_line: table at offset 0x0: addresses of") {
			t.Errorf("%s: notes %q", name, p.Notes)
		}
	}
}

// A position-independent program of AArch64 may be anywhere.
func TestBaseAArch64(t *testing.T) {
	const base = schema.Address(0xAAAA_AAAA_0000)
	f := wide64(0x1000)
	f.Type = elf.ET_DYN
	p, err := program.Read(open(f.Bytes()), new(base), isa.PFT)
	if err != nil {
		t.Fatal(err)
	}
	if a, to := p.Code[1].Address, p.Code[1].Target.V; a != base+0x1004 || to != base+0x100C {
		t.Errorf("a branch at %#x to %#x", a, to)
	}
	if p.Functions[0].Address != base+0x1000 || p.Symbols[0].Address != base+0x1000 || p.Sections[0].Address != base+0x1000 {
		t.Error("something is not where it was loaded")
	}
	if _, err := program.Read(open(f.Bytes()), new(schema.MaxAddress-0x1000), isa.PFT); err == nil {
		t.Error("code beyond the last address")
	}
}

// The hash of code has all bits of its address.
func TestCodeHashAArch64(t *testing.T) {
	seen := map[string]uint64{}
	for _, address := range []uint64{0x8000, 0x1_0000_8000, kernel} {
		sum := read(t, wide64(address)).CodeSHA256
		if other, ok := seen[sum]; ok {
			t.Errorf("code at %#x and %#x has one hash", address, other)
		}
		seen[sum] = address
	}
}
